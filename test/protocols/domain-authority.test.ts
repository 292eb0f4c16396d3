import { describe, expect, test } from 'vitest'
import { isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { oidcGivenOf } from '../given/oidc-given.js'
import { samlGivenOf } from '../given/saml-given.js'
import { scimGivenOf } from '../given/scim-given.js'

const service = await startService()
const client = await service.client()
const saml = samlGivenOf(service, client)
const oidc = oidcGivenOf(service, client)
const { directory } = scimGivenOf(client)

type Connection = NonNullable<Parameters<typeof saml.scene>[0]>

/** A place of a connection among the domains of its organization; `d` is the domain that it may be authoritative for. */
interface Case {
  readonly own?: (d: string) => string[]
  readonly listed?: (d: string) => string[]
  /** Of a second connection of the organization; undefined: there is none. */
  readonly second?: (d: string) => string[]
  readonly rule?: Connection['other_domains']
  /** Of the Domain, which naming declares otherwise. */
  readonly state?: 'verified' | 'pending' | 'lapsing' | 'lapsed' | 'expired' | 'subdomains'
  /** The domain of the address that is asserted; default: d. */
  readonly asserted?: (d: string) => string
  /** Whether a user who is there is linked, and an unknown one created: with a verified address, or without. */
  readonly links: boolean
  readonly creates: 'verified' | 'unverified' | false
  /** Whether a directory's word verifies the address. */
  readonly scim: boolean
}

const own = (d: string) => [d]
const none = () => []
const elsewhere = () => 'contractor.example'
const yes = { links: true, creates: 'verified', scim: true } as const
const no = { links: false, creates: false, scim: false } as const

const cases: Readonly<Record<string, Case>> = {
  'its own, declared': { own, ...yes },
  'its own, verified': { own, state: 'verified', ...yes },
  'its own, lapsing': { own, state: 'lapsing', ...yes },
  'its own, pending': { own, state: 'pending', ...no },
  'its own, lapsed': { own, state: 'lapsed', ...no },
  'its own, expired': { own, state: 'expired', ...no },
  'the organization’s, declared': { listed: own, ...yes },
  'the organization’s, lapsed': { listed: own, state: 'lapsed', ...no },
  'the organization’s, beside a second connection': { listed: own, second: none, ...yes },
  'the organization’s, named by a second connection': { listed: own, second: own, ...no, scim: true },
  'the organization’s, where it names another': {
    own: () => ['other.example'],
    listed: (d) => [d, 'other.example'],
    ...no,
    scim: true,
  },
  'another than its own, alone (M4)': { own, asserted: elsewhere, ...no },
  'another than its own, beside a second connection': { own, second: none, asserted: elsewhere, ...no },
  'a second connection’s': { own: () => ['other.example'], second: own, ...no, scim: true },
  'a second connection’s, for any_address': { second: own, rule: 'any_address', ...no, scim: true },
  'another than its own, for create': {
    own,
    rule: 'create',
    asserted: elsewhere,
    ...{ links: false, creates: 'unverified', scim: false },
  },
  'another than its own, for any_address': {
    own,
    rule: 'any_address',
    asserted: elsewhere,
    ...{ ...yes, scim: false },
  },
  'any, where none is named': { ...{ links: false, creates: 'unverified', scim: false } },
  'any, where none is named, for any_address (as before)': { rule: 'any_address', ...yes, scim: false },
  'any, where none is named, for refuse': { rule: 'refuse', ...no },
  'a subdomain of its own': { own, asserted: (d) => `sub.${d}`, ...no },
  'a subdomain of its own with its subdomains': {
    own,
    state: 'subdomains',
    asserted: (d) => `a.sub.${d}`,
    ...yes,
  },
  'one that ends alike': { own, state: 'subdomains', asserted: (d) => `evil${d}`, ...no },
  'one that begins alike': { own, state: 'subdomains', asserted: (d) => `${d}.evil.example`, ...no },
  'a mail provider’s': { own: () => ['gmail.com'], asserted: () => 'gmail.com', ...no },
}

async function sceneOf({ own: names, listed, second, rule, state }: Case, d: string) {
  const scene = await saml.scene(
    {
      email_domains: names?.(d) ?? [],
      ...(rule === undefined ? { other_domains: null } : { other_domains: rule }),
    },
    { allowed_email_domains: listed?.(d) ?? null },
  )
  if (second !== undefined) await saml.connect(scene, { email_domains: second(d) }, 'idp2')
  const { data } = await client.domains.list({ org_domain: scene.org_domain, domain: d })
  const [domain] = data
  if (state === 'subdomains')
    await client.domains.update({
      org_domain: scene.org_domain,
      domain_id: domain?.id ?? '',
      include_subdomains: true,
    })
  else if (state !== undefined)
    await service.query('update domains set state = $1, declared = false where id = $2', [state, domain?.id])
  return scene
}

describe('a connection, and a directory, of an address whose domain is', () => {
  test.each(Object.entries(cases))('%s', async (_name, each) => {
    const d = `${anything()}.example`
    const scene = await sceneOf(each, d)
    const { org_domain } = scene
    const host = (each.asserted ?? ((domain) => domain))(d)
    const address = () => `${anything()}@${host}`
    const userOf = (user_email: string) => client.users.getByEmail({ org_domain, user_email })

    const known = await service.given.user({ org_domain, email: address() })
    const linked = (await saml.signIn(scene, { nameId: known.email })).landed
    expect([isIn(linked), (await userOf(known.email)).identities.length]).toEqual(
      each.links ? [true, 1] : [false, 0],
    )
    if (!each.links) expect(await saml.lastTrace(scene)).toMatchObject({ failed_check: 'linking' })

    const stranger = address()
    const created = (await saml.signIn(scene, { nameId: stranger })).landed
    expect(isIn(created)).toBe(each.creates !== false)
    if (each.creates === false)
      await expect(userOf(stranger)).rejects.toMatchObject({ code: 'user_not_found' })
    else expect((await userOf(stranger)).email_verified).toBe(each.creates === 'verified')

    const provisioned = address()
    const { scim } = await directory({ org_domain })
    const answer = await scim('POST', '/Users', { body: { schemas, userName: provisioned } })
    if (answer.status === 201) expect((await userOf(provisioned)).email_verified).toBe(each.scim)
    else expect([answer.status, each.scim]).toEqual([400, false])
  })
})

const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']

test('a name below a domain is not the domain’s without its subdomains', async () => {
  const d = `${anything()}.example`
  const scene = await saml.scene({ email_domains: [`sub.${d}`] })
  const { org_domain } = scene
  const { data } = await client.domains.list({ org_domain })
  await client.domains.delete({ org_domain, domain_id: data[0]?.id ?? '' })
  const { id: domain_id } = await client.domains.create({ org_domain, domain: d, declared: true })
  const said = { nameId: `ada@sub.${d}` }
  expect(isIn((await saml.signIn(scene, said)).landed)).toBe(false)
  await client.domains.update({ org_domain, domain_id, include_subdomains: true })
  expect(isIn((await saml.signIn(scene, said)).landed)).toBe(true)
})

describe('the provider of one company', () => {
  test.each([false, true])('cannot vouch for a contractor by OpenID Connect (alone: %s)', async (isAlone) => {
    const d = `${anything()}.example`
    const scene = await oidc.scene({ email_domains: [d] })
    if (!isAlone) await oidc.connect(scene)
    const { org_domain } = scene
    const victim = await service.given.user({ org_domain, email: `${anything()}@contractor.example` })
    for (const email of [victim.email, `${anything()}@contractor.example`]) {
      const { landed } = await oidc.signIn(scene, { sub: anything(), email, email_verified: true })
      expect(landed.status).toBe(403)
      const { failed_check, checks } = await oidc.lastTrace(scene)
      expect(failed_check).toBe('linking')
      expect(checks.at(-1)?.expected).toMatch(
        /^contractor\.example among email_domains .*; it is authoritative for /,
      )
    }
    expect((await client.users.list({ org_domain })).total).toBe(1)
  })

  test('goes on signing in whom it has signed in before, when its domain does not count any more', async () => {
    const d = `${anything()}.example`
    const scene = await saml.scene({ email_domains: [d] })
    const said = { nameId: `ada@${d}` }
    expect(isIn((await saml.signIn(scene, said)).landed)).toBe(true)
    const { data } = await client.domains.list({ org_domain: scene.org_domain })
    await client.domains.delete({ org_domain: scene.org_domain, domain_id: data[0]?.id ?? '' })
    expect(isIn((await saml.signIn(scene, said)).landed)).toBe(true)
    expect(isIn((await saml.signIn(scene, { nameId: `eve@${d}` })).landed)).toBe(false)
  })
})
