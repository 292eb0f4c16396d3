import { routes, type Route } from '@portico/contract/walk'
import { purgeDeleted } from '@portico/server/purge'
import { openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longDescribe } from '../sampled.js'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { arriveBy, relayGivenOf } from '../given/relay-given.js'
import { bodyFor, send } from '../given/request-of.js'
import { createWorldFor } from '../given/world.js'
import { tablesWith } from './stored-text.js'

const service = await startService()
const client = await service.client()

/** Erases deleted rows immediately, as the job does later. */
async function purge(): Promise<void> {
  const cause = { requestId: anything(), actor: { type: 'system', id: 'purge' }, params: () => ({}) } as const
  await purgeDeleted(service.deps, cause, { before: service.clock.now(), onErased: () => undefined })
}

/** An organization in which unknown addresses can sign up with a magic link, with an application of its own. */
async function givenOpenDomain(): Promise<string> {
  const { domain: org_domain } = await service.given.organization()
  await service.given.application({ org_domain, organization_domain_scope: org_domain })
  await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
  return org_domain
}

async function mailLink(org_domain: string, user_email: string): Promise<void> {
  await client.magicLink.createChallenge({ org_domain, user_email })
  await service.runJobs()
}

/** Signs up or signs in with a magic link. */
async function signIn(org_domain: string, user_email: string): Promise<string> {
  const input = { org_domain, user_email, send_email: false }
  const { magic_link } = await client.magicLink.createChallenge(input)
  await openMagicLink(magic_link ?? '')
  const { id } = await client.users.getByEmail({ org_domain, user_email })
  return id
}

describe('the purge of a user', () => {
  test('leaves the address nowhere: not in what came before the user, nor in what came after', async () => {
    const org_domain = await givenOpenDomain()
    const local = `Canary.${anything()}`
    const email = `${local}@People.example`
    await mailLink(org_domain, email)
    const user_id = await signIn(org_domain, email)
    await client.users.delete({ org_domain, user_id })
    await mailLink(org_domain, email)
    expect(await tablesWith(service, local)).toEqual([
      'events',
      'log_events',
      'magic_link_challenges',
      'outbox_messages',
      'users',
    ])

    await purge()

    expect(await tablesWith(service, local)).toEqual([])
  })

  test('leaves no address that the user has had', async () => {
    const org_domain = await givenOpenDomain()
    const earlier = `before.${anything()}@people.example`
    await mailLink(org_domain, earlier)
    const user_id = await signIn(org_domain, earlier)
    await client.users.update({ org_domain, user_id, email: anyEmail() })
    await client.users.delete({ org_domain, user_id })

    await purge()

    expect(await tablesWith(service, earlier)).toEqual([])
  })

  test('leaves what another user did who has the address by now, or has it elsewhere', async () => {
    const [org_domain, elsewhere] = [await givenOpenDomain(), await givenOpenDomain()]
    const email = `shared.${anything()}@people.example`
    await mailLink(elsewhere, email)
    const first = await signIn(org_domain, email)
    await client.users.delete({ org_domain, user_id: first })
    await mailLink(org_domain, email)
    await signIn(org_domain, email)

    await purge()

    const left = await service.query<{ domain: string; event_code: string }>(
      'select domain, event_code from log_events where email = $1 order by id',
      [email],
    )
    const started = 'END_USER_MAGIC_LINK_STARTED'
    expect(left).toEqual([
      { domain: elsewhere, event_code: started },
      { domain: org_domain, event_code: started },
      { domain: org_domain, event_code: started },
      { domain: org_domain, event_code: 'END_USER_MAGIC_LINK_SUCCESS' },
    ])
    const { data } = await client.outbox.list({ to: email })
    expect(data.map(({ __domain__ }) => __domain__)).toEqual([org_domain, elsewhere])
  })

  test('takes what a relay knows of the user with it, at both ends', async () => {
    const email = `carried.${anything()}@people.example`
    const given = relayGivenOf(client)
    const scene = await given.scene({ email })
    await arriveBy(await given.address(scene))
    const partner = { org_domain: scene.partner_domain }
    const { id } = await client.users.getByEmail({ ...partner, user_email: email })
    await given.address(scene)
    await client.users.delete({ org_domain: scene.org_domain, user_id: scene.user.id })

    await purge()

    const requests = 'select from relay_requests where user_id = $1'
    expect(await service.query(requests, [scene.user.id])).toEqual([])
    // The user created by the relay belongs to the partner and remains.
    expect(await client.users.get({ ...partner, user_id: id })).toMatchObject({ email })

    await client.users.delete({ ...partner, user_id: id })
    await purge()

    expect(await tablesWith(service, email)).toEqual([])
    expect(await service.query('select from user_identities where user_id = $1', [id])).toEqual([])
  })

  test('leaves no address in the reason for which a mail could not be sent', async () => {
    const org_domain = await givenOpenDomain()
    const email = `bounced.${anything()}@people.example`
    const user_id = await signIn(org_domain, email)
    await client.magicLink.createChallenge({ org_domain, user_email: email })
    await service.query('update jobs set last_error = $1 where payload->>$2 is not null', [
      `Error: 550 <${email.toUpperCase()}> is unknown`,
      'challengeId',
    ])
    await client.users.delete({ org_domain, user_id })

    await purge()

    expect(await tablesWith(service, email)).toEqual([])
  })
})

test('the purge of a partner takes the relays to it with it', async () => {
  const scene = await relayGivenOf(client).scene()
  await client.organizations.delete({ org_domain: scene.partner_domain })

  await purge()

  await expect(client.relays.get({ relay_id: scene.relay.id })).rejects.toMatchObject({
    code: 'relay_not_found',
  })
})

describe('a request that is repeated under its Idempotency-Key', () => {
  test('does not bring a deleted user back', async () => {
    const { domain: org_domain } = await service.given.organization()
    const input = { org_domain, email: anyEmail() }
    const options = { idempotencyKey: anything() }
    const first = await client.users.create(input, options)
    expect(await client.users.create(input, options)).toEqual(first)
    await client.users.delete({ org_domain, user_id: first.id })

    const second = await client.users.create(input, options)

    expect(second.id).not.toBe(first.id)
  })

  test('does not bring a deleted organization back', async () => {
    const input = { name: `Organization ${anything()}` }
    const options = { idempotencyKey: anything() }
    const first = await client.organizations.create(input, options)
    expect(await client.organizations.create(input, options)).toEqual(first)
    await client.organizations.delete({ org_domain: first.domain })

    const second = await client.organizations.create(input, options)

    expect(second.id).not.toBe(first.id)
  })

  const underOrganizations = routes().filter(
    ({ access, pathParameters }) => access.idempotent && pathParameters.includes('org_domain'),
  )

  test.each(underOrganizations.map((route) => [route.name, route] as const))(
    '%s: shows nothing of a deleted organization',
    async (_name, route) => {
      const world = await createWorldFor(route, service)
      const headers = { 'idempotency-key': anything() }
      const request = { baseUrl: service.baseUrl, token: await service.token(), references: world, headers }
      const body = freshBody(route, world)
      const first = await send(route, { ...request, body })
      expect((await send(route, { ...request, body })).text).toBe(first.text)
      await client.organizations.delete({ org_domain: world['org_domain'] ?? '' })

      const again = await send(route, { ...request, body })

      expect([first.status, again.status]).toEqual([expect.toSatisfy((status) => status < 300), 404])
      expect(again.body).toMatchObject({ error: { code: 'organization_not_found' } })
    },
  )
})

function freshBody(route: Route, world: Parameters<typeof bodyFor>[1]): Record<string, unknown> | undefined {
  const body = bodyFor(route, world)
  if (route.name === 'users.create') return { ...body, email: anyEmail() }
  if (route.name === 'invitations.create') return { email: anyEmail() }
  if (route.name === 'tokenCustomization.createMetaKey') return { ...body, name: `key_${anything()}` }
  return body
}

longDescribe('what is kept by itself', () => {
  const daySeconds = 24 * 60 * 60

  test('a deleted user for DELETED_RETENTION_DAYS, after which the erasure is told', async () => {
    const kept = await startService({ variables: { DELETED_RETENTION_DAYS: '10' } })
    const own = await kept.client()
    const { domain: org_domain } = await givenOf(own).organization()
    const { id, email } = await givenOf(own).user({ org_domain })
    await own.users.delete({ org_domain, user_id: id })
    const { cursor } = await own.events.list({})

    await kept.clock.advance(9 * daySeconds)
    await kept.runJobs()
    expect(await tablesWith(kept, email)).toContain('users')
    await kept.clock.advance(daySeconds + 60 * 60)
    await kept.runJobs()

    expect(await tablesWith(kept, email)).toEqual([])
    const { data } = await own.events.list({ after: cursor })
    expect(data).toEqual([
      expect.objectContaining({
        code: 'user.user.erase.success',
        actor: { type: 'system', id: 'purge' },
        data: {
          __type__: 'User',
          __domain__: org_domain,
          __environment__: 'sandbox',
          id,
          deleted: true,
          erased: true,
        },
      }),
    ])
  })

  test('events for 90 days, log events for as long as the operator says', async () => {
    const kept = await startService({ variables: { LOG_RETENTION_DAYS: '100' } })
    const given = givenOf(await kept.client())
    const count = async () => {
      await kept.runJobs()
      const [row] = await kept.query<{ events: number; logs: number }>(
        'select (select count(*)::int from events) as events, (select count(*)::int from log_events) as logs',
      )
      return row
    }
    await given.organization()
    const whole = await count()
    expect(whole).toEqual({ events: expect.toSatisfy(isPositive), logs: expect.toSatisfy(isPositive) })

    await kept.clock.advance(89 * daySeconds)
    expect(await count()).toEqual(whole)
    await kept.clock.advance(2 * daySeconds)
    expect(await count()).toEqual({ events: 0, logs: whole?.logs })
    await kept.clock.advance(10 * daySeconds)
    expect(await count()).toEqual({ events: 0, logs: 0 })
  })
})

function isPositive(number: number): boolean {
  return number > 0
}
