import { ProviderMetadata } from '@portico/contract/oidc'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { longTest } from '../sampled.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)

describe('the passkey connection', () => {
  test('is active in a new organization, in both environments, and each environment has its own', async () => {
    const { domain: org_domain } = await service.given.organization()
    const production = await service.client({ environment: 'production' })

    const changed = await client.passkeys.updateConnection({ org_domain, first_factor: false })

    expect(changed).toMatchObject({ active: true, first_factor: false, synced: true })
    expect(await production.passkeys.getConnection({ org_domain })).toMatchObject({
      ...{ __environment__: 'production', active: true, first_factor: true, synced: true },
    })
    expect(await client.passkeys.updateConnection({ org_domain, synced: false })).toMatchObject({
      ...{ active: true, first_factor: false, synced: false },
    })
  })
})

describe('a demand of passkeys', () => {
  test('is off at the start with a grace of two weeks, and bounded', async () => {
    const { domain: org_domain } = await service.given.organization()
    expect(await client.passkeys.getConnection({ org_domain })).toMatchObject({
      ...{ requirement: 'optional', grace_days: 14 },
    })

    const changed = await client.passkeys.updateConnection({ org_domain, requirement: 'required' })

    expect(changed).toMatchObject({ active: true, requirement: 'required', grace_days: 14 })
    for (const grace_days of [-1, 91])
      await expect(client.passkeys.updateConnection({ org_domain, grace_days })).rejects.toMatchObject({
        ...{ status: 422, fields: [expect.objectContaining({ path: 'grace_days' }) as unknown] },
      })
  })

  longTest('is refused by a service whose address has no domain for them', async () => {
    const other = await startService({ variables: { BASE_URL: 'http://127.0.0.1:3000' } })
    const { domain: org_domain } = await other.given.organization()

    const asked = (await other.client()).passkeys.updateConnection({ org_domain, requirement: 'required' })

    await expect(asked).rejects.toMatchObject({
      ...{ status: 422, fields: [expect.objectContaining({ path: 'requirement' }) as unknown] },
    })
    const metadataOf = async ({ baseUrl }: { readonly baseUrl: string }, domain: string) => {
      const answer = await fetch(`${baseUrl}/t/${domain}/.well-known/openid-configuration`)
      return ProviderMetadata.parse(await answer.json()).acr_values_supported
    }
    expect(await metadataOf(other, org_domain)).not.toContain('phr')
    expect(await metadataOf(service, (await service.given.organization()).domain)).toContain('phr')
  })
})

describe('the passkeys of a user', () => {
  test('are listed newest first, and by the user alone', async () => {
    const { scene, visitor, page } = await given.withPasskey()
    await service.clock.advance(1)
    await visitor.press(page, 'add', { credential: given.authenticator().create(given.asked(page)) })
    const other = await given.withPasskey()
    const { org_domain, user } = scene

    const list = await client.passkeys.list({ org_domain, user_id: user.id })

    expect(list).toMatchObject({ total: 2, data: [{ user_id: user.id }, { user_id: user.id }] })
    const [newer, older] = list.data
    expect((newer?.inserted_at ?? '') > (older?.inserted_at ?? '')).toBe(true)
    const [theirs] = await given.passkeysOf(other.scene)
    const passkey_id = theirs?.id ?? ''
    const of = { org_domain, user_id: user.id, passkey_id }
    for (const call of [
      () => client.passkeys.get(of),
      () => client.passkeys.update({ ...of, name: 'Mine' }),
      () => client.passkeys.delete(of),
    ])
      await expect(call()).rejects.toMatchObject({ status: 404, code: 'passkey_not_found' })
  })

  test('are renamed at the version that was read, with an event', async () => {
    const { scene } = await given.withPasskey()
    const [passkey] = await given.passkeysOf(scene)
    const of = { org_domain: scene.org_domain, user_id: scene.user.id, passkey_id: passkey?.id ?? '' }

    const { cursor } = await client.events.list({ after: 'latest' })
    expect(await client.passkeys.update({ ...of, name: 'Work key' })).toMatchObject({ name: 'Work key' })

    await expect(client.passkeys.update({ ...of, name: 'Other' }, { ifMatch: '"1"' })).rejects.toMatchObject({
      status: 412,
    })
    expect(await client.passkeys.get(of)).toMatchObject({ name: 'Work key' })
    const { data: events } = await client.events.list({ after: cursor })
    expect(events.at(-1)).toMatchObject({
      code: 'passkey.passkey.update.success',
      data: { name: 'Work key' },
    })
  })

  test('are removed with the sessions of the user, also the last way to sign in', async () => {
    const { scene } = await given.withPasskey()
    const { org_domain, user } = scene
    await client.password.updateConnection({ org_domain, active: false })
    await client.magicLink.updateConnection({ org_domain, active: false })
    const [passkey] = await given.passkeysOf(scene)

    const removed = await client.passkeys.delete({
      org_domain,
      user_id: user.id,
      passkey_id: passkey?.id ?? '',
    })

    expect(removed).toMatchObject({ deleted: true, resource: { id: passkey?.id } })
    expect(await given.passkeysOf(scene)).toEqual([])
    expect(await client.sessions.list({ org_domain, user_id: user.id })).toMatchObject({ total: 0 })
  })

  test('are gone with the user', async () => {
    const { scene } = await given.withPasskey()
    const { org_domain, user } = scene
    await client.users.delete({ org_domain, user_id: user.id })

    const rows = await service.query('select from passkeys where user_id = $1', [user.id])
    expect(rows).toEqual([])
  })
})
