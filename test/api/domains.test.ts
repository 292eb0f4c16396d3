import type { Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { longDescribe, longTest } from '../sampled.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { startNameServer, type Behavior } from '../given/name-server.js'

const dns = await startNameServer()
const service = await startService({ variables: { DNS_SERVERS: dns.address } })
let client: Client
beforeAll(async () => {
  client = await service.client()
})
const day = 24 * 60 * 60

/** A name in a zone that the name server of the test has. */
function anyDomain(): string {
  return `${anything()}.corp.dev`
}

async function givenDomain(members: Partial<Parameters<typeof client.domains.create>[0]> = {}) {
  const org_domain = members.org_domain ?? (await service.given.organization()).domain
  const { cursor: beginning } = await client.events.list({ after: 'latest' })
  const domain = await client.domains.create({ domain: anyDomain(), ...members, org_domain })
  const events = async () => {
    const { data } = await client.events.list({ after: beginning, limit: 1000 })
    return data.filter((event) => event.__domain__ === org_domain)
  }
  const at = { org_domain, domain_id: domain.id }
  return {
    at,
    domain,
    check: () => client.domains.check(at),
    get: () => client.domains.get(at),
    events,
    codes: async () => (await events()).map((event) => event.code),
    answer: (behavior: Behavior) => void dns.behaviors.set(domain.record.name, behavior),
    prove: () => void dns.behaviors.set(domain.record.name, ['v=spf1 -all', domain.record.value]),
  }
}

/** Lets time pass in steps, at the end of each of which the worker runs. */
async function pass(seconds: number, steps = 1): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await service.clock.advance(seconds)
    await service.runJobs()
  }
}

async function fault(members: Record<string, unknown>, as = client): Promise<string> {
  const { domain: org_domain } = await service.given.organization()
  try {
    await as.domains.create({ org_domain, domain: 'x', ...members })
    return 'none'
  } catch (error) {
    return (error as { fields?: { code: string }[] }).fields?.[0]?.code ?? String(error)
  }
}

describe('a new domain', () => {
  test('is pending for 30 days, and its record has a token of its own', async () => {
    const { domain, at } = await givenDomain()
    expect(domain).toMatchObject({
      state: 'pending',
      declared: false,
      sso_exempt_emails: [],
      record: { type: 'TXT', name: `_portico-challenge.${domain.domain}` },
      verified_at: null,
      last_result: null,
    })
    expect(domain.record.value).toMatch(/^token=[a-z2-7]{32}$/)
    expect(Date.parse(domain.expires_at ?? '') - Date.parse(domain.inserted_at)).toBe(30 * day * 1000)
    const other = await givenDomain({ domain: domain.domain })
    expect(other.domain.record.value).not.toBe(domain.record.value)
    expect(await client.domains.list({ org_domain: at.org_domain })).toMatchObject({
      data: [domain],
      total: 1,
    })
  })

  test.each([
    ['Bücher.Corp.DEV', 'xn--bcher-kva.corp.dev'],
    ['corp.dev.', 'corp.dev'],
    ['  corp.dev ', 'corp.dev'],
  ])('is read in any form: %s', async (text, name) => {
    expect((await givenDomain({ domain: text })).domain.domain).toBe(name)
  })

  test.each([
    ['public_suffix', 'co.uk'],
    ['public_suffix', 'github.io'],
    ['public_mail', 'Gmail.com'],
    ['reserved', 'corp.local'],
    ['reserved', 'corp.internal'],
    ['reserved', '1.168.192.in-addr.arpa'],
    ['address', 'ada@corp.dev'],
    ['address', '192.0.2.7'],
    ['address', 'https://corp.dev/'],
    ['single_label', 'intranet'],
    ['invalid', 'corp..dev'],
    ['invalid', '-corp.dev'],
    ['invalid', '_portico-challenge.corp.dev'],
  ])('422 %s: %s', async (code, domain) => {
    expect(await fault({ domain })).toBe(code)
  })

  test('of .example is proved at once in the sandbox, and refused in production', async () => {
    const { domain, check } = await givenDomain({ domain: 'corp.example' })
    expect(domain).toMatchObject({ state: 'verified', verified_at: domain.inserted_at })
    expect(await check()).toMatchObject({ state: 'verified', last_result: 'matched' })
    const production = await service.client({ environment: 'production' })
    expect(await fault({ domain: 'corp.example' }, production)).toBe('reserved')
  })

  longTest('is one of fifty, of many requests at once', async () => {
    const { at } = await givenDomain()
    const create = () =>
      client.domains.create({ org_domain: at.org_domain, domain: anyDomain() }).then(
        () => 'created',
        (error: unknown) => (error as { code: string }).code,
      )
    for (let count = 1; count < 49; count += 1) await create()
    const outcomes = await Promise.all(Array.from({ length: 4 }, create))
    expect(outcomes.toSorted()).toEqual(['created', ...Array.from({ length: 3 }, () => 'domains_exhausted')])
  })

  test('409: is there once in an organization, of many requests at once', async () => {
    const { domain: org_domain } = await service.given.organization()
    const domain = anyDomain()
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () =>
        client.domains.create({ org_domain, domain }).then(
          () => 'created',
          (error: unknown) => (error as { code: string }).code,
        ),
      ),
    )
    expect(outcomes.toSorted()).toEqual(['created', ...Array.from({ length: 7 }, () => 'domain_taken')])
  })

  test('403: needs a key that may write domains', async () => {
    const reader = await service.client({ scopes: ['read:domains', 'write:organizations'] })
    const { domain: org_domain } = await service.given.organization()
    await expect(
      reader.domains.create({ org_domain, domain: anyDomain(), declared: true }),
    ).rejects.toMatchObject({ code: 'insufficient_scope' })
  })
})

describe('a proof', () => {
  test('is the token of the organization and domain, and nothing else', async () => {
    const { domain, at, check, answer, prove, codes } = await givenDomain()
    const other = await givenDomain({ domain: domain.domain })
    const wrong: [Behavior, string][] = [
      ['no_name', 'no_record'],
      ['no_data', 'no_record'],
      [[other.domain.record.value], 'not_matched'],
      [[domain.record.value.toUpperCase(), `${domain.record.value}x`], 'not_matched'],
      [[...Array.from({ length: 50 }, () => 'x'), domain.record.value], 'not_matched'],
    ]
    for (const [behavior, last_result] of wrong) {
      answer(behavior)
      await service.clock.advance(400)
      expect(await check()).toMatchObject({ state: 'pending', last_result, verified_at: null })
    }
    prove()
    await service.clock.advance(400)
    expect(await check()).toMatchObject({ state: 'verified', last_result: 'matched', expires_at: null })
    expect(await codes()).toContain('domain.domain.verify.success')
    const { data } = await client.logEvents.list({ org_domain: at.org_domain, code: 'DOMAIN_VERIFIED' })
    expect(data).toMatchObject([{ reason: domain.domain }])
  })

  test.each(['failing', 'refusing', 'garbled', 'truncated'] as const)(
    'is not refuted by a name server that is %s',
    async (behavior) => {
      const { check, answer } = await givenDomain()
      answer(behavior)
      expect(await check()).toMatchObject({ state: 'pending', last_result: 'no_answer' })
    },
    20_000,
  )

  test('is found by the worker, after five minutes', async () => {
    const { get, prove, domain } = await givenDomain()
    prove()
    await pass(290)
    expect(dns.asked).not.toContain(domain.record.name)
    await pass(70)
    expect(await get()).toMatchObject({ state: 'verified' })
  })

  test('429: is looked for by hand once in 30 seconds, and ten times an hour', async () => {
    const { check } = await givenDomain({ domain: 'corp.example' })
    await check()
    await expect(check()).rejects.toMatchObject({ code: 'rate_limited' })
    for (let count = 1; count < 10; count += 1) {
      await service.clock.advance(31)
      await check()
    }
    await service.clock.advance(31)
    await expect(check()).rejects.toMatchObject({ code: 'rate_limited' })
  })

  test('of one domain by two organizations is good for both, and both are told', async () => {
    const one = await givenDomain()
    const two = await givenDomain({ domain: one.domain.domain })
    dns.behaviors.set(one.domain.record.name, [one.domain.record.value, two.domain.record.value])
    expect(await one.check()).toMatchObject({ state: 'verified' })
    expect(await one.codes()).not.toContain('domain.domain.share.success')
    expect(await two.check()).toMatchObject({ state: 'verified' })
    for (const { codes } of [one, two]) expect(await codes()).toContain('domain.domain.share.success')
  })

  test('that is in another account is told to nobody', async () => {
    const one = await givenDomain()
    const account = await service.createAccount()
    const stranger = await service.client({ account })
    const { domain: org_domain } = await stranger.organizations.create({ name: 'Other' })
    const two = await stranger.domains.create({ org_domain, domain: one.domain.domain })
    dns.behaviors.set(one.domain.record.name, [one.domain.record.value, two.record.value])
    await one.check()
    await stranger.domains.check({ org_domain, domain_id: two.id })
    const { data } = await stranger.events.list()
    expect(data.map((event) => event.code)).toContain('domain.domain.verify.success')
    expect(data.map((event) => event.code)).not.toContain('domain.domain.share.success')
    expect(await one.codes()).not.toContain('domain.domain.share.success')
  })
})

longDescribe('a proved domain', () => {
  test('lapses when its record is missing three times, two weeks later, and is there again with it', async () => {
    const { get, prove, answer, check, codes, domain, at } = await givenDomain()
    const admin = anyEmail()
    await client.admins.invite({ org_domain: at.org_domain, email: admin })
    const mails = async () =>
      (await client.outbox.list({ to: admin })).data.filter(({ subject }) =>
        subject?.startsWith(`The DNS record of ${domain.domain} is missing`),
      )
    prove()
    await check()
    answer('no_name')
    await pass(7 * day)
    expect(await get()).toMatchObject({ state: 'verified', last_result: 'no_record' })
    await pass(day)
    expect(await get()).toMatchObject({ state: 'verified' })
    await pass(day)
    expect(await get()).toMatchObject({ state: 'lapsing' })
    await service.runJobs()
    expect(await mails()).toMatchObject([{ text: expect.stringContaining(domain.record.value) as unknown }])
    await pass(15 * day)
    await service.runJobs()
    expect(await mails()).toHaveLength(2)
    expect(await get()).toMatchObject({ state: 'lapsed', expires_at: null })
    expect((await codes()).filter((code) => code.includes('lapse'))).toHaveLength(2)
    prove()
    await pass(7 * day)
    expect(await get()).toMatchObject({ state: 'verified' })
  })

  test('does not lapse because no server answers', async () => {
    const { get, prove, answer, check } = await givenDomain()
    prove()
    await check()
    answer('failing')
    await pass(8 * day, 3)
    expect(await get()).toMatchObject({ state: 'verified', last_result: 'no_answer' })
  })
})

describe('a pending domain', () => {
  test('expires after 30 days: its token is void, and it can be added again', async () => {
    const { domain, at, get, prove } = await givenDomain()
    await pass(30 * day)
    expect(await get()).toMatchObject({ state: 'expired', expires_at: null })
    prove()
    expect(await client.domains.check(at)).toMatchObject({ state: 'expired' })
    const again = await client.domains.create({ org_domain: at.org_domain, domain: domain.domain })
    expect(again.state).toBe('pending')
    expect(again.record.value).not.toBe(domain.record.value)
    expect((await client.domains.list({ org_domain: at.org_domain })).total).toBe(1)
  })
})

describe('a declared domain', () => {
  longTest('counts without a proof, is better with one, and never lapses', async () => {
    const { domain, get, prove, answer, check } = await givenDomain({ declared: true })
    expect(domain).toMatchObject({ state: 'declared', declared: true, expires_at: null })
    await pass(40 * day)
    expect(await get()).toMatchObject({ state: 'declared', checked_at: null })
    prove()
    expect(await check()).toMatchObject({ state: 'verified', declared: true })
    answer('no_name')
    await pass(7 * day)
    await pass(day, 2)
    expect(await get()).toMatchObject({ state: 'declared' })
  })

  test('is what an API key names for an organization, in both environments, or for a connection', async () => {
    const listed = anyDomain()
    const named = anyDomain()
    const { domain: org_domain, id } = await service.given.organization({
      allowed_email_domains: [listed, 'gmail.com'],
    })
    await client.ssoConnections.create({ organization_id: id, email_domains: [named, listed] })
    const production = await service.client({ environment: 'production' })
    const namesOf = async (as: typeof client) =>
      (await as.domains.list({ org_domain })).data.map(({ domain, state }) => `${domain} ${state}`).toSorted()
    expect(await namesOf(client)).toEqual([`${listed} declared`, `${named} declared`].toSorted())
    expect(await namesOf(production)).toEqual([`${listed} declared`])
  })

  test('is not what was deleted, or waits for its proof, until it is declared again', async () => {
    const { domain, at, get } = await givenDomain()
    const { id } = await client.organizations
      .get({ org_domain: at.org_domain })
      .then((found) => ('deleted' in found ? { id: '' } : found))
    await client.ssoConnections.create({ organization_id: id, email_domains: [domain.domain] })
    expect(await get()).toMatchObject({ state: 'pending' })
    expect(await client.domains.update({ ...at, declared: true })).toMatchObject({ state: 'declared' })
    expect(await client.domains.update({ ...at, declared: false })).toMatchObject({
      state: 'pending',
      record: domain.record,
    })
    expect(await client.domains.delete(at)).toMatchObject({ deleted: true })
    await expect(get()).rejects.toMatchObject({ code: 'domain_not_found' })
  })
})

test('the addresses that are exempt are in the record, and in no event', async () => {
  const email = anyEmail()
  const { at, domain, events } = await givenDomain({ sso_exempt_emails: [email, email.toUpperCase()] })
  expect(domain.sso_exempt_emails).toHaveLength(1)
  await client.domains.update({ ...at, sso_exempt_emails: [email] })
  const its = JSON.stringify(await events()).toLowerCase()
  expect(its).toContain('domain.domain.update.success')
  expect(its).not.toContain(email)
})
