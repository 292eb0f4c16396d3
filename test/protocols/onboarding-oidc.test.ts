import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { onboardingGivenOf, uploadIdOf, type OnboardingScene } from '../given/onboarding-given.js'
import { startOpenIdProvider, type TestOpenIdProvider } from '../given/openid-provider.js'
import { createVisitor, csrfOf, type Visitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = onboardingGivenOf(service, client)

const ada = { sub: 'ada-1', email: 'ada@corp.example', email_verified: true, given_name: 'Ada' }

interface Entered extends OnboardingScene {
  readonly visitor: Visitor
  readonly idp: TestOpenIdProvider
}

/** An administrator on the page with the form of the OpenID Connect client. */
async function atClient(provider_type = 'custom_oidc'): Promise<Entered> {
  const scene = await given.invited()
  const { visitor } = await given.inTutorial(scene, provider_type)
  return { ...scene, visitor, idp: await startOpenIdProvider(service.clock) }
}

function pathOf({ connection: { idp_id } }: Pick<OnboardingScene, 'connection'>, page: string): string {
  return `/onboarding/${idp_id}/${page}`
}

/** Enters a client in the form. */
async function enter(of: Entered, changes: Record<string, string> = {}) {
  const form = await of.visitor.visit(pathOf(of, 'client'))
  return of.visitor.press(form, 'read', {
    issuer: of.idp.issuer,
    client_id: of.idp.client.id,
    client_secret: of.idp.client.secret,
    ...changes,
  })
}

async function confirm(of: Entered) {
  const review = await of.visitor.visit(pathOf(of, 'review'))
  return of.visitor.press(review, 'confirm', { upload_id: uploadIdOf(review) })
}

async function entered(of: Entered): Promise<Entered> {
  await enter(of)
  await confirm(of)
  return of
}

describe('an administrator whose provider speaks OpenID Connect', () => {
  test('enters a client, looks at what its provider says of itself, and has it in use', async () => {
    const of = await atClient()
    const review = await enter(of)
    expect(review.url).toContain('/review')
    expect(review.html).toContain(of.idp.issuer)
    expect(review.html).toContain(`${of.idp.issuer}/authorize`)
    expect((await given.onboardingOf(of)).oidc_clients).toEqual([])

    const test = await confirm(of)
    expect(test.url).toContain('/test')
    expect(await given.onboardingOf(of)).toMatchObject({
      protocol: 'oidc',
      provider_type: 'custom_oidc',
      state: 'configured',
      issuer: of.idp.issuer,
      oidc_clients: [{ version: 1, current: true, uploaded_by: 'sso_admin' }],
      onboarding: { state: 'xml_provided' },
    })
    const { data } = await client.logEvents.list({ org_domain: of.org_domain })
    expect(JSON.stringify(data)).toContain('ADMIN_ONBOARDING_XML_PROVIDED')
    expect((await given.mailsTo(of.email)).join()).toContain('entered the client of an OpenID provider')
  })

  test('finds the secret on no page, neither while it waits nor later', async () => {
    const of = await atClient()
    const pages = [
      await enter(of, { issuer: `${of.idp.issuer}/other` }),
      await enter(of),
      await of.visitor.visit(pathOf(of, 'client')),
      await confirm(of),
      await of.visitor.visit(pathOf(of, 'client')),
      await of.visitor.visit(pathOf(of, 'done')),
    ]
    for (const { html } of pages) expect(html).not.toContain(of.idp.client.secret.slice(0, 12))
    expect(pages[0]?.status).toBe(422)
    expect(pages[0]?.html).toContain(of.idp.client.id)
  })

  test('tests what was entered as a dry run, and reads who would sign in', async () => {
    const of = await entered(await atClient())
    const { location } = await of.visitor.request(pathOf(of, 'test/start'))
    const result = await of.visitor.visit(of.idp.approve(location ?? '', ada))
    expect(result.url).toContain(pathOf(of, 'test/'))
    expect(result.html).toContain('The test has passed')
    expect(result.html).toContain('ada@corp.example')
    expect(result.html).toContain('Subject (sub)')
    expect((await client.users.list({ org_domain: of.org_domain })).total).toBe(0)
    expect((await given.onboardingOf(of)).state).toBe('tested')
    const done = await of.visitor.visit(pathOf(of, 'done'))
    expect(done.html).toContain('Before your client secret expires')
  })

  test('is shown the check that failed', async () => {
    const of = await entered(await atClient())
    const { location } = await of.visitor.request(pathOf(of, 'test/start'))
    const result = await of.visitor.visit(
      of.idp.approve(location ?? '', ada, { claims: { aud: 'another client' } }),
    )
    expect(result.html).toContain('The test has failed')
    expect(result.html).toContain('oidc_id_token')
  })

  test('has a later client wait for the operator, and tested meanwhile', async () => {
    const of = await entered(await atClient())
    const other = await startOpenIdProvider(service.clock)
    const review = await enter({ ...of, idp: other })
    expect(review.html).toContain('until the people who invited you activate it')
    await confirm(of)
    expect(await given.onboardingOf(of)).toMatchObject({
      issuer: of.idp.issuer,
      oidc_clients: [
        { version: 2, current: false },
        { version: 1, current: true },
      ],
    })
    const { location } = await of.visitor.request(pathOf(of, 'test/start'))
    expect(location).toContain(other.issuer)
    await of.visitor.visit(other.approve(location ?? '', ada))
    expect((await of.visitor.visit(pathOf(of, 'done'))).html).toContain('activate the client')

    const { idp_id } = of.connection
    await client.ssoConnections.useOidcClient({ idp_id, version: 2 })
    expect((await given.onboardingOf(of)).issuer).toBe(other.issuer)
  })

  test.each([
    ['', 'Enter the issuer.'],
    ['ftp://id.example', 'This is not a valid issuer.'],
    ['http://10.0.0.1', 'This is not a valid issuer.'],
  ])('is told what is wrong with the issuer %j', async (issuer, sentence) => {
    const page = await enter(await atClient(), { issuer })
    expect(page.status).toBe(422)
    expect(page.html).toContain(sentence)
  })

  test('is told what the provider calls itself, and may paste the address of its description', async () => {
    const of = await atClient()
    const wrong = await enter(of, { issuer: `${of.idp.issuer}/` })
    expect(wrong.html).toContain('Your provider reports a different issuer')
    expect(wrong.html).toContain(`which has ${of.idp.issuer}`)
    const right = await enter(of, { issuer: `${of.idp.issuer}/.well-known/openid-configuration` })
    expect(right.url).toContain('/review')
  })

  test('cannot enter an issuer that stands for all tenants of Entra', async () => {
    const of = await atClient('entra_id')
    const choice = await of.visitor.visit(pathOf(of, 'protocol'))
    await of.visitor.press(choice, 'choose', { protocol: 'oidc' })
    const page = await enter(of, { issuer: 'https://login.microsoftonline.com/common/v2.0' })
    expect(page.html).toContain('is shared by all tenants')
    expect(of.idp.asked).toEqual([])
  })

  test('has 30 issuers an hour', async () => {
    const of = await atClient()
    for (let count = 0; count < 30; count++)
      expect((await enter(of, { issuer: `${of.idp.issuer}/x` })).status).toBe(422)
    expect((await enter(of)).status).toBe(429)
  })

  test('stores a client once, however often its form is sent', async () => {
    const of = await atClient()
    const review = await enter(of)
    const upload_id = uploadIdOf(review)
    const sent = Array.from({ length: 5 }, () => of.visitor.send(review, 'confirm', { upload_id }))
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    expect((await given.onboardingOf(of)).oidc_clients).toHaveLength(1)
  })

  test('cannot do any of it from another browser', async () => {
    const of = await atClient()
    const page = await of.visitor.visit(pathOf(of, 'client'))
    const stranger = createVisitor(service.baseUrl)
    const body = new URLSearchParams({ csrf: csrfOf(page.html), action: 'read', issuer: of.idp.issuer })
    const answer = await stranger.request(pathOf(of, 'client'), {
      method: 'POST',
      headers: { origin: service.baseUrl },
      body,
    })
    expect(answer.status).toBe(401)
    expect(of.idp.asked).toEqual([])
  })
})

describe('the choice of the protocol', () => {
  test('is asked of Entra and Google alone, and decides the steps', async () => {
    const scene = await given.invited()
    const { visitor, page } = await given.inTutorial(scene, 'google_workspace')
    expect(page.url).toContain('/protocol')
    const saml = await visitor.press(page, 'choose', { protocol: 'saml' })
    expect(saml.html).toContain('Create the custom SAML app')
    const oidc = await visitor.press(await visitor.visit(pathOf(scene, 'protocol')), 'choose', {
      protocol: 'oidc',
    })
    expect(oidc.html).toContain('Prepare a project')
    expect(await given.onboardingOf(scene)).toMatchObject({
      protocol: 'oidc',
      provider_type: 'google_workspace',
      onboarding: { state: 'provider_type_chosen', tutorial_step: 0 },
    })
    const okta = await visitor.press(await visitor.visit(pathOf(scene, 'provider')), 'choose', {
      provider_type: 'okta',
    })
    expect(okta.url).toContain('/tutorial')
    expect((await given.onboardingOf(scene)).protocol).toBe('saml')
  })

  test('stands once there is a client', async () => {
    const of = await atClient('entra_id')
    await of.visitor.press(await of.visitor.visit(pathOf(of, 'protocol')), 'choose', { protocol: 'oidc' })
    await entered(of)
    const page = await of.visitor.visit(pathOf(of, 'protocol'))
    expect(page.html).toContain('can no longer be changed here')
    await of.visitor.send(page, 'choose', { protocol: 'saml' })
    expect((await given.onboardingOf(of)).protocol).toBe('oidc')

    // Also after a reset, because users are identified by the issuer.
    await client.ssoConnections.resetOnboarding({ idp_id: of.connection.idp_id })
    const { visitor } = await given.arrived(of)
    const provider = await visitor.visit(pathOf(of, 'provider'))
    expect(provider.html).not.toContain('value="okta"')
    expect(provider.html).toContain('value="entra_id"')
  })
})
