import type { Client, SsoConnection } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { answerOf, callback, flowGivenOf } from '../given/flow-given.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { leadOf } from '../given/saml-given.js'
import { idpMetadata } from '../given/sso-given.js'
import { chooseAtTestIdp } from '../given/test-idp-given.js'
import { createVisitor, pkcePair } from '../given/visitor.js'
import { exchangeLanded } from './code-given.js'

const service = await startService()
const client = await service.client()

type NewConnection = Partial<Parameters<Client['ssoConnections']['create']>[0]>

/** An organization whose users sign in with the built-in identity provider, with one application. */
async function givenScene(settings: NewConnection = {}) {
  const { id: organization_id, domain: org_domain } = await service.given.organization()
  const application = await service.given.application({
    org_domain,
    organization_domain_scope: org_domain,
    allowed_redirect_urls: [callback],
  })
  const connection = await client.ssoConnections.create({
    organization_id,
    application_id: application.id,
    provider_type: 'test',
    ...settings,
  })
  return { org_domain, organization_id, application, connection }
}
type Scene = Awaited<ReturnType<typeof givenScene>>

/** A browser that was redirected to the built-in identity provider. */
async function atTestIdp(scene: Scene, members: Record<string, string> = {}) {
  const visitor = createVisitor(service.baseUrl)
  const url = flowGivenOf(service, client).authorizeUrl(scene, {
    idp_hint: scene.connection.idp_id,
    ...members,
  })
  const page = await visitor.visit(leadOf(await visitor.visit(url)))
  return { visitor, page }
}

async function newestTrace({ idp_id }: Pick<SsoConnection, 'idp_id'>) {
  const { data } = await client.ssoConnections.listLoginTraces({ idp_id })
  return data[0]
}

describe('a connection of the provider type test', () => {
  test('is configured by itself: created so, changed to it, and chosen for its onboarding', async () => {
    const created = (await givenScene()).connection
    const { idp_id } = (await givenScene({ provider_type: 'okta' })).connection
    const changed = await client.ssoConnections.update({ idp_id, provider_type: 'test' })
    const { idp_id: begun } = (await givenScene({ provider_type: 'okta' })).connection
    const onboarding = await client.ssoConnections.createOnboarding({
      idp_id: begun,
      sso_admin_email: anyEmail(),
      provider_type: 'test',
    })

    expect(onboarding).toMatchObject({ provider_type: 'test', state: 'xml_provided' })
    for (const connection of [created, changed, await client.ssoConnections.get({ idp_id: begun })])
      expect(connection).toMatchObject({
        provider_type: 'test',
        state: 'configured',
        metadata: [
          {
            current: true,
            entity_id: `${service.baseUrl}/test-idp/${connection.idp_id}/metadata`,
            sso_url: `${service.baseUrl}/test-idp/${connection.idp_id}/sso`,
            uploaded_by: 'service',
            warnings: [],
          },
        ],
      })
    // Choosing the same type again changes nothing.
    const again = await client.ssoConnections.update({ idp_id, provider_type: 'test' })
    expect(again.metadata).toEqual(changed.metadata)
  })

  test('422: takes no other metadata', async () => {
    const { idp_id } = (await givenScene()).connection
    await expect(client.ssoConnections.update({ idp_id, metadata: idpMetadata() })).rejects.toMatchObject({
      status: 422,
      fields: [{ path: 'metadata', code: 'not_allowed' }],
    })
  })

  test('is believed no more when another type is chosen, or its onboarding begins anew', async () => {
    const { idp_id } = (await givenScene()).connection
    const other = await client.ssoConnections.update({ idp_id, provider_type: 'okta' })
    expect(other.metadata).toMatchObject([{ version: 1, current: false }])
    const back = await client.ssoConnections.update({ idp_id, provider_type: 'test' })
    expect(back.metadata).toMatchObject([{ version: 2, current: true }, { current: false }])
    const keys = () =>
      service.query(
        `select from sso_keys as key join sso_connections as connection on connection.id = key.connection_id
         where connection.idp_id = $1 and key.purpose = 'test_identity_provider'`,
        [idp_id],
      )
    // Each change of the type deletes the previous key.
    expect(await keys()).toHaveLength(1)

    await client.ssoConnections.createOnboarding({ idp_id, sso_admin_email: anyEmail() })
    await client.ssoConnections.resetOnboarding({ idp_id })
    const { metadata } = await client.ssoConnections.get({ idp_id })
    expect(metadata.filter(({ current }) => current)).toEqual([])
    expect(await keys()).toHaveLength(0)
  })
})

describe('the state of a connection that the built-in identity provider has tested', () => {
  /** A tested connection with an onboarding. */
  async function tested() {
    const scene = await givenScene()
    const { idp_id } = scene.connection
    const { visitor, page } = await atTestIdp(scene, { code_challenge: pkcePair().challenge })
    await chooseAtTestIdp(visitor, page, { email: anyEmail(), fault: 'none' })
    await client.ssoConnections.createOnboarding({ idp_id, sso_admin_email: anyEmail() })
    expect((await client.ssoConnections.get({ idp_id })).state).toBe('tested')
    return idp_id
  }

  longTest('begins anew with its onboarding, and where another provider is chosen', async () => {
    const reset = await tested()
    await client.ssoConnections.resetOnboarding({ idp_id: reset })
    const changed = await tested()
    await client.ssoConnections.update({ idp_id: changed, provider_type: 'okta' })
    const chosen = await tested()
    await client.ssoConnections.updateOnboarding({ idp_id: chosen, provider_type: 'okta' })
    for (const idp_id of [reset, changed, chosen])
      expect((await client.ssoConnections.get({ idp_id })).state).toBe('it_admin_invitation_pending')

    // New metadata are not tested yet.
    await client.ssoConnections.update({ idp_id: changed, metadata: idpMetadata() })
    expect((await client.ssoConnections.get({ idp_id: changed })).state).toBe('configured')
  })

  test('is that of the metadata which have been brought back since', async () => {
    const { idp_id } = (await givenScene({ provider_type: 'okta' })).connection
    await client.ssoConnections.update({ idp_id, metadata: idpMetadata() })
    await client.ssoConnections.update({ idp_id, provider_type: 'test' })
    await client.ssoConnections.useMetadata({ idp_id, version: 1 })
    await client.ssoConnections.update({ idp_id, provider_type: 'okta' })
    expect(await client.ssoConnections.get({ idp_id })).toMatchObject({
      state: 'configured',
      metadata: [
        { version: 2, current: false },
        { version: 1, current: true },
      ],
    })
  })
})

describe('the built-in identity provider', () => {
  test('signs in an address that is typed, and one of those that it offers', async () => {
    const scene = await givenScene()
    const { verifier, challenge } = pkcePair()
    const email = anyEmail()
    const first = await atTestIdp(scene, { code_challenge: challenge })
    expect(first.page.html).toContain('Test identity provider')

    const landed = await chooseAtTestIdp(first.visitor, first.page, { email, fault: 'none' })
    const { body } = await exchangeLanded(service, landed, scene, verifier)
    expect(body).toMatchObject({ id_token: expect.any(String) })
    const user = await client.users.getByEmail({ org_domain: scene.org_domain, user_email: email })
    expect(user.identities).toMatchObject([{ provider: 'saml.test', data: { saml_nameid: email } }])
    expect(await client.ssoConnections.get({ idp_id: scene.connection.idp_id })).toMatchObject({
      state: 'tested',
    })

    const second = await atTestIdp(scene)
    const [, user_email = ''] = /name="user" value="([^"]+)"/.exec(second.page.html) ?? []
    const chosen = { user: user_email, email: '', fault: 'encrypted' }
    const again = await chooseAtTestIdp(second.visitor, second.page, chosen)
    expect(answerOf(again).get('code')).toMatch(/^[\w-]{43}$/)
    await client.users.getByEmail({ org_domain: scene.org_domain, user_email })
  })

  test('names no user of the organization, to whom a request has sent there neither', async () => {
    const scene = await givenScene()
    const email = `Somebody.${anything()}@people.example`
    await service.given.user({ org_domain: scene.org_domain, email })
    const { page } = await atTestIdp(scene)
    const local = email.split('@')[0]?.toLowerCase() ?? ''
    expect([page.status, page.html.toLowerCase()]).toEqual([200, expect.not.stringContaining(local)])
  })

  test.each([
    ['wrong_audience', 'audience'],
    ['expired', 'conditions'],
    ['unsigned', 'signature_form'],
    ['wrapped', 'response'],
  ] as const)('%s: is refused, and the trace names the check %s', async (fault, check) => {
    const scene = await givenScene()
    const { visitor, page } = await atTestIdp(scene)
    const landed = await chooseAtTestIdp(visitor, page, { email: anyEmail(), fault })
    expect([landed.status, landed.location]).toEqual([403, null])
    expect(await newestTrace(scene.connection)).toMatchObject({ outcome: 'failed', failed_check: check })
  })

  test('says of what it refuses nothing but a reference, in both languages, by which the trace is found', async () => {
    const scene = await givenScene()
    const { idp_id } = scene.connection
    const { visitor, page } = await atTestIdp(scene)
    await chooseAtTestIdp(visitor, page, { email: anyEmail(), fault: 'expired' })
    const again = await atTestIdp(scene)
    const refused = await chooseAtTestIdp(again.visitor, again.page, { email: anyEmail(), fault: 'unsigned' })
    expect(refused.html).toContain('Sandbox: for testing only')
    expect(refused.html).not.toContain('signature')
    const [, reference = ''] = /Reference: ([\w.-]+)/.exec(refused.html) ?? []

    const [, inFrench = ''] = /href="([^"]+)" lang="fr"/.exec(refused.html) ?? []
    const french = await again.visitor.request(inFrench.replaceAll('&amp;', '&'))
    expect([french.status, french.html]).toEqual([
      403,
      expect.stringContaining(`Référence\u00a0: ${reference}`),
    ])
    expect(french.html).toContain('Bac à sable')

    const { data } = await client.ssoConnections.listLoginTraces({ idp_id, request_id: reference })
    expect(data).toMatchObject([{ request_id: reference, failed_check: 'signature_form' }])
    for (const nothing of [{ request_id: anything() }, { request_id: '\0' }])
      expect((await client.ssoConnections.listLoginTraces({ idp_id, ...nothing })).data).toEqual([])
  })

  test('a reference that is none is not shown, nor a refusal of a connection that is not there', async () => {
    const { idp_id } = (await givenScene()).connection
    const ask = (path: string) => createVisitor(service.baseUrl).request(path)
    const invented = await ask(`/saml/${idp_id}/refused?reference=${encodeURIComponent('call <b>us</b>')}`)
    expect([invented.status, invented.html]).toEqual([403, expect.not.stringContaining('call')])
    expect((await ask('/saml/nobody/refused?reference=r')).status).toBe(404)
  })

  test('replayed: is refused the second time, and the trace says so', async () => {
    const scene = await givenScene()
    const email = anyEmail()
    const first = await atTestIdp(scene)
    const taken = await chooseAtTestIdp(first.visitor, first.page, { email, fault: 'replayed' })
    expect(answerOf(taken).get('code')).toMatch(/^[\w-]{43}$/)
    const second = await atTestIdp(scene)
    const refused = await chooseAtTestIdp(second.visitor, second.page, { email, fault: 'replayed' })
    expect(refused.status).toBe(403)
    expect(await newestTrace(scene.connection)).toMatchObject({ failed_check: 'replay' })
  })

  test('shows the page again for what is no address, and answers no form of another browser', async () => {
    const scene = await givenScene()
    const { visitor, page } = await atTestIdp(scene)
    const wrong = await chooseAtTestIdp(visitor, page, { email: 'nobody', fault: 'expired' })
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining('Enter a valid e-mail address')])
    expect(wrong.html).toMatch(/value="expired" selected/)

    const stranger = createVisitor(service.baseUrl)
    const stolen = await chooseAtTestIdp(stranger, page, { email: anyEmail() })
    expect(stolen.status).toBe(403)
    const foreign = await visitor.send(page, '', { email: anyEmail() }, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
  })

  test('begins sign-ins itself, too', async () => {
    const scene = await givenScene()
    const visitor = createVisitor(service.baseUrl)
    const portal = `/test-idp/${scene.connection.idp_id}/sso`
    const page = await visitor.request(portal)
    expect(page.status).toBe(200)

    const atIdpAgain = await chooseAtTestIdp(visitor, page, { email: anyEmail() })
    // Bounced: the service started a sign-in, which arrives here.
    expect(atIdpAgain.url).toContain(`${portal}?SAMLRequest=`)
    expect((await newestTrace(scene.connection))?.kind).toBe('idp_initiated')
  })

  test('404: a request that is none of ours, or is answered too late', async () => {
    const scene = await givenScene()
    const { page } = await atTestIdp(scene)
    const { idp_id } = (await givenScene()).connection
    const ask = (url: string) => createVisitor(service.baseUrl).request(url)
    const foreign = await ask(page.url.replace(scene.connection.idp_id, idp_id))
    const invented = await ask(`/test-idp/${idp_id}/sso?SAMLRequest=nonsense`)
    expect([foreign.status, invented.status]).toEqual([404, 404])
    expect((await ask(page.url)).status).toBe(200)
    await service.clock.advance(11 * 60)
    expect((await ask(page.url)).status).toBe(404)
  })

  test('404: never in production, and never for a connection of another type', async () => {
    const production = await service.client({ environment: 'production' })
    const { organization_id, connection } = await givenScene()
    const real = await production.ssoConnections.create({ organization_id })
    // No statement of the service does this; the constraint of the table refuses it as well.
    await expect(
      service.query(`update sso_connections set provider_type = 'test' where idp_id = $1`, [real.idp_id]),
    ).rejects.toThrow(/sso_connections_test_check/)
    await service.query('alter table sso_connections drop constraint sso_connections_test_check')
    await service.query(`update sso_connections set provider_type = 'test' where idp_id = $1`, [real.idp_id])
    const okta = (await givenScene({ provider_type: 'okta' })).connection
    const left = (await givenScene()).connection
    await (await service.client()).ssoConnections.update({ idp_id: left.idp_id, provider_type: 'okta' })

    const ask = async (idp_id: string, init: RequestInit = {}) =>
      (await createVisitor(service.baseUrl).request(`/test-idp/${idp_id}/sso`, init)).status
    expect(await ask(connection.idp_id)).toBe(200)
    for (const idp_id of [real.idp_id, okta.idp_id, left.idp_id, 'missing'])
      expect([await ask(idp_id), await ask(idp_id, { method: 'POST' })]).toEqual([404, 404])
  })
})
