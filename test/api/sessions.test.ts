import { openMagicLink, type Session } from '@portico/sdk'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import { sessionIdOf, signIn } from '../given/world.js'

const service = await startService()
const client = await service.client()

/** A user who can sign in. */
async function givenUser() {
  const { domain: org_domain } = await service.given.organization()
  const application = await service.given.application({ org_domain, organization_domain_scope: org_domain })
  const { id: user_id, email: user_email } = await service.given.user({ org_domain })
  return { org_domain, user_id, user_email, client_id: application.client_id }
}

type User = Awaited<ReturnType<typeof givenUser>>

/** Signs in through the API without a refresh token, which would outlive the session. */
async function givenSession(user: User): Promise<string> {
  const { org_domain, user_email } = user
  return sessionIdOf(await signIn(client, { org_domain, user_email }, 'openid'))
}

async function sessionsOf({ org_domain, user_id }: User): Promise<Session[]> {
  return (await client.sessions.list({ org_domain, user_id })).data
}

async function idsOf(user: User): Promise<string[]> {
  return (await sessionsOf(user)).map(({ id }) => id)
}

describe('the list of sessions', () => {
  longTest('has each sign-in of the user, the last first, and none of others', async () => {
    const user = await givenUser()
    await givenSession(await givenUser())
    const first = await givenSession(user)
    await service.clock.advance(60)
    const second = await givenSession(user)

    const sessions = await sessionsOf(user)

    expect(sessions.map(({ id }) => id)).toEqual([second, first])
    expect(sessions[0]).toMatchObject({
      __type__: 'Session',
      __domain__: user.org_domain,
      user_id: user.user_id,
      client_id: user.client_id,
      amr: ['email'],
      user_agent: null,
      offline_until: null,
    })
  })

  test('has a session for eight hours', async () => {
    const user = await givenUser()
    const id = await givenSession(user)
    await service.clock.advance(8 * 60 * 60 - 60)
    expect(await idsOf(user)).toEqual([id])

    await service.clock.advance(120)

    expect(await idsOf(user)).toEqual([])
  })

  test('404: is not of a user who is not there', async () => {
    const user = await givenUser()
    const missing = client.sessions.list({ org_domain: user.org_domain, user_id: randomUUID() })
    await expect(missing).rejects.toMatchObject({ status: 404, code: 'user_not_found' })
    const elsewhere = client.sessions.list({ org_domain: `no-${randomUUID()}`, user_id: user.user_id })
    await expect(elsewhere).rejects.toMatchObject({ status: 404, code: 'organization_not_found' })
  })
})

describe('ending a session', () => {
  test('answers with it, tells so, and leaves the others', async () => {
    const user = await givenUser()
    const { org_domain, user_id } = user
    const [ended, left] = [await givenSession(user), await givenSession(user)]

    const { deleted, resource } = await client.sessions.end({ org_domain, user_id, session_id: ended })

    expect([deleted, resource.id]).toEqual([true, ended])
    expect(await idsOf(user)).toEqual([left])
    expect(await eventsOf(org_domain, 'user.session.end.success')).toEqual([
      expect.objectContaining({ data: resource, params: { org_domain, user_id, session_id: ended } }),
    ])
    const { data: log } = await client.logEvents.list({ org_domain, code: 'END_USER_SIGNED_OUT' })
    expect(log).toEqual([expect.objectContaining({ resource_owner_id: user_id, client_id: user.client_id })])
  })

  test('makes a code of it worth nothing', async () => {
    const user = await givenUser()
    const { org_domain, user_id, user_email } = user
    const challenge = await client.magicLink.createChallenge({ org_domain, user_email, send_email: false })
    const { code } = await openMagicLink(challenge.magic_link ?? '')
    const [session_id = ''] = await idsOf(user)
    await client.sessions.end({ org_domain, user_id, session_id })

    const exchange = client.oauth.token({ grant_type: 'authorization_code', code })

    await expect(exchange).rejects.toMatchObject({ status: 400, code: 'invalid_grant' })
  })

  test('404: happens once, to a session of that very user', async () => {
    const user = await givenUser()
    const other = { ...(await givenUser()), org_domain: user.org_domain }
    const session_id = await givenSession(user)
    const missing = { status: 404, code: 'session_not_found' }
    const { org_domain, user_id } = user
    const byOther = client.sessions.end({ org_domain, user_id: other.user_id, session_id })
    await expect(byOther).rejects.toMatchObject(missing)
    await client.sessions.end({ org_domain, user_id, session_id })
    await expect(client.sessions.end({ org_domain, user_id, session_id })).rejects.toMatchObject(missing)
  })
})

describe('ending all sessions of a user', () => {
  test('signs them out everywhere, tells how many it were, and leaves others', async () => {
    const user = await givenUser()
    const { org_domain, user_id } = user
    await givenSession(user)
    await givenSession(user)
    const other = await givenUser()
    const kept = await givenSession(other)

    const { resource } = await client.sessions.endAll({ org_domain, user_id })

    expect(resource).toEqual({
      __type__: 'EndedSessions',
      __domain__: org_domain,
      __environment__: 'sandbox',
      user_id,
      total: 2,
    })
    expect(await idsOf(user)).toEqual([])
    expect(await idsOf(other)).toEqual([kept])
    expect(await eventsOf(org_domain, 'user.session.end_all.success')).toEqual([
      expect.objectContaining({ data: resource }),
    ])
  })

  test('is what deactivating and deleting do', async () => {
    const ends = [
      (user: User) =>
        client.users.update({ org_domain: user.org_domain, user_id: user.user_id, active: false }),
      (user: User) => client.users.delete({ org_domain: user.org_domain, user_id: user.user_id }),
    ]
    for (const end of ends) {
      const user = await givenUser()
      await givenSession(user)
      await end(user)
      const open = await service.query('select id from sessions where user_id = $1 and ended_at is null', [
        user.user_id,
      ])
      expect(open).toEqual([])
    }
  })
})

async function eventsOf(
  org_domain: string,
  code: 'user.session.end.success' | 'user.session.end_all.success',
) {
  const { data } = await client.events.list({ code })
  return data.filter(({ __domain__ }) => __domain__ === org_domain)
}
