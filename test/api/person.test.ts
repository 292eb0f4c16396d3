import { Address, Profile } from '@portico/contract/profile'
import { eraseUser } from '@portico/server/erase-user'
import { exportUser, type UserExport } from '@portico/server/export-user'
import { followMagicLink, openMagicLink, type Event } from '@portico/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { discoveryGivenOf } from '../given/discovery-given.js'
import { startService } from '../given/harness.js'
import { roleGivenOf } from '../given/role-given.js'
import { startReceiver } from '../given/receiver.js'
import { accountSignInGivenOf } from '../protocols/account-sign-in-given.js'
import { giveJoinRequest, givePasskey, signIn as signInWhole } from '../given/world.js'
import {
  canaries,
  givenSharedAddress,
  keepByDirectory,
  signInBySso,
  type Canaries,
  wordsOf,
} from './person-given.js'
import { storedText } from './stored-text.js'
import { webhooksOf } from './webhook-given.js'

const service = await startService()
const client = await service.client()

afterEach(async () => {
  // Refused deliveries would be sent again in the next test.
  for await (const { id } of client.webhooks.list.all()) await client.webhooks.delete({ webhook_id: id })
})

/** A receiver of every event that echoes the body in an error answer, like a server with verbose errors. */
async function givenEcho(): Promise<void> {
  const echo = await startReceiver((res, { body }) => res.writeHead(500).end(body))
  await webhooksOf(service, client).subscribed(echo, { event_codes: ['all'] })
}

interface Known {
  readonly org_domain: string
  readonly user_id: string
  readonly said: Canaries
}

/** A person who used every feature, with an address that users of other organizations also have. */
async function givenKnownPerson(said = canaries()): Promise<Known> {
  const { domain: org_domain } = await service.given.organization()
  const { id: application_id } = await service.given.application({
    org_domain,
    organization_domain_scope: org_domain,
    initiate_login_uri: 'https://store.example/auth/sign-in',
  })
  await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
  await service.given.metaKey({ org_domain, name: 'note' })

  // Requested before the user existed, and stored as a mail.
  await client.magicLink.createChallenge({ org_domain, user_email: said.earlier_email })
  await service.runJobs()
  const { profile, address, email, phone_number } = said
  const whole = { org_domain, phone_number, profile, address, gender: 'other' } as const
  await client.invitations.create({ org_domain, email: said.earlier_email })
  await giveJoinRequest(service, client, { org_domain, environment: 'sandbox', email: said.earlier_email })
  // With an idempotency key, whose answer is stored.
  const { id: user_id } = await client.users.create(
    { ...whole, email: said.earlier_email },
    { idempotencyKey: anything() },
  )
  await signIn(org_domain, said.earlier_email.toUpperCase())
  await client.users.update({ ...whole, user_id, email })
  for (const value of [said.replaced_metadata, said.metadata])
    await client.users.addMetadata({ org_domain, user_id, key: 'note', value })
  await client.magicLink.createChallenge({ org_domain, user_email: email })
  await service.runJobs()
  await signIn(org_domain, email)
  await setPassword(org_domain, email)
  await passSecondFactor(org_domain, user_id)
  await givePasskey(service, { org_domain, user_id, environment: 'sandbox' })
  await signInBySso(service, client, { org_domain, user_email: email })
  await proveMailbox(email)
  // An unused link, one whose mail is pending, and one whose mail failed.
  await client.magicLink.createChallenge({ org_domain, user_email: email, send_email: false })
  await client.magicLink.createChallenge({ org_domain, user_email: email })
  await service.query(
    `update jobs set last_error = $1 where id = (select max(id) from jobs where name = 'send_magic_link')`,
    [`Error: 550 <${email.toUpperCase()}> is unknown`],
  )
  // A pending relay to a partner, where the user would be a separate record.
  const { domain: partner_domain } = await service.given.organization()
  const { allowed_redirect_urls } = await service.given.application({ org_domain: partner_domain })
  const [partner_redirect_uri = ''] = allowed_redirect_urls
  const relay = await client.relays.create({ partner_domain, partner_redirect_uri })
  const access_token = await signInWhole(client, { org_domain, user_email: email })
  await client.relays.request({ relay_id: relay.id, access_token })
  const actor = { id: 'staff-7' }
  await client.impersonations.create({ org_domain, user_id, application_id, actor, reason: 'Ticket 4711' })
  const roles = roleGivenOf(client)
  await roles.give({ org_domain, user_id }, await roles.role())
  await keepByDirectory(client, { org_domain, user_id, email })
  return { org_domain, user_id, said }
}

/** Sets a password with the link of a password request. */
async function setPassword(org_domain: string, user_email: string): Promise<void> {
  await client.password.createConnection({ org_domain })
  const of = { org_domain, user_email }
  const redirect_uri = 'https://store.example/callback'
  const { request_id } = await client.password.createRequest({ ...of, redirect_uri })
  const { magic_link } = await client.magicLink.createChallenge({ ...of, request_id, send_email: false })
  const followed = await followMagicLink(magic_link ?? '')
  const password_code = followed.outcome === 'password_code' ? followed.passwordCode : ''
  await client.password.set({ ...of, password_code, plain_text: 'velvet harbour 41 lanterns' })
}

/** Proves the mailbox in a sign-in that names no organization, by a stored mail, and in a discovery. */
async function proveMailbox(email: string): Promise<void> {
  const given = accountSignInGivenOf(service, client)
  const application = await given.application()
  await given.prove(application, email)
  await discoveryGivenOf(service, client).discover({ user_email: email, application_id: application.id })
}

/** Enrols the telephone and requests a code, in stored messages. */
async function passSecondFactor(org_domain: string, user_id: string): Promise<void> {
  const user = { org_domain, user_id }
  await client.totp.updateConnection({ org_domain, active: true, method: 'sms' })
  const { first_verification_code: code } = await client.totp.enroll(user)
  await service.runJobs()
  await client.totp.validateEnrollment({ ...user, code: code ?? '' })
  await client.totp.createChallenge(user)
  await service.runJobs()
  await client.totp.updateConnection({ org_domain, active: false })
}

/** Signs in with a link, and exchanges the code, first with a fault. */
async function signIn(org_domain: string, user_email: string): Promise<void> {
  const input = { org_domain, user_email, send_email: false }
  const { magic_link } = await client.magicLink.createChallenge(input)
  const { code } = await openMagicLink(magic_link ?? '')
  const exchange = { grant_type: 'authorization_code', code } as const
  const wrong = client.oauth.token({ ...exchange, redirect_uri: 'https://store.example/wrong' })
  await expect(wrong).rejects.toMatchObject({ status: 400 })
  await client.oauth.token(exchange).catch(() => undefined)
}

function queryOf({ org_domain, user_id }: Pick<Known, 'org_domain' | 'user_id'>) {
  const { domain: account } = service.account
  return { account, environment: 'sandbox', organization: org_domain, id: user_id } as const
}

async function exported(known: Pick<Known, 'org_domain' | 'user_id'>): Promise<UserExport> {
  // As autovacuum does later: without statistics, Postgres may plan a nested loop over entire new tables.
  await service.query('analyze events, webhook_deliveries, webhook_attempts')
  return exportUser(service.deps, queryOf(known), () => undefined)
}

async function erase(known: Pick<Known, 'org_domain' | 'user_id'>): Promise<void> {
  const cause = { requestId: anything(), actor: { type: 'operator', id: 'ada' }, params: () => ({}) } as const
  await eraseUser(service.deps, queryOf(known), cause)
}

test('everything that can be said of a person has a canary here, or is one of a closed list', () => {
  const { profile, address } = canaries()
  const closed = ['gender', 'locale', 'zoneinfo']
  const copies = ['name', 'email', 'phone_number', 'address']
  expect([...Object.keys(profile), ...closed, ...copies].toSorted()).toEqual(
    Object.keys(Profile.shape).toSorted(),
  )
  expect(Object.keys(address).toSorted()).toEqual(Object.keys(Address.shape).toSorted())
})

describe('the export of a person', () => {
  longTest('has everything that is kept, without secrets, also of one who is deleted', async () => {
    await givenEcho()
    const known = await givenKnownPerson()

    const person = await exported(known)

    const text = JSON.stringify(person).toLowerCase()
    const missing = wordsOf(known.said).filter((word) => !text.includes(word.toLowerCase()))
    expect(missing).toEqual([])
    const counts = Object.entries(person.records).map(([table, rows]) => [table, rows.length > 0])
    // The faulty first exchange consumed the code of each sign-in.
    expect(Object.fromEntries(counts)).toEqual({
      account_flows: true,
      // No member of staff has looked at the person.
      audit_entries: false,
      authorization_codes: true,
      deletion_requests: false,
      directory_group_members: true,
      directory_users: true,
      discoveries: true,
      domain_exemptions: true,
      email_challenges: true,
      // They have changed their address by the API.
      email_changes: false,
      email_sessions: true,
      events: true,
      idempotency_keys: true,
      impersonations: true,
      invitations: true,
      jobs: true,
      join_requests: true,
      log_events: true,
      magic_link_challenges: true,
      oidc_requests: true,
      outbox_messages: true,
      // No page of an application has asked for one.
      passkey_ceremonies: false,
      passkey_recoveries: false,
      // Their passkey was demanded of nobody.
      passkey_recovery_codes: false,
      passkeys: true,
      password_requests: true,
      passwords: true,
      // No second factor was required.
      pending_sign_ins: false,
      refresh_token_families: true,
      relay_requests: true,
      role_assignments: true,
      saml_arrivals: true,
      saml_requests: true,
      scim_requests: true,
      session_clients: true,
      sessions: true,
      sign_in_flows: true,
      // They have come by no social provider.
      social_arrivals: false,
      social_requests: false,
      sso_challenges: true,
      sso_login_traces: true,
      totp_challenges: true,
      totp_enrollments: true,
      user_identities: true,
      user_metadata: true,
      webhook_attempts: true,
      webhook_deliveries: true,
    })
    // Deliveries match the person's events and contain no events of others.
    const members = (table: string, member: string) =>
      (person.records[table] ?? []).map((row) => new Map(Object.entries(row)).get(member) as unknown)
    const events = members('events', 'id')
    // Ids ascend with time, also within one transaction, whose events share one time.
    expect(events).toEqual(events.toSorted())
    expect(members('webhook_deliveries', 'id').toSorted()).toEqual(events.toSorted())
    expect(events).toEqual(expect.arrayContaining(members('webhook_attempts', 'delivery_id')))
    expect(members('webhook_attempts', 'answer')).toContainEqual(
      expect.stringContaining(known.said.earlier_email),
    )
    expect(text).not.toMatch(/\\\\x[0-9a-f]|token=(?!removed)|test: (?!removed)|_hash|sealed/)
    expect(text).toContain('test: removed is your code')

    await client.users.delete({ org_domain: known.org_domain, user_id: known.user_id })
    const later = await exported(known)
    expect(later.user).toMatchObject({ id: known.user_id, deleted_at: expect.any(String) })
    expect(later.records['user_metadata']).toEqual(person.records['user_metadata'])
  })

  longTest('has nothing of anybody else, whatever they share', async () => {
    const [one, other] = await twoWhoStay()

    const text = JSON.stringify(await exported(one))

    const shared = one.said.email.split('@')[0] ?? ''
    const strange = [...wordsOf(other.said), other.user_id, other.org_domain].filter(
      (word) => word !== shared && word !== one.said.profile.birthdate && text.includes(word),
    )
    expect(strange).toEqual([])
  })

  longTest('has nothing of the one who had the address before', async () => {
    const { org_domain, user_id: first, said } = await givenKnownPerson()
    await client.users.delete({ org_domain, user_id: first })
    await signIn(org_domain, said.email)
    const { id: second } = await client.users.getByEmail({ org_domain, user_email: said.email })

    const [before, after] = [
      await exported({ org_domain, user_id: first }),
      await exported({ org_domain, user_id: second }),
    ]

    expect(idsOf(before).filter((id) => idsOf(after).includes(id))).toEqual([])
    expect(JSON.stringify(after)).not.toContain(first)
    expect(JSON.stringify(after)).not.toContain(said.profile.given_name)
  })

  test('has of an address that went from one to the other what each was sent while it was theirs', async () => {
    const { first, second } = await givenSharedAddress(service, client)

    const [one, other] = [await exported(first), await exported(second)]

    expect(idsOf(one).filter((id) => idsOf(other).includes(id))).toEqual([])
    for (const [{ records }, { challenges, mails }] of [
      [one, first],
      [other, second],
    ] as const)
      expect(records).toMatchObject({
        magic_link_challenges: challenges.map((id) => ({ id })),
        outbox_messages: mails.map((id) => ({ id })),
        jobs: challenges.map((challengeId) => ({ payload: { challengeId } })),
      })
  })

  longTest(
    'has nothing of the one who had the address before, also when the log alone still tells who it was',
    async () => {
      const kept = await startService({ variables: { LOG_RETENTION_DAYS: '365' } })
      const own = await kept.client()
      const { domain: org_domain } = await kept.given.organization()
      await kept.given.application({ org_domain, organization_domain_scope: org_domain })
      await own.magicLink.updateConnection({ org_domain, find_or_create_user: true })
      const email = anyEmail()
      const signUp = async () => {
        const { magic_link } = await own.magicLink.createChallenge({
          org_domain,
          user_email: email,
          send_email: false,
        })
        await openMagicLink(magic_link ?? '')
        return (await own.users.getByEmail({ org_domain, user_email: email })).id
      }
      const first = await signUp()
      await own.users.update({ org_domain, user_id: first, email: anyEmail() })
      const second = await signUp()
      await kept.clock.advance(100 * 24 * 60 * 60)
      await kept.runJobs()
      expect(await kept.query('select from events where email_normalized is not null')).toEqual([])

      const exportOf = (id: string) => {
        const query = {
          account: kept.account.domain,
          environment: 'sandbox',
          organization: org_domain,
          id,
        } as const
        return exportUser(kept.deps, query, () => undefined)
      }
      const [one, other] = [await exportOf(first), await exportOf(second)]
      expect(idsOf(one).filter((id) => idsOf(other).includes(id))).toEqual([])
      for (const { user, records } of [one, other])
        expect(records['log_events']).toMatchObject([
          { event_code: 'END_USER_MAGIC_LINK_STARTED', email, resource_owner_id: null },
          { event_code: 'END_USER_MAGIC_LINK_SUCCESS', email, resource_owner_id: user.id },
        ])
    },
  )
})

/** The ids of the exported rows, where they have one. */
function idsOf({ records }: UserExport): string[] {
  return Object.entries(records).flatMap(([table, rows]) =>
    rows.flatMap((row) => ('id' in row ? [`${table} ${String(row.id)}`] : [])),
  )
}

/** Two users with one address in different organizations, which no test changes; created lazily. */
let lasting: Promise<readonly [Known, Known]> | undefined

function twoWhoStay(): Promise<readonly [Known, Known]> {
  const make = async () => {
    const one = await givenKnownPerson()
    return [one, await givenKnownPerson({ ...canaries(), email: one.said.email })] as const
  }
  lasting ??= make()
  return lasting
}

describe('the erasure of a person', () => {
  longTest('leaves nothing in any table, in the stream or in the queue', async () => {
    const [{ said: others }] = await twoWhoStay()
    await givenEcho()
    const known = await givenKnownPerson({ ...canaries(), email: others.email })
    const shared = known.said.email.split('@')[0] ?? ''
    const alone = wordsOf(known.said).filter(
      (word) => word !== shared && word !== known.said.profile.birthdate,
    )
    const stored = await storedText(service)
    const before = alone.map((word) => stored.tablesWith(word))
    expect(before.filter((tables) => tables.length === 0)).toEqual([])
    expect(before.flat()).toContain('webhook_attempts')
    const { records } = await exported(known)
    const deliveries = `select from webhook_deliveries where id in (
      select (row->>'id')::uuid from jsonb_array_elements($1) row
    )`
    const sent = JSON.stringify(records['events'])
    expect(await service.query(deliveries, [sent])).not.toEqual([])

    await erase(known)

    expect(await service.query(deliveries, [sent])).toEqual([])

    const left = await storedText(service)
    const found = alone.map((word) => [word, left.tablesWith(word)] as const)
    expect(found.filter(([, tables]) => tables.length > 0)).toEqual([])
    // Only rows of the other organization still contain the address.
    expect(left.tablesWith(shared)).not.toEqual([])
    expect(left.tablesWith(shared, known.org_domain)).toEqual([])
    expect(left.tablesWith(shared, known.user_id)).toEqual([])
    const stream: Event[] = []
    for (let after: string | undefined, isMore = true; isMore;) {
      const page = await client.events.list(after === undefined ? {} : { after })
      stream.push(...page.data)
      ;({ cursor: after, has_more: isMore } = page)
    }
    const streamed = JSON.stringify(stream)
    expect(alone.filter((word) => streamed.includes(word))).toEqual([])
    // Pending jobs still run, but send nothing to the erased person.
    const mails = async () => (await client.outbox.list({ to: known.said.email })).data
    const kept = (await mails()).map(({ __domain__ }) => __domain__)
    expect(kept).not.toContain(known.org_domain)
    await service.runJobs()
    expect((await mails()).map(({ __domain__ }) => __domain__)).not.toContain(known.org_domain)
  })

  longTest('tells readers of the stream once, who go on where they were', async () => {
    const { known, told } = await oneErasure()

    const { org_domain, user_id: id } = known
    const erased = { __type__: 'User', __domain__: org_domain, __environment__: 'sandbox', id }
    expect(told).toEqual([
      expect.objectContaining({
        code: 'user.user.erase.success',
        data: { ...erased, deleted: true, erased: true },
        params: {},
        actor: expect.objectContaining({ type: 'operator' }) as unknown,
      }),
    ])
    await expect(erase(known)).rejects.toThrow('has erased them')
  })

  test('leaves everything of another person who has the address elsewhere', async () => {
    const { before, after } = await oneErasure()

    expect(after.elsewhere).toEqual(before.elsewhere)
  })

  test('leaves everything of another person who has the address in the other environment', async () => {
    const { before, after } = await oneErasure()

    expect(before.inProduction['events']).toHaveLength(1)
    expect(after.inProduction).toEqual(before.inProduction)
  })

  test.each(['first', 'second'] as const)(
    'leaves everything of another person who had the address before or since: the %s of two is erased',
    async (erased) => {
      const { first, second } = await givenSharedAddress(service, client)
      const [goes, stays] = erased === 'first' ? [first, second] : [second, first]
      const { records } = await exported(stays)

      await erase(goes)

      expect((await exported(stays)).records).toEqual(records)
      const left = 'select from magic_link_challenges where id = any($1)'
      expect(await service.query(left, [goes.challenges])).toEqual([])
    },
  )

  interface Erasure {
    readonly known: Known
    /** The events of the stream before the erasure. */
    readonly told: readonly Event[]
    readonly before: Others
    readonly after: Others
  }

  /** The remaining data of other users with the erased person's address. */
  interface Others {
    readonly elsewhere: readonly UserExport['records'][]
    readonly inProduction: UserExport['records']
  }

  /** One erasure shared by several tests; created lazily. */
  let erasure: Promise<Erasure> | undefined

  function oneErasure(): Promise<Erasure> {
    erasure ??= eraseBesideOthers()
    return erasure
  }

  async function eraseBesideOthers(): Promise<Erasure> {
    const others = await twoWhoStay()
    const known = await givenKnownPerson({ ...canaries(), email: others[0].said.email })
    const { org_domain, said } = known
    const production = await service.client({ environment: 'production' })
    await givenOf(production).user({ org_domain, email: said.email })
    const { account, organization } = queryOf(known)
    const query = { account, organization, environment: 'production', email: said.email } as const
    const look = async (): Promise<Others> => ({
      elsewhere: await Promise.all(others.map(exportedRecords)),
      inProduction: (await exportUser(service.deps, query, () => undefined)).records,
    })
    const before = await look()
    const { cursor } = await client.events.list({ after: 'latest' })

    await erase(known)

    const { data: told } = await client.events.list({ after: cursor })
    return { known, told, before, after: await look() }
  }

  async function exportedRecords(of: Known): Promise<UserExport['records']> {
    const { records } = await exported(of)
    // What is of no organization tells of everybody with the address, and goes with the first of them.
    const { account_flows: _, discoveries: _d, email_challenges: _c, email_sessions: _s, ...others } = records
    return Object.fromEntries(
      Object.entries(others).map(([table, rows]) => [table, rows.filter(isOfOrganization)]),
    )
  }
})

function isOfOrganization(row: object): boolean {
  return new Map<string, unknown>(Object.entries(row)).get('organization_id') !== null
}
