import { describe, expect, test } from 'vitest'
import { fieldPaths } from '../given/faults.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { rawSenderOf, type RawAnswer } from '../given/raw.js'

const service = await startService()
const client = await service.client()
const raw = rawSenderOf(service.baseUrl, await service.token())

test('a number that somebody has put into a name does not keep others from a domain', async () => {
  const client = await service.client()
  const word = `zed${anything()}`
  const names = [word, `${word} 999999`, `${word} 999999999`, word, word, word]
  const domains: string[] = []
  for (const name of names) domains.push((await client.organizations.create({ name })).domain)
  expect(new Set(domains).size).toBe(names.length)
  expect(domains.every((domain) => domain.startsWith(word))).toBe(true)
})

describe('the domain', () => {
  test.each([
    ['Awesome company', 'awesome-company'],
    ['  Two   spaces & a sign  ', 'two-spaces-and-a-sign'],
    ['Élève de l’Été', /^eleve-de-l-?ete$/],
    ['Straße Øresund', 'strasse-oresund'],
    ['Ωμέγα', 'omega'],
    ['Привет мир', 'privet-mir'],
    ['under_scored.and/slashed', 'under-scored-and-slashed'],
    ['camelCase Name', 'camelcase-name'],
    ['İstanbul', 'istanbul'],
    ['Ｆullwidth', 'fullwidth'],
    ['ｏｕｔｂｏｘ', 'outbox-2'],
    ['٣٤', /^[a-z0-9]+(-[a-z0-9]+)*$/],
    ['北京', /^org-[a-z2-7]{6}$/],
    ['💥!?', /^[a-z0-9]+(-[a-z0-9]+)*$/],
    ['‮', /^org-[a-z2-7]{6}$/],
  ])('of %j is %s: transliterated lower-case words joined by dashes', async (name, domain) => {
    const organization = await client.organizations.create({ name })
    expect(organization).toMatchObject({ name, domain: matching(domain) })
    expect(await client.organizations.get({ org_domain: organization.domain })).toEqual(organization)
  })

  test.each(['api', 't', 'saml', 'scim', 'oauth', 'assets', 'admin', 'www', 'docs', 'console'])(
    'is never the reserved word %s',
    async (name) => {
      expect((await client.organizations.create({ name })).domain).toBe(`${name}-2`)
    },
  )

  test('fits its bounds whatever a name of 100 characters is transliterated to', async () => {
    const domains = await Promise.all(
      ['Щ'.repeat(100), 'a'.repeat(100), `${'a'.repeat(99)}!`, 'ß-'.repeat(50)].map(async (name) => {
        const again = await Promise.all([1, 2].map(() => client.organizations.create({ name })))
        return again.map((organization) => organization.domain)
      }),
    )
    expect(new Set(domains.flat()).size).toBe(8)
    expect(domains.flat().every((domain) => domain.length <= 120)).toBe(true)
  })

  test('gets -2, -3 and so on when it is taken, without a gap among 20 that are made at once', async () => {
    const name = `Same ${anything()}`
    const slug = name.toLowerCase().replace(' ', '-')
    const made = await Promise.all(Array.from({ length: 20 }, () => client.organizations.create({ name })))
    const expected = [slug, ...Array.from({ length: 19 }, (_, index) => `${slug}-${index + 2}`)]
    expect(made.map((organization) => organization.domain).sort()).toEqual(expected.sort())
  })

  test('is never given out again, not even after its organization was deleted', async () => {
    const name = `Gone ${anything()}`
    const first = await client.organizations.create({ name })
    await client.organizations.delete({ org_domain: first.domain })
    expect((await client.organizations.create({ name })).domain).toBe(`${first.domain}-2`)
  })

  test('is unique over the whole service: other accounts’ organizations and accounts themselves', async () => {
    const other = await service.client({ account: await service.createAccount() })
    const name = `Shared ${anything()}`
    const mine = await client.organizations.create({ name })
    expect((await other.organizations.create({ name })).domain).toBe(`${mine.domain}-2`)
    const likeAccount = await other.organizations.create({ name: service.account.domain })
    expect(likeAccount.domain).toBe(`${service.account.domain}-2`)
  })

  test('stays when the name changes, and cannot be written', async () => {
    const { domain } = await service.given.organization()
    const renamed = await client.organizations.update({ org_domain: domain, name: 'Quite another' })
    expect(renamed).toMatchObject({ domain, name: 'Quite another' })
    const attempt = await put(domain, { domain: 'quite-another' })
    expect([attempt.status, fieldPaths(attempt.body)]).toEqual([422, ['domain']])
  })
})

function put(domain: string, body: object): Promise<RawAnswer> {
  return raw('PUT', `/api/v2/organizations/${domain}`, body)
}

function matching(expected: string | RegExp): unknown {
  return typeof expected === 'string' ? expected : expect.stringMatching(expected)
}
