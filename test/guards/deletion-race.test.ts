import { ApiError } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { untilWaiting, whileEventWaits } from '../given/waiting.js'

const service = await startService()
const client = await service.client()

describe('of a request under an Idempotency-Key and the deletion of its organization', () => {
  /** A function that creates the same user with the same key at every call, and returns the error code of a refusal. */
  function givenCreator(org_domain: string) {
    const input = { org_domain, email: anyEmail() }
    const options = { idempotencyKey: anything() }
    return () =>
      client.users.create(input, options).then(
        () => 'created',
        (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
      )
  }

  test('the deletion that ends first leaves nothing to repeat', async () => {
    const { domain: org_domain } = await service.given.organization()
    const create = givenCreator(org_domain)

    const first = await whileEventWaits(service, 'user.user.create.success', create, () =>
      client.organizations.delete({ org_domain }),
    )

    expect(first).toBe('organization_not_found')
    await expectNothingToRepeat(create)
  })

  test('the deletion that is under way is waited for, and leaves nothing to repeat', async () => {
    const { domain: org_domain } = await service.given.organization()
    const create = givenCreator(org_domain)
    const attempts: Promise<string>[] = []

    await whileEventWaits(
      service,
      'organization.organization.delete.success',
      () => client.organizations.delete({ org_domain }),
      async () => {
        const attempt = create()
        attempts.push(attempt)
        const ended = new AbortController()
        void attempt.finally(() => ended.abort())
        await untilWaiting(service, 2, ended.signal)
      },
    )

    expect(await Promise.all(attempts)).toEqual(['organization_not_found'])
    await expectNothingToRepeat(create)
  })
})

test('404: what is deleted while a change of it is under way is not there, and nothing of the change is left', async () => {
  const { id: webhook_id } = await client.webhooks.create({
    name: 'Receiver',
    target_url: 'https://127.0.0.1:9999/events',
    event_codes: ['all'],
  })

  const sent = await whileEventWaits(
    service,
    'webhook.webhook.test.success',
    () =>
      client.webhooks.test({ webhook_id }).then(
        () => 'sent',
        (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
      ),
    () => client.webhooks.delete({ webhook_id }),
  )

  expect(sent).toBe('webhook_not_found')
  expect(await service.query(`select id from events where code = 'webhook.webhook.test.success'`)).toEqual([])
})

/** Repeats the request until the key is free, because a failed request releases it shortly after its answer. */
async function expectNothingToRepeat(create: () => Promise<string>): Promise<void> {
  await expect.poll(create, { interval: 5, timeout: 10_000 }).toBe('organization_not_found')
}
