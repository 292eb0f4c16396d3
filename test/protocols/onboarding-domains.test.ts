import type { Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { startNameServer } from '../given/name-server.js'
import { onboardingGivenOf } from '../given/onboarding-given.js'
import { callback, goodPassword, passwordGivenOf } from '../api/password-given.js'
import { createVisitor, withoutReference, type Seen } from '../given/visitor.js'

const dns = await startNameServer()
const service = await startService({ variables: { DNS_SERVERS: dns.address } })
let client: Client
let given: ReturnType<typeof onboardingGivenOf>
let passwords: ReturnType<typeof passwordGivenOf>
beforeAll(async () => {
  client = await service.client()
  given = onboardingGivenOf(service, client)
  passwords = passwordGivenOf(service, client)
})

const path = '/onboarding/email-domains/sandbox'
const day = 24 * 60 * 60

/** A name in a zone that the name server of the test has. */
function anyDomain(): string {
  return `${anything()}.corp.dev`
}

/** An administrator of an organization with some connections, on the page of its domains. */
async function onPage(connections = 1) {
  const scene = await given.invitedToAll(connections)
  const { visitor, page: list } = await given.arrived(scene)
  const [{ idp_id } = { idp_id: '' }, { idp_id: secondId } = { idp_id: '' }] = scene.connections
  const { org_domain } = scene
  const page = () => visitor.visit(path)
  const send = async (action: string, fields: Record<string, string> = {}) =>
    visitor.send(await page(), action, fields)
  const domainOf = async (name: string) => {
    const { data } = await client.domains.list({ org_domain, domain: name })
    const [domain] = data
    if (domain === undefined) throw new Error(`the organization has no domain ${name}`)
    return domain
  }
  const added = async (name: string) => {
    expect(await send('add', { domain: name })).toMatchObject({ status: 303 })
    return domainOf(name)
  }
  return {
    ...{ org_domain, visitor, list, idp_id, secondId, page, send, added, domainOf },
    proved: async (name = `${anything()}.example`) => added(name),
    use: (domain_id: string, of = idp_id) => send('use', { domain_id, idp_id: of }),
    connection: () => client.ssoConnections.get({ idp_id }),
  }
}

test('an administrator adds a domain, finds its record, and proves it', async () => {
  const of = await onPage()
  expect(of.list.html).toContain(path)
  expect((await of.page()).html).toContain('No domain yet')
  const name = anyDomain()
  const domain = await of.added(name)
  expect(domain).toMatchObject({ state: 'pending', declared: false })
  const { html } = await of.page()
  for (const told of [name, 'Waiting for the record', domain.record.name, domain.record.value])
    expect(html).toContain(told)

  expect((await of.send('check', { domain_id: domain.id })).status).toBe(303)
  expect((await of.page()).html).toContain('There is no record of this name yet')
  dns.behaviors.set(domain.record.name, [domain.record.value])
  const soon = await of.send('check', { domain_id: domain.id })
  expect(soon.status).toBe(429)
  expect(Number(soon.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(soon.html).toContain('It was checked just now.')
  await service.clock.advance(30)
  expect((await of.send('check', { domain_id: domain.id })).status).toBe(303)
  expect(await of.domainOf(name)).toMatchObject({ state: 'verified' })
  expect((await of.page()).html).toContain('The domain is proved.')
  const french = await of.visitor.visit(`${path}?ui_locales=fr`)
  expect(french.html).toContain('Le domaine est prouvé.')

  const { data } = await client.events.list({ limit: 1000 })
  const events = data.filter(
    (event) => event.__domain__ === of.org_domain && event.code.startsWith('domain.'),
  )
  expect(events.map(({ code }) => code).toSorted()).toEqual([
    'domain.domain.create.success',
    'domain.domain.update.success',
    'domain.domain.update.success',
    'domain.domain.verify.success',
  ])
  for (const event of events) expect(event.actor.type).toBe('admin')
})

test('a domain that nobody can own is refused in plain words, and stays in the field', async () => {
  const of = await onPage()
  await of.proved('mine.example')
  const refused = [
    ['', 'Enter a domain.'],
    ['gmail.com', 'Anybody can get an address at this mail provider'],
    ['co.uk', 'Anybody can have a domain below this one'],
    ['ada@corp.dev', 'Enter only the domain'],
    ['corp', 'The domain needs a dot'],
    ['corp.internal', 'No public DNS has this domain'],
    ['-.dev', 'This is not a domain.'],
    ['MINE.example', 'You have this domain already'],
  ] as const
  for (const [domain, sentence] of refused) {
    const page = await of.send('add', { domain })
    expect([domain, page.status, page.html.includes(sentence)]).toEqual([domain, 422, true])
    if (domain !== '') expect(page.html).toContain(`value="${domain}"`)
  }
})

test('a domain that expired gets another record', async () => {
  const of = await onPage()
  const name = anyDomain()
  const before = await of.added(name)
  await service.clock.advance(31 * day)
  await service.runJobs()
  const later = await given.arrived(await reinvited(of.org_domain))
  const page = await later.visitor.visit(path)
  expect(page.html).toContain('its value is void')
  expect(page.html).not.toContain(before.record.value)
  const renewed = await later.visitor.press(page, 'add')
  const { state, record } = await of.domainOf(name)
  expect(state).toBe('pending')
  expect(record.value).not.toBe(before.record.value)
  expect(renewed.html).toContain(record.value)
})

/** Another invitation to an organization. */
async function reinvited(org_domain: string) {
  const email = `it-${anything()}@corp.example`
  await client.admins.invite({ org_domain, email })
  return { email, link: await given.linkTo(email) }
}

describe('a domain is used for a connection', () => {
  test('when it is verified, or when the account has declared it', async () => {
    const of = await onPage()
    const verified = await of.proved()
    const declared = await client.domains.create({
      org_domain: of.org_domain,
      domain: anyDomain(),
      declared: true,
    })
    expect((await of.page()).html).toContain(`Use it for ${of.idp_id}`)
    expect((await of.use(verified.id)).status).toBe(303)
    expect((await of.use(declared.id)).status).toBe(303)
    const { email_domains, other_domains } = await of.connection()
    expect(email_domains).toEqual([verified.domain, declared.domain])
    expect(other_domains).toBeNull()
    const { html } = await of.page()
    expect(html).toContain(`Used by ${of.idp_id}`)
    expect(html).not.toContain('Use it for')
    const { data } = await client.events.list({ limit: 1000 })
    const changes = data.filter(
      ({ code, actor, __domain__ }) =>
        code === 'sso.connection.update.success' && actor.type === 'admin' && __domain__ === of.org_domain,
    )
    expect(
      changes.filter(({ data: record }) => JSON.stringify(record).includes(verified.domain)),
    ).toHaveLength(2)
  })

  test('not while it waits for its proof, or has lapsed: another company’s domain is nobody’s gain', async () => {
    const of = await onPage()
    const pending = await of.added(anyDomain())
    const lapsed = await of.added(anyDomain())
    await service.query(`update domains set state = 'lapsed' where id = $1`, [lapsed.id])
    await of.proved()
    const { html } = await of.page()
    for (const { id } of [pending, lapsed])
      expect(html).not.toMatch(new RegExp(`value="use"[^]*?value="${id}"[^]*?name="idp_id"`))
    for (const { id } of [pending, lapsed]) {
      const refused = await of.use(id)
      expect(refused.status).toBe(409)
      expect(refused.html).toContain('Nothing was changed')
    }
    expect(await of.connection()).toMatchObject({ email_domains: [] })
  })

  test('of the organization, and not of another one, whose connections are not there either', async () => {
    const of = await onPage()
    const mine = await of.proved()
    const other = await onPage()
    const theirs = await other.proved()
    expect((await of.use(theirs.id)).status).toBe(409)
    expect((await of.use(mine.id, other.idp_id)).status).toBe(409)
    expect(await of.connection()).toMatchObject({ email_domains: [] })
    expect(await other.connection()).toMatchObject({ email_domains: [] })
    expect((await of.send('check', { domain_id: theirs.id })).status).toBe(409)
    expect((await of.page()).html).not.toContain(theirs.domain)
  })

  test('once, of many forms at once, and by one connection', async () => {
    const of = await onPage(2)
    const { id, domain } = await of.proved()
    const page = await of.page()
    const sent = [of.idp_id, of.secondId, of.idp_id, of.secondId].map((idp_id) =>
      of.visitor.send(page, 'use', { domain_id: id, idp_id }),
    )
    const answers = await Promise.all(sent)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409, 409, 409])
    const names = await Promise.all(
      [of.idp_id, of.secondId].map(
        async (idp_id) => (await client.ssoConnections.get({ idp_id })).email_domains,
      ),
    )
    expect(names.flat()).toEqual([domain])
    expect((await of.use(id, of.secondId)).status).toBe(409)
  })

  test('beside those of the organization’s list, for which the connection was good before', async () => {
    const of = await onPage()
    const listed = `${anything()}.example`
    await client.organizations.update({
      org_domain: of.org_domain,
      allowed_email_domains: [listed, 'gmail.com'],
    })
    const { id, domain } = await of.proved()
    expect((await of.use(id)).status).toBe(303)
    expect((await of.connection()).email_domains).toEqual([listed, domain])
  })

  test('and ends the sessions that no identity provider has opened, where it demands single sign-on', async () => {
    const of = await onPage()
    const { org_domain } = of
    const { id: domain_id, domain } = await of.proved()
    await client.domains.update({ org_domain, domain_id, sso_required: true })
    await client.password.createConnection({ org_domain })
    const user = await service.given.user({ org_domain, email: `ada@${domain}` })
    const challenge = { org_domain, user_email: user.email, plain_text: goodPassword }
    const application = await service.given.application({
      org_domain,
      organization_domain_scope: org_domain,
      allowed_redirect_urls: [callback],
    })
    await passwords.set({ org_domain, user, application })
    expect(await client.password.createChallenge(challenge)).toMatchObject({ 'valid?': true })
    const open = async () => (await client.sessions.list({ org_domain, user_id: user.id })).data.length
    expect(await open()).toBeGreaterThan(0)
    expect((await of.use(domain_id)).status).toBe(303)
    expect(await open()).toBe(0)
    await expect(client.password.createChallenge(challenge)).rejects.toMatchObject({ code: 'sso_required' })
  })
})

test('no administrator declares a domain, or decides over the others', async () => {
  const of = await onPage()
  const name = anyDomain()
  const rich = {
    declared: 'true',
    other_domains: 'any_address',
    sso_required: 'true',
    include_subdomains: 'true',
  }
  await of.send('add', { domain: name, ...rich })
  const domain = await of.domainOf(name)
  expect(domain).toMatchObject({
    state: 'pending',
    declared: false,
    sso_required: false,
    include_subdomains: false,
  })
  const proved = await of.proved()
  const page = await of.page()
  await of.visitor.send(page, 'use', { domain_id: proved.id, idp_id: of.idp_id, ...rich })
  expect(await of.connection()).toMatchObject({ other_domains: null, email_domains: [proved.domain] })
})

describe('the page of the domains', () => {
  test('is led to from the end of a connection', async () => {
    const of = await onPage()
    await of.visitor.press(await of.visitor.visit(`/onboarding/${of.idp_id}`), 'choose', {
      provider_type: 'test',
    })
    expect((await of.visitor.visit(`/onboarding/${of.idp_id}/done`)).html).toContain(path)
  })

  test('is not there for whoever is invited to one connection, as one that is not there at all', async () => {
    const scene = await given.invited({ provider_type: 'test' })
    const { visitor } = await given.arrived(scene)
    const said = ({ status, html }: Seen) => ({ status, html: withoutReference(html) })
    const page = await visitor.visit(path)
    expect(page.status).toBe(404)
    expect(said(page)).toEqual(said(await visitor.visit('/onboarding/email-domains/nowhere')))
    const done = await visitor.visit(`/onboarding/${scene.connection.idp_id}/done`)
    expect(done.html).not.toContain(path)
    const form = { ...done, html: done.html.replaceAll(/ action="[^"]*"/g, ` action="${path}"`) }
    expect(said(await visitor.send(form, 'add', { domain: anyDomain() }))).toEqual(said(page))
    const { data } = await client.domains.list({ org_domain: scene.org_domain })
    expect(data).toEqual([])
  })

  test('is neither there without an invitation nor in production for the sandbox', async () => {
    expect((await createVisitor(service.baseUrl).visit(path)).status).toBe(401)
    const of = await onPage()
    expect((await of.visitor.visit('/onboarding/email-domains/production')).status).toBe(404)
    expect(of.list.html).not.toContain('email-domains/production')
  })

  test('does nothing for a form that another site has sent, and signs out', async () => {
    const of = await onPage()
    const page = await of.page()
    const fields = { domain: anyDomain() }
    const sent = await of.visitor.send(page, 'add', fields, { origin: 'https://evil.example' })
    expect(sent.status).toBe(403)
    const { data } = await client.domains.list({ org_domain: of.org_domain })
    expect(data).toEqual([])
    expect((await of.visitor.send(page, 'leave')).status).toBe(200)
    expect((await of.page()).status).toBe(401)
  })
})
