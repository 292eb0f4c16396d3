import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startLastUses } from '@portico/server/last-uses'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { givenLimitedClient } from './application-given.js'

const service = await startService()
const client = await service.client()
const org_domain = await service.given.domain()

async function givenApplication(members: object = {}) {
  const { client_id } = await service.given.application({
    org_domain,
    application_type: 'regular_web',
    client_authentication: 'secret',
    ...members,
  })
  return { org_domain, client_id }
}

describe('the secrets of an application', () => {
  test('201: is shown once, is one word that tells what it is, and its event has no value', async () => {
    const at = await givenApplication()

    const secret = await client.applicationSecrets.create(at)
    const { data } = await client.applicationSecrets.list(at)

    expect(secret).toMatchObject({
      __type__: 'ApplicationSecret',
      __domain__: service.account.domain,
      application_id: at.client_id,
      value: expect.stringMatching(/^appsandbox_[0-9A-Za-z]{49}$/),
      hint: secret.value?.slice(-4),
      expires_at: null,
      last_used_at: null,
    })
    expect(data).toEqual([{ ...secret, value: null }])
    const [stored] = await service.query<{ data: object }>(
      "select data from events where code = 'application.secret.create.success' and data ->> 'id' = $1",
      [secret.id],
    )
    const { value: _, ...shown } = secret
    expect(stored?.data).toEqual(shown)
  })

  test('of one restricted to an organization belongs to that one', async () => {
    const at = await givenApplication({ organization_domain_scope: org_domain })

    expect(await client.applicationSecrets.create(at)).toMatchObject({ __domain__: org_domain })
  })

  test('409: two at most, also of twenty at once; a deleted one makes room', async () => {
    const at = await givenApplication()

    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, () => client.applicationSecrets.create(at)),
    )
    const made = attempts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const refused = attempts.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))

    expect([made.length, refused.length]).toEqual([2, 18])
    expect(refused[0]).toMatchObject({ status: 409, code: 'secret_limit_reached' })
    await client.applicationSecrets.delete({ ...at, secret_id: made[0]?.id ?? '' })
    await client.applicationSecrets.create(at)
    expect((await client.applicationSecrets.list(at)).data).toHaveLength(2)
  })

  test('repeated under one Idempotency-Key, it is one, with the same value', async () => {
    const at = await givenApplication()
    const idempotencyKey = anything()

    const first = await client.applicationSecrets.create(at, { idempotencyKey })
    const again = await client.applicationSecrets.create(at, { idempotencyKey })

    expect(again).toEqual(first)
    expect((await client.applicationSecrets.list(at)).data).toHaveLength(1)
  })

  test('422: an expiry that is over, and a type of application that keeps no secret', async () => {
    const at = await givenApplication()
    const { client_id } = await service.given.application({ org_domain, application_type: 'spa' })

    for (const attempt of [
      () => client.applicationSecrets.create({ ...at, expires_at: service.clock.now().toISOString() }),
      () => client.applicationSecrets.create({ org_domain, client_id }),
    ])
      await expect(attempt()).rejects.toMatchObject({ status: 422, code: 'invalid_parameters' })
  })

  test('404: of another account, environment or application, and one that is not there', async () => {
    const at = await givenApplication()
    const other = await givenApplication()
    const { id: secret_id } = await client.applicationSecrets.create(at)
    const production = await service.client({ environment: 'production' })
    const unknown = { ...at, client_id: randomUUID() }

    for (const attempt of [
      () => production.applicationSecrets.create(at),
      () => production.applicationSecrets.list(at),
      () => production.applicationSecrets.delete({ ...at, secret_id }),
      () => client.applicationSecrets.create(unknown),
      () => client.applicationSecrets.list(unknown),
    ])
      await expect(attempt()).rejects.toMatchObject({ status: 404, code: 'application_not_found' })
    for (const attempt of [
      () => client.applicationSecrets.delete({ ...other, secret_id }),
      () => client.applicationSecrets.delete({ ...at, secret_id: randomUUID() }),
    ])
      await expect(attempt()).rejects.toMatchObject({ status: 404, code: 'application_secret_not_found' })
    expect((await client.applicationSecrets.list(at)).data).toHaveLength(1)
  })

  test('403: by a key that is limited to organizations, of an application of the whole account', async () => {
    const { own, limited } = await givenLimitedClient(service)
    const at = { ...(await givenApplication()), org_domain: own.domain }
    const { id: secret_id } = await client.applicationSecrets.create(at)

    for (const attempt of [
      () => limited.applicationSecrets.create(at),
      () => limited.applicationSecrets.delete({ ...at, secret_id }),
    ])
      await expect(attempt()).rejects.toMatchObject({ status: 403, code: 'key_limited_to_organizations' })
  })

  test('go with the application', async () => {
    const at = await givenApplication()
    await client.applicationSecrets.create(at)
    await client.applications.delete(at)

    await expect(client.applicationSecrets.list(at)).rejects.toMatchObject({ code: 'application_not_found' })
  })

  test('their last use is written in batches, by tenant, and never goes back', async () => {
    const at = await givenApplication()
    const { id } = await client.applicationSecrets.create(at)
    const used = { accountId: service.account.id, environment: 'sandbox', applicationId: at.client_id, id }
    const late = service.clock.now()

    const first = startLastUses(service.deps)
    first.hooks.onSecretUse(used)
    first.hooks.onSecretUse({ ...used, environment: 'production', id: randomUUID() })
    await first.stop()
    const earlier = startLastUses({ ...service.deps, now: () => new Date(late.getTime() - 1000) })
    earlier.hooks.onSecretUse(used)
    await earlier.stop()

    const [secret] = (await client.applicationSecrets.list(at)).data
    expect(Date.parse(secret?.last_used_at ?? '')).toBeGreaterThanOrEqual(late.getTime())
  })
})
