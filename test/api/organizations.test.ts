import { NewOrganization, Organization } from '@portico/contract/organizations'
import { exampleOf } from '@portico/contract/record'
import { routes } from '@portico/contract/walk'
import { etagOf, type Client } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longDescribe, longTest } from '../sampled.js'
import { fieldPaths } from '../given/faults.js'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { rawSenderOf, type RawAnswer } from '../given/raw.js'
import { send } from '../given/request-of.js'
import { createWorld } from '../given/world.js'

type NewOrganizationInput = Parameters<Client['organizations']['create']>[0]

const service = await startService()
const client = await service.client()
const token = await service.token()
const raw = rawSenderOf(service.baseUrl, token)

describe('members', () => {
  const example = exampleOf(Organization)
  const writable: NewOrganizationInput = NewOrganization.parse(
    Object.fromEntries(Object.entries(example).filter(([name]) => name in NewOrganization.shape)),
  )

  test('writing what the example shows and reading it back gives the example’s values', async () => {
    const created = await client.organizations.create(writable)
    expect(created).toMatchObject(writable)
    expect(await client.organizations.get({ org_domain: created.domain })).toEqual(created)

    const { domain } = await service.given.organization()
    const updated = await client.organizations.update({ org_domain: domain, ...writable })
    expect(updated).toMatchObject(writable)
    expect(await client.organizations.get({ org_domain: domain })).toEqual(updated)
    expect(Object.keys(updated).sort()).toEqual(Object.keys(example).sort())
  })

  test('PUT leaves what is absent, clears what is null and replaces arrays', async () => {
    const made = await client.organizations.create({
      ...writable,
      allowed_email_domains: ['a.example', 'b.example'],
    })
    const org_domain = made.domain
    const moved = await client.organizations.update({ org_domain, locality: 'Paris' })
    expect(moved).toEqual({ ...made, locality: 'Paris', updated_at: moved.updated_at })

    const narrowed = await client.organizations.update({ org_domain, allowed_email_domains: ['c.example'] })
    expect(narrowed.allowed_email_domains).toEqual(['c.example'])

    const nullable = Object.keys(writable).filter(
      (name) => NewOrganization.safeParse({ name: 'x', [name]: null }).success,
    )
    const nothing = Object.fromEntries(nullable.map((name) => [name, null]))
    expect(nullable).toContain('locality')
    expect(await client.organizations.update({ org_domain, ...nothing })).toMatchObject(nothing)
  })

  test('a name has 1 to 100 characters, counted as people count them, one of them visible', async () => {
    for (const name of ['x', 'é'.repeat(100), '💥'.repeat(100)])
      expect([name, (await post({ name })).status]).toEqual([name, 201])
    for (const name of ['', ' ', '\u3000', 'x'.repeat(101), '💥'.repeat(101), null, 7, ['x'], {}])
      expect([name, (await post({ name })).status]).toEqual([name, 422])
  })

  test('autocomplete_address fills locality, state and country, on POST and PUT', async () => {
    const made = await service.given.organization({
      autocomplete_address: 'Lyon, Auvergne-Rhône-Alpes, France',
    })
    expect(made).toMatchObject({ locality: 'Lyon', state: 'Auvergne-Rhône-Alpes', country_name: 'FR' })
    const org_domain = made.domain
    const short = await client.organizations.update({ org_domain, autocomplete_address: ' Berlin , de ' })
    expect(short).toMatchObject({ locality: 'Berlin', state: null, country_name: 'DE' })
  })

  test.each(['Nowhere', '', ', France', 'Lyon, Atlantis', 'a, b, c, d', 'Lyon,,'])(
    'an address that cannot be read, %j, is a fault of that member',
    async (autocomplete_address) => {
      const { domain } = await service.given.organization()
      const attempts = [
        await post({ name: anything(), autocomplete_address }),
        await put(domain, { autocomplete_address }),
      ]
      for (const attempt of attempts)
        expect([attempt.status, fieldPaths(attempt.body)]).toEqual([422, ['autocomplete_address']])
    },
  )

  test.each([
    ['country_name', 'fr', 'FR'],
    ['locale', 'fr_FR', 'fr-FR'],
    ['locale', 'EN-gb', 'en-GB'],
    ['timezone', 'UTC', 'UTC'],
    ['allowed_email_domains', ['Awesome.EXAMPLE'], ['awesome.example']],
    ['allowed_email_domains', [], []],
    ['inline_logo_url', 'https://a.example/ü?q=1#f', 'https://a.example/ü?q=1#f'],
  ])('%s takes %j and answers %j', async (name, given, answered) => {
    const answer = await post({ name: anything(), [name]: given })
    expect([answer.status, answer.body]).toMatchObject([201, { [name]: answered }])
  })

  test.each([
    ['country_name', 'XX'],
    ['country_name', 'FRA'],
    ['locale', 'nonsense-'],
    ['timezone', 'Europe/Atlantis'],
    ['icon_logo_url', 'http://a.example/x.png'],
    ['icon_logo_url', 'javascript:alert(1)'],
    ['icon_logo_url', 'https://user:pass@a.example/x.png'],
    ['privacy_policy_url', 'https://'],
    ['terms_of_service_url', '/terms'],
    ['color', '#000000'],
    ['allowed_email_domains', ['no dots']],
    ['allowed_email_domains', ['*.example']],
    ['allowed_email_domains', { 0: 'a.example' }],
    ['allowed_email_domains', ['-.example']],
  ])('%s refuses %j', async (name, given) => {
    const answer = await post({ name: anything(), [name]: given })
    expect(answer.status).toBe(422)
    expect(fieldPaths(answer.body)[0]).toMatch(new RegExp(`^${name}`))
  })

  test('an urlencoded form, and the query string, say the same as JSON', async () => {
    const form = 'name=By+form&allowed_email_domains%5B%5D=a.example&allowed_email_domains%5B%5D=b.example'
    const expected = { name: 'By form', allowed_email_domains: ['a.example', 'b.example'] }
    expect(await raw('POST', '/api/v2/organizations', form)).toMatchObject({ status: 201, body: expected })
    expect(await raw('POST', `/api/v2/organizations?${form}`)).toMatchObject({ status: 201, body: expected })
    const one = await raw('POST', '/api/v2/organizations', 'name=One&allowed_email_domains=a.example')
    expect(one.body).toMatchObject({ allowed_email_domains: ['a.example'] })
  })
})

describe('environments', () => {
  test('production is up while an application of it is usable by the organization, and q filters by that', async () => {
    const account = await service.createAccount()
    const sandbox = await service.client({ account })
    const production = await service.client({ account, environment: 'production' })
    const first = await givenOf(sandbox).organization()
    const second = await givenOf(sandbox).organization()
    const inStatus = async (...statuses: ('up' | 'down')[]) => {
      const page = await sandbox.organizations.list({ q: { environments_status_in: statuses } })
      expect(page.total).toBe(page.data.length)
      return page.data.map((organization) => organization.domain)
    }
    const productionOf = async (org_domain: string) => {
      const organization = await sandbox.organizations.get({ org_domain })
      if ('deleted' in organization) return 'deleted'
      return organization.environments.find((environment) => environment.name === 'production')?.status
    }
    expect(await productionOf(first.domain)).toBe('down')

    const members = { org_domain: first.domain, organization_domain_scope: first.domain }
    const application = await givenOf(production).application(members)
    expect(await productionOf(first.domain)).toBe('up')
    expect(await productionOf(second.domain)).toBe('down')
    expect(await inStatus('down')).toEqual([second.domain])
    expect(await inStatus('up')).toEqual([second.domain, first.domain])
    expect(await inStatus('up', 'down')).toEqual([second.domain, first.domain])
    expect(await inStatus()).toEqual([])

    await production.applications.delete({ org_domain: first.domain, client_id: application.id })
    expect(await inStatus('down')).toEqual([second.domain, first.domain])
    await givenOf(sandbox).application({ org_domain: first.domain })
    expect(await inStatus('down')).toEqual([second.domain, first.domain])
    await givenOf(production).application({ org_domain: first.domain })
    expect(await inStatus('down')).toEqual([])
  })
})

describe('filter', () => {
  test.each([
    ['ÉCOLE', ['École normale']],
    ['normale', ['École normale']],
    ['50%', ['50% off']],
    ['%', ['50% off']],
    ['a_b', ['a_b c']],
    ['_', ['a_b c']],
    ['\\', ['back\\slash']],
    ['a-b-c', ['a_b c']],
    ['', ['back\\slash', 'a_b c', '50% off', 'École normale']],
    ['.*', []],
    ["' or 1=1 --", []],
  ])('%j finds %j: part of the name or domain in any case, and nothing by pattern', async (filter, names) => {
    const found = await (await filtered()).organizations.list({ filter })
    expect(found.data.map((organization) => organization.name)).toEqual(names)
    expect(found.total).toBe(names.length)
  })

  let prepared: Promise<Client> | undefined
  function filtered(): Promise<Client> {
    return (prepared ??= prepare())
  }

  async function prepare(): Promise<Client> {
    const own = await service.client({ account: await service.createAccount() })
    for (const name of ['École normale', '50% off', 'a_b c', 'back\\slash'])
      await own.organizations.create({ name })
    return own
  }
})

describe('member_email', () => {
  async function memberOfTwo() {
    const client = await service.client()
    const email = anyEmail()
    const organizations = [await service.given.organization(), await service.given.organization()]
    for (const { domain: org_domain } of organizations) await service.given.user({ org_domain, email })
    return { client, email, organizations }
  }

  const domainsOf = ({ data }: { readonly data: readonly { readonly domain: string }[] }) =>
    data.map(({ domain }) => domain).toSorted()

  test('finds the organizations that have a user of the address, in one request', async () => {
    const { client, email, organizations } = await memberOfTwo()
    const [first, second] = organizations
    const found = await client.organizations.list({ member_email: email.toUpperCase() })
    expect(domainsOf(found)).toEqual([first?.domain, second?.domain].toSorted())
    expect(found.total).toBe(2)
    expect(
      domainsOf(await client.organizations.list({ member_email: email, filter: first?.domain ?? '' })),
    ).toEqual([first?.domain])

    const org_domain = second?.domain ?? ''
    const [user] = (await client.users.list({ org_domain })).data
    await client.users.delete({ org_domain, user_id: user?.id ?? '' })
    expect(domainsOf(await client.organizations.list({ member_email: email }))).toEqual([first?.domain])
  })

  test('finds none by what is no address, in the other environment and in another account', async () => {
    const { client, email } = await memberOfTwo()
    const strangers = [
      await service.client({ environment: 'production' }),
      await service.client({ account: await service.createAccount() }),
    ]
    for (const stranger of strangers)
      expect((await stranger.organizations.list({ member_email: email })).data).toEqual([])
    for (const member_email of ['', 'nobody', `${email} `, '%'])
      expect(await client.organizations.list({ member_email })).toMatchObject({ data: [], total: 0 })
  })

  test('shows a key that is limited to organizations its own', async () => {
    const { email, organizations } = await memberOfTwo()
    const limited = await service.client({ organizationIds: [organizations[0]?.id ?? ''] })
    expect(domainsOf(await limited.organizations.list({ member_email: email }))).toEqual([
      organizations[0]?.domain,
    ])
  })

  test('403: to a key that may not read users, whatever the address', async () => {
    const { email } = await memberOfTwo()
    const client = await service.client({ scopes: ['read:organizations'] })
    await client.organizations.list({})
    for (const member_email of [email, 'nobody'])
      await expect(client.organizations.list({ member_email })).rejects.toMatchObject({
        status: 403,
        code: 'insufficient_scope',
      })
  })
})

describe('If-Match', () => {
  test('a change happens only to a version that it names, exactly', async () => {
    const made = await service.given.organization()
    const org_domain = made.domain
    const refused = (ifMatch: string) =>
      expect(client.organizations.update({ org_domain, locale: 'fr' }, { ifMatch })).rejects.toMatchObject({
        status: 412,
        code: 'precondition_failed',
      })
    expect(etagOf(made)).toMatch(/^"[^"]+"$/)
    for (const tag of [
      `W/${etagOf(made)}`,
      '"other"',
      etagOf(made).replaceAll('"', ''),
      '"',
      '""',
      '"01"',
      ',',
    ])
      await refused(tag)
    expect(await client.organizations.get({ org_domain })).toEqual(made)

    const first = await client.organizations.update(
      { org_domain, locale: 'fr' },
      { ifMatch: `"other", ${etagOf(made)}` },
    )
    await refused(etagOf(made))
    expect(etagOf(await client.organizations.get({ org_domain }))).toBe(etagOf(first))
    const second = await client.organizations.update({ org_domain, locale: 'de' }, { ifMatch: '*' })
    await expect(
      client.organizations.delete({ org_domain }, { ifMatch: etagOf(first) }),
    ).rejects.toMatchObject({ status: 412 })
    await client.organizations.delete({ org_domain }, { ifMatch: etagOf(second) })
  })

  test('of 20 changes at once from one version, one happens', async () => {
    const made = await service.given.organization()
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        client.organizations.update(
          { org_domain: made.domain, locality: `Place ${index}` },
          { ifMatch: etagOf(made) },
        ),
      ),
    )
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1)
  })
})

describe('deletion', () => {
  test('answers the record as it was, and what is left of it afterwards; no list has it', async () => {
    const own = await service.client({ account: await service.createAccount() })
    const made = await givenOf(own).organization()
    const org_domain = made.domain
    const deletion = await own.organizations.delete({ org_domain })
    expect(deletion).toEqual({ deleted: true, type: '__Deleted__', resource: made })
    expect(await own.organizations.get({ org_domain })).toEqual({
      __type__: 'Organization',
      id: made.id,
      domain: org_domain,
      deleted: true,
    })
    expect(await own.organizations.list()).toMatchObject({ data: [], total: 0 })
    await expect(own.organizations.delete({ org_domain })).rejects.toMatchObject({ status: 404 })
    await expect(own.organizations.update({ org_domain, name: 'x' })).rejects.toMatchObject({ status: 404 })
  })

  longTest('makes everything under the organization unreachable at once', async () => {
    const world = await createWorld(service)
    await client.organizations.delete({ org_domain: world['org_domain'] ?? '' })
    const under = routes().filter(
      // Routes that accept tokens or credentials of strangers do not reveal whether an organization exists.
      ({ pathParameters, resource, path }) =>
        pathParameters.includes('org_domain') &&
        resource !== 'oauth' &&
        !/\/userinfo$|^\/\.well-known/.test(path),
    )
    const others = under.filter((route) => route.name !== 'organizations.get')
    expect(others.length).toBeGreaterThan(15)
    for (const route of others) {
      const answer = await send(route, { baseUrl: service.baseUrl, token, references: world })
      expect([route.name, answer.status, answer.body]).toMatchObject([
        route.name,
        404,
        { error: { code: 'organization_not_found' } },
      ])
    }
    await expect(
      client.magicLink.createChallenge({
        org_domain: world['org_domain'] ?? '',
        user_email: world['user_email'] ?? '',
      }),
    ).rejects.toMatchObject({ status: 404 })
  })
})

longDescribe('the free plan', () => {
  test('allows exactly one organization, also of 20 made at once, and again one after its deletion', async () => {
    const free = await service.client({ account: await service.createAccount('free') })
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => givenOf(free).organization()))
    const made = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []))
    expect(made).toHaveLength(1)
    for (const attempt of attempts) {
      if (attempt.status === 'rejected')
        expect(attempt.reason).toMatchObject({ status: 403, code: 'plan_limit_reached' })
    }
    await free.organizations.delete({ org_domain: made[0]?.domain ?? '' })
    await service.runJobs()
    await givenOf(free).organization()
    await expect(givenOf(free).organization()).rejects.toMatchObject({ code: 'plan_limit_reached' })
  })
})

function post(body: object): Promise<RawAnswer> {
  return raw('POST', '/api/v2/organizations', body)
}

function put(domain: string, body: object): Promise<RawAnswer> {
  return raw('PUT', `/api/v2/organizations/${domain}`, body)
}
