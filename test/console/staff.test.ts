import { scopes, staffScopes } from '@portico/contract/access'
import { randomUUID } from 'node:crypto'
import { openCall } from '@portico/server/call'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { untilWaiting } from '../given/waiting.js'
import { longTest } from '../sampled.js'
import { staffOf } from './staff-given.js'

const service = await startService()
const given = consoleGivenOf(service)
const call = openCall(service.deps)

type Caller = ReturnType<typeof staffOf>

interface Member {
  readonly id: string
  readonly email: string
  readonly roles: readonly string[]
}

/** An account with its first owner, as the caller. */
async function scene() {
  const owner = await given.owner()
  const caller = { ...staffOf(owner.account), id: randomUUID() }
  const [{ id } = { id: '' }] = await staffIn(caller)
  return { ...owner, caller, id }
}

async function staffIn(caller: Caller): Promise<readonly Member[]> {
  const { body } = await call(caller, { route: 'staff.list' })
  return (body as { data: readonly Member[] }).data
}

/** Somebody who has accepted an invitation to these roles, in a browser of their own. */
async function member(caller: Caller, roles: readonly string[]) {
  const [email, visitor] = [anyEmail(), given.visitorOf()]
  const invited = await call(caller, { route: 'staffInvitations.invite', body: { email, roles } })
  expect(invited.status).toBe(201)
  const page = await visitor.visit(await given.mailedLink(email))
  const entered = await visitor.press(page, 'begin')
  const landed = entered.html.includes('value="not_now"') ? await visitor.press(entered, 'not_now') : entered
  const { id = '' } = (await staffIn(caller)).find((each) => each.email === email) ?? {}
  return { email, id, visitor, landed }
}

function setRole(caller: Caller, staff_id: string, ...roles: readonly string[]) {
  return call(caller, { route: 'staff.setRole', params: { staff_id }, body: { roles } })
}

function remove(caller: Caller, staff_id: string) {
  return call(caller, { route: 'staff.remove', params: { staff_id } })
}

const refused = (code: string) => ({ error: expect.objectContaining({ code }) as unknown })

describe('staff', () => {
  test('are listed with their roles, how they came, and how they sign in', async () => {
    const { caller, email, account } = await scene()
    const support = await member(caller, ['support'])

    const { status, body } = await call(caller, { route: 'staff.list' })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      total: 2,
      data: [
        { email: support.email, roles: ['support'], source: 'invitation', active: true },
        {
          __domain__: account.domain,
          email,
          name: 'Ada Lovelace',
          roles: ['owner'],
          factors: [],
          source: 'start',
        },
      ],
    })
  })

  longTest('come in by the mailed link, at the first page of the account', async () => {
    const { caller, home } = await scene()

    const { landed, visitor } = await member(caller, ['viewer'])

    expect([landed.status, new URL(landed.url).pathname]).toEqual([200, home])
    expect((await visitor.request(home)).status).toBe(200)
  })

  longTest('get other roles, which count at once', async () => {
    const { caller } = await scene()
    const { id } = await member(caller, ['viewer'])

    const { status, body } = await setRole(caller, id, 'support', 'developer', 'support')

    expect([status, body]).toMatchObject([200, { id, roles: ['developer', 'support'] }])
    const read = await call(caller, { route: 'staff.get', params: { staff_id: id } })
    expect(read.body).toEqual(body)
  })

  test.each([[[]], [['admin']], [['owner', 'developer', 'support', 'viewer', 'owner']]])(
    'have one to four roles that there are: %j is refused',
    async (roles) => {
      const { caller, id } = await scene()
      expect((await setRole(caller, id, ...roles)).status).toBe(422)
    },
  )

  test('are signed out everywhere at the next page, and removed, after which the address may be invited again', async () => {
    const { caller, home } = await scene()
    const { id, email, visitor } = await member(caller, ['developer'])

    const ended = await call(caller, { route: 'staff.endSessions', params: { staff_id: id } })
    expect([ended.status, (await visitor.request(home)).status]).toEqual([200, 303])

    const removed = await remove(caller, id)
    expect([removed.status, removed.body]).toMatchObject([200, { deleted: true, resource: { id, email } }])
    expect((await staffIn(caller)).map((each) => each.email)).not.toContain(email)
    const again = await call(caller, {
      route: 'staffInvitations.invite',
      body: { email, roles: ['developer'] },
    })
    expect(again.status).toBe(201)
  })

  test('of another account are not there', async () => {
    const { caller } = await scene()
    const other = await scene()
    const foreign = await member(other.caller, ['developer'])
    const before = await staffIn(other.caller)

    const answers = [
      await call(caller, { route: 'staff.get', params: { staff_id: foreign.id } }),
      await setRole(caller, foreign.id, 'viewer'),
      await call(caller, { route: 'staff.endSessions', params: { staff_id: foreign.id } }),
      await remove(caller, foreign.id),
    ]

    for (const { status, body } of answers)
      expect([status, body]).toMatchObject([404, refused('staff_not_found')])
    expect(await staffIn(other.caller)).toEqual(before)
    expect((await foreign.visitor.request(other.home)).status).toBe(200)
  })

  test('are changed by those alone whose roles allow it', async () => {
    const { account, id } = await scene()
    const reader = staffOf(account, {
      scopes: [...scopes, ...staffScopes].filter((scope) => scope !== 'write:staff'),
    })

    for (const answer of [
      await setRole(reader, id, 'viewer'),
      await remove(reader, id),
      await call(reader, { route: 'staff.endSessions', params: { staff_id: id } }),
      await call(reader, { route: 'staffInvitations.invite', body: { email: anyEmail(), roles: ['owner'] } }),
    ])
      expect([answer.status, answer.body]).toMatchObject([403, refused('insufficient_scope')])
    expect((await call(reader, { route: 'staff.list' })).status).toBe(200)
  })
})

describe('the last active owner', () => {
  test('is neither removed nor given other roles', async () => {
    const { caller, id } = await scene()
    const before = await staffIn(caller)

    for (const answer of [await setRole(caller, id, 'developer'), await remove(caller, id)])
      expect([answer.status, answer.body]).toMatchObject([409, refused('last_owner')])
    expect(await staffIn(caller)).toEqual(before)
  })

  test('is the one beside an owner who was deactivated', async () => {
    const { caller, id } = await scene()
    const other = await member(caller, ['owner'])
    await service.query('update users set active = false where id = $1', [other.id])

    expect((await setRole(caller, id, 'developer')).status).toBe(409)
    await service.query('update users set active = true where id = $1', [other.id])
    expect((await setRole(caller, id, 'developer')).status).toBe(200)
  })

  test('stays when two take the role from each other in the same moment', async () => {
    const { caller, id } = await scene()
    const { id: otherId } = await member(caller, ['owner'])
    const holder = new pg.Client({ connectionString: service.databaseUrl })
    await holder.connect()

    // Several times, because the moment is short.
    for (let round = 0; round < 6; round++) {
      // Both wait at one place, so that neither has ended when the other one looks for owners.
      await holder.query('begin; lock table events in exclusive mode')
      const asked = Promise.all([id, otherId].map((each) => setRole(caller, each, 'viewer')))
      await untilWaiting(service, 2)
      await holder.query('commit')

      expect((await asked).map(({ status }) => status).toSorted()).toEqual([200, 409])
      const owners = (await staffIn(caller)).filter(({ roles }) => roles.includes('owner'))
      expect(owners).toHaveLength(1)
      for (const each of [id, otherId]) await setRole(caller, each, 'owner')
    }
    await holder.end()
  })

  longTest('stays when fifty take the role from the last two at once', async () => {
    const { caller, id } = await scene()
    const { id: otherId } = await member(caller, ['owner'])
    const ids = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? id : otherId))

    const answers = await Promise.all(ids.map((each) => setRole(caller, each, 'viewer')))

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    expect((await staffIn(caller)).filter(({ roles }) => roles.includes('owner'))).toHaveLength(1)
  })
})

describe('an invitation to the staff', () => {
  test('is listed until it is withdrawn, and its link works no more then', async () => {
    const { caller, account } = await scene()
    const email = anyEmail()
    const { body: invitation } = await call(caller, {
      route: 'staffInvitations.invite',
      body: { email, roles: ['support', 'viewer'] },
    })
    const url = await given.mailedLink(email)
    expect(invitation).toMatchObject({ __domain__: account.domain, email, roles: ['support', 'viewer'] })
    expect((await call(caller, { route: 'staffInvitations.list' })).body).toMatchObject({
      data: [invitation],
    })

    const { id } = invitation as { id: string }
    const revoked = await call(caller, { route: 'staffInvitations.revoke', params: { invitation_id: id } })

    expect(revoked.status).toBe(200)
    expect((await call(caller, { route: 'staffInvitations.list' })).body).toMatchObject({ data: [] })
    expect((await given.visitorOf().visit(url)).status).toBe(404)
  })

  test('says who invites whom to the console of which account', async () => {
    const owner = await given.owner()
    const { email } = await given.colleague(owner, 'viewer')

    const [mail] = await service.query<{ subject: string; text: string }>(
      'select subject, text from outbox_messages where recipient = $1 order by inserted_at limit 1',
      [email],
    )
    const { domain } = owner.account
    expect(mail?.subject).toContain(`Join the console of ${domain}`)
    expect(mail?.text).toContain(`Ada Lovelace has invited you to the console of the account ${domain} on`)
    expect(mail?.text).not.toContain(`${domain} staff`)
  })

  test('has a page that names the console of the account, also to somebody else who is signed in there', async () => {
    const owner = await given.owner()
    const email = anyEmail()
    const caller = staffOf(owner.account)
    await call(caller, { route: 'staffInvitations.invite', body: { email, roles: ['viewer'] } })
    const url = await given.mailedLink(email)
    const { domain } = owner.account

    const shown = await given.visitorOf().visit(url)
    const { html: french } = await given.visitorOf().visit(`${url}?ui_locales=fr`)
    const other = await owner.visitor.visit(url)

    expect(shown.html).toContain(`is invited to the console of ${domain}</h1>`)
    expect(french).toContain(`est invité à rejoindre la console du compte ${domain}</h1>`)
    expect(other.html).toContain(`You are already signed in to the console of ${domain}</h1>`)
    for (const { html } of [shown, other]) expect(html).not.toContain(`${domain} staff`)
  })

  longTest('that is repeated under its Idempotency-Key is one', async () => {
    const { caller } = await scene()
    const ask = {
      route: 'staffInvitations.invite',
      body: { email: anyEmail(), roles: ['viewer'] },
      idempotencyKey: anything(),
    }

    const [one, two] = [await call(caller, ask), await call(caller, ask)]

    expect([two.status, two.body]).toEqual([one.status, one.body])
    expect((await call(caller, { route: 'staffInvitations.list' })).body).toMatchObject({ total: 1 })
  })

  longTest('is refused for who is there, and for who is invited', async () => {
    const { caller, email } = await scene()
    const invite = (address: string) =>
      call(caller, { route: 'staffInvitations.invite', body: { email: address, roles: ['viewer'] } })
    const invited = anyEmail()
    await invite(invited)

    expect((await invite(email)).body).toMatchObject(refused('already_member'))
    expect((await invite(invited)).body).toMatchObject(refused('invitation_taken'))
  })

  test('of another account is not there', async () => {
    const { caller } = await scene()
    const other = await scene()
    const { body } = await call(other.caller, {
      route: 'staffInvitations.invite',
      body: { email: anyEmail(), roles: ['viewer'] },
    })
    const { id } = body as { id: string }

    const answer = await call(caller, { route: 'staffInvitations.revoke', params: { invitation_id: id } })

    expect([answer.status, answer.body]).toMatchObject([404, refused('invitation_not_found')])
    expect((await call(other.caller, { route: 'staffInvitations.list' })).body).toMatchObject({ total: 1 })
  })
})
