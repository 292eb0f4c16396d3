import { Address, Profile } from '@portico/contract/profile'
import { eraseUser } from '@portico/server/erase-user'
import { exportUser, type UserExport } from '@portico/server/export-user'
import { openMagicLink, type Client, type Event } from '@portico/sdk'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { anything, givenOf } from '../given.js'
import { startService, type Service } from '../harness.js'
import { signIn as signInWhole } from '../world.js'
import { tablesWith } from './stored-text.js'

let service: Service
let client: Client

beforeAll(async () => {
  service = await startService()
  client = await service.client()
})

/** What callers can say of a person, each found nowhere else. */
function canaries() {
  const word = (member: string) => `canary-${member}-${anything()}`
  const address = {
    formatted: word('formatted'),
    street_address: word('street'),
    locality: word('locality'),
    region: word('region'),
    postal_code: word('postal'),
    country: word('country'),
  }
  const profile = {
    given_name: word('given'),
    family_name: word('family'),
    nickname: word('nickname'),
    preferred_username: word('username'),
    birthdate: '1907-03-21',
    picture: `https://people.example/${word('picture')}`,
    profile: `https://people.example/${word('profile')}`,
    website: `https://people.example/${word('website')}`,
  }
  return {
    email: `${word('email')}@people.example`,
    earlier_email: `${word('earlier')}@people.example`,
    phone_number: `+336${String(10_000_000 + Math.floor(Math.random() * 89_999_999))}`,
    metadata: word('metadata'),
    replaced_metadata: word('replaced'),
    profile,
    address,
  }
}

type Canaries = ReturnType<typeof canaries>

function wordsOf({ profile, address, email, earlier_email, ...others }: Canaries): string[] {
  // An address may be stored in other forms; its first part is in all of them.
  const locals = [email, earlier_email].map((text) => text.split('@')[0] ?? '')
  return [...locals, ...Object.values(others), ...Object.values(profile), ...Object.values(address)]
}

interface Known {
  readonly org_domain: string
  readonly user_id: string
  readonly said: Canaries
}

/** A person who has done everything there is to do, all of it with an address that others elsewhere have too. */
async function givenKnownPerson(said = canaries()): Promise<Known> {
  const { domain: org_domain } = await service.given.organization()
  await service.given.application({ org_domain, organization_domain_scope: org_domain })
  await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
  await service.given.metaKey({ org_domain, name: 'note' })

  // Asked for before there was a user, and kept as a mail.
  await client.magicLink.createChallenge({ org_domain, user_email: said.earlier_email })
  await service.runJobs()
  const { profile, address, email, phone_number } = said
  const whole = { org_domain, phone_number, profile, address, gender: 'other' } as const
  // With an answer that is kept, to be repeated.
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
  // A link that was not used, one that waits for its mail, and one whose mail was refused.
  await client.magicLink.createChallenge({ org_domain, user_email: email, send_email: false })
  await client.magicLink.createChallenge({ org_domain, user_email: email })
  await service.query(
    `update jobs set last_error = $1 where id = (select max(id) from jobs where name = 'send_magic_link')`,
    [`Error: 550 <${email.toUpperCase()}> is unknown`],
  )
  // On the way to a partner, where they would be another person's record.
  const { domain: partner_domain } = await service.given.organization()
  const { allowed_redirect_urls } = await service.given.application({ org_domain: partner_domain })
  const [partner_redirect_uri = ''] = allowed_redirect_urls
  const relay = await client.relays.create({ partner_domain, partner_redirect_uri })
  const access_token = await signInWhole(client, { org_domain, user_email: email })
  await client.relays.request({ relay_id: relay.id, access_token })
  return { org_domain, user_id, said }
}

/** Signs in by a link, and exchanges the code, first wrongly. */
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

function exported(known: Pick<Known, 'org_domain' | 'user_id'>): Promise<UserExport> {
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
  test('has everything that is kept, without secrets, also of one who is deleted', async () => {
    const known = await givenKnownPerson()

    const person = await exported(known)

    const text = JSON.stringify(person).toLowerCase()
    const missing = wordsOf(known.said).filter((word) => !text.includes(word.toLowerCase()))
    expect(missing).toEqual([])
    const counts = Object.entries(person.records).map(([table, rows]) => [table, rows.length > 0])
    // The code of each sign-in was used up by its first, wrong exchange.
    expect(Object.fromEntries(counts)).toEqual({
      authorization_codes: true,
      events: true,
      idempotency_keys: true,
      jobs: true,
      log_events: true,
      magic_link_challenges: true,
      outbox_messages: true,
      relay_requests: true,
      sessions: true,
      // Nobody vouched for them: test/contract/erasure.test.ts has one for whom somebody did.
      user_identities: false,
      user_metadata: true,
    })
    expect(text).not.toMatch(/\\\\x[0-9a-f]|token=(?!removed)|_hash|sealed/)

    await client.users.delete({ org_domain: known.org_domain, user_id: known.user_id })
    const later = await exported(known)
    expect(later.user).toMatchObject({ id: known.user_id, deleted_at: expect.any(String) })
    expect(later.records['user_metadata']).toEqual(person.records['user_metadata'])
  })

  test('has nothing of anybody else, whatever they share', async () => {
    const one = await givenKnownPerson()
    const other = await givenKnownPerson({ ...canaries(), email: one.said.email })

    const text = JSON.stringify(await exported(one))

    const shared = one.said.email.split('@')[0] ?? ''
    const strange = [...wordsOf(other.said), other.user_id, other.org_domain].filter(
      (word) => word !== shared && word !== one.said.profile.birthdate && text.includes(word),
    )
    expect(strange).toEqual([])
  })

  test('has nothing of the one who had the address before', async () => {
    const { org_domain, user_id: first, said } = await givenKnownPerson()
    await client.users.delete({ org_domain, user_id: first })
    await signIn(org_domain, said.email)
    const { id: second } = await client.users.getByEmail({ org_domain, user_email: said.email })

    const [before, after] = [
      await exported({ org_domain, user_id: first }),
      await exported({ org_domain, user_id: second }),
    ]

    const idsOf = ({ records }: UserExport) =>
      Object.entries(records).flatMap(([table, rows]) =>
        rows.map((row) => `${table} ${'id' in row ? String(row.id) : 'undefined'}`),
      )
    const common = idsOf(before).filter((id) => idsOf(after).includes(id) && !id.endsWith('undefined'))
    expect(common).toEqual([])
    expect(JSON.stringify(after)).not.toContain(first)
    expect(JSON.stringify(after)).not.toContain(said.profile.given_name)
  })
})

describe('the erasure of a person', () => {
  let known: Known
  let others: Known[]
  let cursor: string

  beforeEach(async () => {
    known = await givenKnownPerson()
    others = [await givenKnownPerson({ ...canaries(), email: known.said.email })]
    ;({ cursor } = await client.events.list({ after: 'latest' }))
  })

  test('leaves nothing in any table, in the stream or in the queue', async () => {
    const shared = known.said.email.split('@')[0] ?? ''
    const alone = wordsOf(known.said).filter(
      (word) => word !== shared && word !== known.said.profile.birthdate,
    )
    const before = await Promise.all(alone.map((word) => tablesWith(service, word)))
    expect(before.filter((tables) => tables.length === 0)).toEqual([])

    await erase(known)

    const found = await Promise.all(
      alone.map(async (word) => [word, await tablesWith(service, word)] as const),
    )
    expect(found.filter(([, tables]) => tables.length > 0)).toEqual([])
    // The other's rows have the address still, and none of this organization has.
    expect(await tablesWith(service, shared)).not.toEqual([])
    expect(await tablesWith(service, shared, known.org_domain)).toEqual([])
    expect(await tablesWith(service, shared, known.user_id)).toEqual([])
    const stream: Event[] = []
    for (let after: string | undefined, isMore = true; isMore;) {
      const page = await client.events.list(after === undefined ? {} : { after })
      stream.push(...page.data)
      ;({ cursor: after, has_more: isMore } = page)
    }
    const streamed = JSON.stringify(stream)
    expect(alone.filter((word) => streamed.includes(word))).toEqual([])
    // What waits goes on to be done, and sends nothing to who is gone.
    const mails = async () => (await client.outbox.list({ to: known.said.email })).data
    const kept = (await mails()).map(({ __domain__ }) => __domain__)
    expect(kept).not.toContain(known.org_domain)
    await service.runJobs()
    expect((await mails()).map(({ __domain__ }) => __domain__)).not.toContain(known.org_domain)
  })

  test('tells readers of the stream once, who go on where they were', async () => {
    await erase(known)

    const { data } = await client.events.list({ after: cursor })

    const { org_domain, user_id: id } = known
    const erased = { __type__: 'User', __domain__: org_domain, __environment__: 'sandbox', id }
    expect(data).toEqual([
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
    const before = await Promise.all(others.map(exportedRecords))

    await erase(known)

    expect(await Promise.all(others.map(exportedRecords))).toEqual(before)
  })

  test('leaves everything of another person who has the address in the other environment', async () => {
    const production = await service.client({ environment: 'production' })
    const { org_domain, said } = known
    await givenOf(production).user({ org_domain, email: said.email })
    const { account, organization } = queryOf(known)
    const query = { account, organization, environment: 'production', email: said.email } as const
    const records = async () => (await exportUser(service.deps, query, () => undefined)).records
    const before = await records()

    await erase(known)

    expect(before['events']).toHaveLength(1)
    expect(await records()).toEqual(before)
  })

  async function exportedRecords(of: Known): Promise<UserExport['records']> {
    return (await exported(of)).records
  }
})
