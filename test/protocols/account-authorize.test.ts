import { openMagicLink } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { answerOf, callback, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { withoutReference } from '../given/visitor.js'
import { roundTrips } from '../given/counted.js'
import { samlGivenOf } from '../given/saml-given.js'
import { accountGivenOf } from './account-given.js'

const service = await startService()
const client = await service.client()
const given = accountGivenOf(service, client)
const { flows, issuer } = given
const saml = samlGivenOf(service, client)

/** Objects that refused requests do not change. */
let common: FlowScene
beforeAll(async () => {
  common = await given.scene()
  await client.passkeys.updateConnection({ org_domain: common.org_domain, active: false })
})

/** Where a browser is sent by a request. */
async function locationOf(
  scene: Pick<FlowScene, 'org_domain' | 'application'>,
  members: Record<string, string | undefined> = {},
  visitor = flows.visitorOf(),
) {
  return (await visitor.request(given.authorizeUrl(scene, members))).location
}

const pagesOf = ({ org_domain }: Pick<FlowScene, 'org_domain'>) =>
  expect.stringMatching(new RegExp(`^/t/${org_domain}/sign-in/[0-9a-f-]{36}$`))

const notUsable = {
  error: 'invalid_request',
  error_description: 'organization is not one that this application can use',
  state: 'state-1',
  iss: issuer,
}

describe('a request at the issuer of an account', () => {
  test('signs users of the organization in that it names, and answers with a code and the account as iss', async () => {
    const other = await given.scene(common.application)

    for (const scene of [common, other]) {
      expect(await locationOf(scene)).toEqual(pagesOf(scene))
      const { answer } = await given.signIn(scene)
      expect(Object.fromEntries(answer)).toEqual({
        code: expect.stringMatching(/^[\w-]{43}$/),
        state: 'state-1',
        iss: issuer,
      })
    }
  })

  test('gets a code at once for a session of the organization, whichever issuer it began at, in three round trips', async () => {
    const scene = await given.scene()
    const { visitor } = await flows.signIn(scene)
    await given.answerTo(scene, {}, visitor)

    const before = await roundTrips(service)
    const answer = await given.answerTo(scene, { prompt: 'none' }, visitor)
    const after = await roundTrips(service)
    const atOrganization = await visitor.request(flows.authorizeUrl(scene, { prompt: 'none' }))

    expect(answer).toMatchObject({ code: expect.any(String), iss: issuer })
    expect(after - before).toBe(3)
    expect(answerOf(atOrganization).get('iss')).toBe(`${service.baseUrl}/t/${scene.org_domain}`)
  })

  test('finds no session of one organization at another, and none of another browser', async () => {
    const other = await given.scene(common.application)
    const { visitor } = await given.signIn(common)

    expect(await given.answerTo(other, { prompt: 'none' }, visitor)).toMatchObject({
      error: 'login_required',
    })
    expect(await given.answerTo(common, { prompt: 'none' })).toMatchObject({ error: 'login_required' })
    expect(await given.answerTo(common, { prompt: 'none' }, visitor)).toHaveProperty('code')
  })

  test('goes on by GET after a form, and begins nothing for who only looks', async () => {
    const url = new URL(given.authorizeUrl(common))
    const form = await flows.visitorOf().request(`${issuer}/authorize`, {
      method: 'POST',
      headers: { cookie: '', origin: 'https://store.example' },
      body: url.searchParams,
    })
    const look = await flows.visitorOf().request(url.href, { method: 'HEAD' })

    expect(form.location).toBe(`${url.pathname}${url.search}`)
    expect([look.status, look.location]).toEqual([204, null])
  })

  test.each<[string, Record<string, string | undefined>, string]>([
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['a scope without openid', { scope: 'profile' }, 'invalid_scope'],
    ['prompt none without a session', { prompt: 'none' }, 'login_required'],
    ['another prompt', { prompt: 'select_user' }, 'invalid_request'],
    ['an id_token_hint that is none', { id_token_hint: 'x.y.z' }, 'invalid_request'],
    ['an organization that is too long', { organization: 'o'.repeat(201) }, 'invalid_request'],
    [
      'acr mfa where nobody can have it',
      { acr_values: 'urn:portico:acr:mfa' },
      'unmet_authentication_requirements',
    ],
    ['no organization and prompt none', { organization: undefined, prompt: 'none' }, 'login_required'],
    ['an empty organization and prompt none', { organization: '', prompt: 'none' }, 'login_required'],
  ])('tells the application, with the account as iss: %s', async (_, members, error) => {
    expect(await given.answerTo(common, members)).toEqual({
      error,
      error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
      state: 'state-1',
      iss: issuer,
    })
  })

  test('tells the application of an organization that comes twice', async () => {
    const url = `${given.authorizeUrl(common)}&organization=${common.org_domain}`

    const answer = answerOf(await flows.visitorOf().request(url))

    expect(answer.get('error_description')).toBe('organization must not come twice')
  })

  test('has one answer for organizations that are unknown, deleted, another account’s or closed to the application', async () => {
    const strangers = await service.client({ account: await service.createAccount() })
    const { domain: foreign } = await strangers.organizations.create({ name: 'Strangers' })
    const { domain: deleted } = await service.given.organization()
    await client.organizations.delete({ org_domain: deleted })
    const { org_domain: other } = await given.scene()
    const own = await service.given.application({
      org_domain: common.org_domain,
      organization_domain_scope: common.org_domain,
    })

    for (const organization of ['no-such-organization', foreign, deleted, 'No Slug', service.account.domain])
      expect(await given.answerTo(common, { organization })).toEqual(notUsable)
    expect(await given.answerTo({ org_domain: other, application: own })).toEqual(notUsable)
  })

  test('shows a page, and redirects nowhere, where the account or its application is not there', async () => {
    const account = await service.createAccount()
    const stranger = await service.client({ account })
    const { domain: strange } = await stranger.organizations.create({ name: 'Strangers' })
    const foreign = await service.given.application(
      { org_domain: strange, allowed_redirect_urls: [callback] },
      stranger,
    )
    const deleted = await service.given.application({
      org_domain: common.org_domain,
      allowed_redirect_urls: [callback],
    })
    await client.applications.delete({ org_domain: common.org_domain, client_id: deleted.client_id })
    const url = given.authorizeUrl(common)
    const wrong = [
      ...[undefined, 'store', foreign.client_id, deleted.client_id].map((client_id) =>
        given.authorizeUrl(common, { client_id }),
      ),
      url.replace(`/a/${service.account.domain}/`, '/a/no-such-account/'),
      url.replace(`/a/${service.account.domain}/`, `/a/${account.domain}/`),
      url.replace(`/a/${service.account.domain}/`, `/a/${common.org_domain}/`),
    ]

    const seen = await Promise.all(wrong.map((each) => flows.visitorOf().request(each)))

    expect(seen.map(({ status, location }) => [status, location])).toEqual(wrong.map(() => [400, null]))
    expect(new Set(seen.map(({ html }) => withoutReference(html))).size).toBe(1)
    const elsewhere = given.authorizeUrl(common, { redirect_uri: `${callback}/` })
    const unregistered = await flows.visitorOf().request(elsewhere)
    expect([unregistered.status, unregistered.location]).toEqual([400, null])
    const put = await flows.visitorOf().request(url, { method: 'PUT' })
    expect(put.status).toBe(405)
  })

  test('by an application of one organization is of that one, as if it were named', async () => {
    const { org_domain } = await given.scene()
    const application = await service.given.application({ org_domain, organization_domain_scope: org_domain })

    const location = await locationOf({ org_domain, application }, { organization: undefined })

    expect(location).toEqual(pagesOf({ org_domain }))
  })

  test('is told by a header of the sandbox which parameters have no effect, and organization is none of them', async () => {
    const url = `${given.authorizeUrl(common)}&audience=x`

    const seen = await flows.visitorOf().request(url)

    expect(seen.headers.get('portico-warning')).toBe('ignored parameters: audience')
  })

  test('has the account as iss after a refused consent, and in a form that is posted', async () => {
    const consent = await given.signIn(common, { prompt: 'consent' })
    const refused = await consent.visitor.press(consent.landed, 'refuse')
    const posted = await given.signIn(common, { response_mode: 'form_post' })
    const postedError = await flows
      .visitorOf()
      .request(given.authorizeUrl(common, { response_mode: 'form_post', scope: 'x' }))

    expect(Object.fromEntries(answerOf(refused))).toMatchObject({ error: 'access_denied', iss: issuer })
    for (const { html } of [posted.landed, postedError])
      expect(html).toContain(`name="iss" value="${issuer}"`)
  })
})

describe('id_token_hint', () => {
  test('of either issuer names organization and user, at either issuer', async () => {
    const scene = await given.scene()
    const { visitor, idToken: ofAccount } = await given.tokens(scene)
    const ofOrganization = await idTokenAtOrganization(scene)

    for (const id_token_hint of [ofAccount, ofOrganization]) {
      const members = { organization: undefined, id_token_hint, prompt: 'none' }
      expect(await given.answerTo(scene, members, visitor)).toMatchObject({
        iss: issuer,
        code: expect.any(String),
      })
      const atOrganization = await visitor.request(
        flows.authorizeUrl(scene, { id_token_hint, prompt: 'none' }),
      )
      expect(answerOf(atOrganization).has('code')).toBe(true)
    }
    expect(await locationOf(scene, { organization: undefined, id_token_hint: ofAccount })).toEqual(
      pagesOf(scene),
    )
  })

  test('of another organization than the one that is named or asked is refused', async () => {
    const other = await given.scene(common.application)
    const { visitor, idToken: id_token_hint } = await given.tokens(other)

    const atAccount = await given.answerTo(common, { id_token_hint }, visitor)
    const atOrganization = await visitor.request(flows.authorizeUrl(common, { id_token_hint }))

    expect(atAccount).toMatchObject({
      error: 'invalid_request',
      error_description: 'id_token_hint is of another organization than organization names',
    })
    expect(answerOf(atOrganization).get('error')).toBe('invalid_request')
  })

  test('of another user asks for a sign-in', async () => {
    const { idToken: id_token_hint, visitor } = await given.tokens(common)
    const user = await service.given.user({ org_domain: common.org_domain })
    await given.flows.passwords.set({ ...common, user })
    await given.signIn({ ...common, user }, { prompt: 'login' }, visitor)

    expect(await given.answerTo(common, { id_token_hint, prompt: 'none' }, visitor)).toMatchObject({
      error: 'login_required',
    })
  })

  async function idTokenAtOrganization(scene: FlowScene): Promise<string> {
    const { magic_link } = await client.magicLink.createChallenge({
      org_domain: scene.org_domain,
      user_email: scene.user.email,
      application_id: scene.application.client_id,
      send_email: false,
    })
    const { code } = await openMagicLink(magic_link ?? '')
    const tokens = await client.oauth.token({ grant_type: 'authorization_code', code })
    return 'id_token' in tokens ? tokens.id_token : ''
  }
})

describe('idp_hint', () => {
  test('names organization and connection, and what is no connection of the account names none', async () => {
    const { org_domain, connection } = await saml.scene()
    const { application } = common
    const inactive = await saml.scene()
    await client.ssoConnections.update({ idp_id: inactive.connection.idp_id, active: false })
    const hintedTo = (idp_hint: string) =>
      locationOf({ org_domain, application }, { organization: undefined, idp_hint })

    const location = await hintedTo(connection.idp_id)

    expect(location).toEqual(pagesOf({ org_domain }))
    const [flow] = await service.query<{ step: string; issuer: string }>(
      'select step, issuer from sign_in_flows where id = $1',
      [location?.split('/').at(-1)],
    )
    expect(flow).toEqual({ step: 'identity_provider', issuer: 'account' })
    for (const hint of ['password', 'nobody', inactive.connection.idp_id])
      expect(await hintedTo(hint)).toContain(`/a/${service.account.domain}/sign-in/`)
  })

  test('of another organization than the one that is named has no effect', async () => {
    const { connection } = await saml.scene()

    expect(await locationOf(common, { idp_hint: connection.idp_id })).toEqual(pagesOf(common))
  })
})

test('at the issuer of an organization, organization names nothing: it is ignored, and the sandbox says so', async () => {
  const url = flows.authorizeUrl(common, { organization: 'another' })

  const seen = await flows.visitorOf().request(`${url}&organization=again`)

  expect(seen.location).toEqual(pagesOf(common))
  expect(seen.headers.get('portico-warning')).toBe('ignored parameters: organization')
})
