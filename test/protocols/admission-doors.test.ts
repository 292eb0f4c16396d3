import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { givenFolder, portico } from '../cli/portico.js'
import { callback, isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { oidcGivenOf } from '../given/oidc-given.js'
import { arriveBy, partnerCallback, relayGivenOf } from '../given/relay-given.js'
import { leadOf, samlGivenOf } from '../given/saml-given.js'
import { scimGivenOf } from '../given/scim-given.js'
import { signIn } from '../given/world.js'
import { longTest } from '../sampled.js'

const service = await startService()
const client = await service.client()
const saml = samlGivenOf(service, client)
const oidc = oidcGivenOf(service, client)
const { directory } = scimGivenOf(client)
const relays = relayGivenOf(client)

/** What a door answers: `in`, or why not. */
type Outcome = string
type DoorName = 'api' | 'request' | 'import' | 'scim' | 'saml' | 'oidc' | 'link' | 'relay'

/** An organization with every door open, and addresses of one domain. */
async function givenDoors() {
  const d = `${anything()}.example`
  const scene = await saml.scene()
  const second = { ...scene, ...(await oidc.connect(scene, { other_domains: 'any_address' })) }
  const { org_domain } = scene
  await client.password.createConnection({ org_domain })
  await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
  await client.applications.update({
    org_domain,
    client_id: scene.application.client_id,
    allowed_redirect_urls: [callback, partnerCallback],
  })
  const { scim } = await directory({ org_domain })
  const relay = await client.relays.create({
    partner_domain: org_domain,
    partner_redirect_uri: partnerCallback,
  })
  const origin = await service.given.organization()
  await service.given.application({ org_domain: origin.domain, organization_domain_scope: origin.domain })

  const codeOf = (error: unknown): Outcome => (error as { code?: string }).code ?? String(error)
  const refusal = async (of: Parameters<typeof saml.lastTrace>[0], landed: Parameters<typeof isIn>[0]) =>
    isIn(landed) ? 'in' : saml.lastTrace(of).then(({ failed_check }) => failed_check ?? 'none', codeOf)
  const by: Record<DoorName, (email: string) => Promise<Outcome>> = {
    api: (email) => client.users.create({ org_domain, email }).then(() => 'in', codeOf),
    request: (user_email) =>
      client.password
        .createRequest({ org_domain, user_email, redirect_uri: callback, find_or_create_user: true })
        .then(() => 'in', codeOf),
    import: async (email) => {
      const file = join(givenFolder(), 'users.jsonl')
      writeFileSync(file, `${JSON.stringify({ email })}\n`)
      const scope = ['--account', service.account.domain, '--environment', 'sandbox']
      const { stdout } = await portico(
        ['import-users', file, ...scope, '--organization', org_domain, '--json'],
        { DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys },
      )
      return (JSON.parse(stdout) as { made: number }).made === 1 ? 'in' : 'refused'
    },
    scim: async (userName) => {
      const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
      const { status } = await scim('POST', '/Users', { body: { schemas, userName } })
      return status === 201 ? 'in' : String(status)
    },
    saml: async (nameId) => refusal(scene, (await saml.signIn(scene, { nameId })).landed),
    oidc: async (email) => {
      const { landed } = await oidc.signIn(second, { sub: email, email, email_verified: true })
      return refusal(second, landed)
    },
    link: async (user_email) => {
      try {
        const { magic_link } = await client.magicLink.createChallenge({
          org_domain,
          user_email,
          send_email: false,
        })
        await openMagicLink(magic_link ?? '')
        return 'in'
      } catch (error) {
        if ('code' in (error as object)) return codeOf(error)
        // The page says the same of every link.
        const { data } = await client.logEvents.list({ org_domain, code: 'END_USER_MAGIC_LINK_FAILED' })
        return data.find(({ email }) => email === user_email)?.reason ?? 'none'
      }
    },
    relay: async (email) => {
      await service.given.user({ org_domain: origin.domain, email })
      const access_token = await signIn(client, { org_domain: origin.domain, user_email: email })
      const answer = await relays.address({ relay, access_token }).then(arriveBy, codeOf)
      if (typeof answer === 'string') return answer
      return answer.code === null ? String(answer.status) : 'in'
    },
  }
  const isThere = (user_email: string) =>
    client.users.getByEmail({ org_domain, user_email }).then(
      () => true,
      () => false,
    )
  return { d, scene, second, org_domain, by, isThere }
}
type Doors = Awaited<ReturnType<typeof givenDoors>>

const names: readonly DoorName[] = ['saml', 'oidc', 'link', 'relay', 'request', 'scim', 'import', 'api']
const open = Object.fromEntries(names.map((name) => [name, 'in'])) as Record<DoorName, Outcome>

interface Rule {
  readonly prepare: (doors: Doors) => Promise<unknown>
  readonly outcomes: Record<DoorName, Outcome>
}

const rules: Readonly<Record<string, Rule>> = {
  'nothing is in the way': { prepare: () => Promise.resolve(), outcomes: open },
  'the list of domains has another one': {
    prepare: ({ org_domain }) =>
      client.organizations.update({ org_domain, allowed_email_domains: ['other.example'] }),
    outcomes: {
      ...open,
      saml: 'email_domain',
      oidc: 'email_domain',
      link: 'email_domain_not_allowed',
      request: 'email_domain_not_allowed',
      scim: '400',
      // A partner has no list.
      relay: 'partner_not_open',
    },
  },
  'the domain demands single sign-on': {
    prepare: async ({ org_domain, d, scene }) => {
      await client.domains.create({ org_domain, domain: d, sso_required: true })
      await client.ssoConnections.update({ idp_id: scene.connection.idp_id, email_domains: [d] })
    },
    // The domain is the other connection's.
    outcomes: { ...open, oidc: 'linking', link: 'sso_required', request: 'sso_required' },
  },
  'connections want users who are there': {
    prepare: ({ scene, second }) =>
      Promise.all(
        [scene, second].map(({ connection: { idp_id } }) =>
          client.ssoConnections.setUserPolicy({ idp_id, user_security_type: 'user_registered' }),
        ),
      ),
    outcomes: { ...open, saml: 'user_policy', oidc: 'user_policy' },
  },
  'connections have one seat, which is taken': {
    prepare: async ({ scene, second, org_domain }) => {
      await service.given.user({ org_domain })
      for (const { connection } of [scene, second])
        await client.ssoConnections.update({ idp_id: connection.idp_id, seats_limit: 1 })
    },
    outcomes: { ...open, saml: 'seats', oidc: 'seats' },
  },
  'the policy has one seat, which is taken': {
    prepare: async ({ org_domain }) => {
      await service.given.user({ org_domain })
      await client.organizationPolicy.update({ org_domain, seats_limit: 1 })
    },
    outcomes: {
      ...{ api: 'seats_exhausted', request: 'seats_exhausted', import: 'refused', scim: '403' },
      ...{ saml: 'seats', oidc: 'seats', link: 'seats_exhausted', relay: '403' },
    },
  },
  'the policy has a seat for each': {
    prepare: ({ org_domain }) => client.organizationPolicy.update({ org_domain, seats_limit: names.length }),
    outcomes: open,
  },
  'links make no users': {
    prepare: ({ org_domain }) =>
      client.magicLink.updateConnection({ org_domain, find_or_create_user: false }),
    outcomes: { ...open, link: 'user_not_found' },
  },
}

describe.each(Object.entries(rules))('where %s', (_name, { prepare, outcomes }) => {
  test('each door admits a newcomer or says why not', async () => {
    const doors = await givenDoors()
    await prepare(doors)
    const { cursor } = await client.events.list({ after: 'latest' })
    for (const name of names) {
      const email = `${name}@${doors.d}`
      expect([name, await doors.by[name](email)]).toEqual([name, outcomes[name]])
      expect([name, await doors.isThere(email)]).toEqual([name, outcomes[name] === 'in'])
    }
    const { data } = await client.events.list({ after: cursor, limit: 1000 })
    const told = data
      .filter((event) => event.code === 'user.user.create.success' && event.__domain__ === doors.org_domain)
      .map((event) => event.params['via'])
    expect(told).toEqual(names.filter((name) => outcomes[name] === 'in').map((name) => viaOf[name]))
  }, 60_000)
})

const viaOf: Record<DoorName, string> = {
  ...{ api: 'api', request: 'api', import: 'import', scim: 'directory' },
  ...{ saml: 'sso', oidc: 'sso', link: 'link', relay: 'relay' },
}

/** How many of newcomers at connections of both protocols come in at once, where there are 5 seats. */
async function admittedOf(each: number): Promise<[landed: number, users: number]> {
  const { d, scene, second, org_domain } = await givenDoors()
  for (const { connection } of [scene, second])
    await client.ssoConnections.update({ idp_id: connection.idp_id, seats_limit: 5 })
  const enters: (() => Promise<Parameters<typeof isIn>[0]>)[] = []
  for (let index = 0; index < each; index += 1) {
    const { visitor, requestId } = await saml.atIdentityProvider(scene)
    const nameId = `saml-${index}@${d}`
    const hop = await saml.post(scene, scene.idp.respond({ ...scene.connection, requestId }, { nameId }))
    const email = `oidc-${index}@${d}`
    const other = await oidc.atProvider(second)
    const address = second.idp.approve(other.address, { sub: email, email, email_verified: true })
    enters.push(
      () => visitor.visit(leadOf(hop)),
      () => other.visitor.visit(address),
    )
  }
  const landed = await Promise.all(enters.map((enter) => enter()))
  return [landed.filter(isIn).length, (await client.users.list({ org_domain })).total]
}

test('of many at once by connections of both protocols, as many come in as there are seats', async () => {
  expect(await admittedOf(10)).toEqual([5, 5])
}, 120_000)

/** How many of newcomers by doors of all kinds come in at once, where the policy has 5 seats. */
async function admittedByPolicy(each: number): Promise<[inside: number, users: number]> {
  const { d, org_domain, by } = await givenDoors()
  await client.organizationPolicy.update({ org_domain, seats_limit: 5 })
  const atOnce = names.filter((name) => name !== 'import')
  const outcomes = await Promise.all([
    by.import(`import@${d}`).then((outcome) => outcome),
    ...Array.from({ length: each }, (_, index) =>
      atOnce.map((name) => by[name](`${name}-${String(index)}@${d}`)),
    ).flat(),
  ])
  return [
    outcomes.filter((outcome) => outcome === 'in').length,
    (await client.users.list({ org_domain })).total,
  ]
}

test('of many at once by doors of all kinds, as many come in as the policy has seats', async () => {
  expect(await admittedByPolicy(2)).toEqual([5, 5])
}, 120_000)

longTest(
  'of 200 at once by doors of all kinds, as many come in as the policy has seats',
  async () => {
    expect(await admittedByPolicy(29)).toEqual([5, 5])
  },
  300_000,
)

test('an address that is there needs no seat: a directory takes the user over, an import leaves them', async () => {
  const { d, org_domain, by } = await givenDoors()
  await client.directorySync.update({ org_domain, takes_over_users: true })
  const email = `ada@${d}`
  await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
  expect(await by.link(email)).toBe('in')
  await client.organizationPolicy.update({ org_domain, seats_limit: 1 })

  expect(await by.scim(email)).toBe('in')
  expect(await by.import(email)).toBe('refused')
  expect(await by.api(email)).toBe('seats_exhausted')
  expect((await client.users.list({ org_domain })).total).toBe(1)
})

longTest(
  'of 200 at once by connections of both protocols, as many come in as there are seats',
  async () => {
    expect(await admittedOf(100)).toEqual([5, 5])
  },
  300_000,
)
