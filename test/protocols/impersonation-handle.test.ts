import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { exchange } from './code-given.js'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { impersonationGivenOf, type ImpersonationScene } from './impersonation-given.js'

const service = await startService()
const client = await service.client()
const given = impersonationGivenOf(service, client)
const scene = await given.scene()
const atAccount = `/a/${service.account.domain}`

describe('the handle of an impersonation', () => {
  const refused = { error: 'access_denied' }

  test('is worth nothing in another browser, and stays good in its own', async () => {
    const { visitor, handle: impersonation } = await given.handle(scene)
    const thief = given.visitorOf()
    await thief.request((await given.create(scene)).url ?? '')

    expect(await given.answer(scene, { impersonation }, thief)).toMatchObject(refused)
    expect(await given.answer(scene, { impersonation }, given.visitorOf())).toMatchObject(refused)
    expect(await given.answer(scene, { impersonation }, visitor)).toHaveProperty('code')
  })

  test('works once, also of 50 requests at once', async () => {
    const at = await given.scene()
    const { visitor, handle: impersonation } = await given.handle(at)

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => given.answer(at, { impersonation }, visitor)),
    )

    expect(answers.filter(({ code }) => code !== undefined)).toHaveLength(1)
    expect(answers.filter(({ error }) => error === 'access_denied')).toHaveLength(49)
    expect(await given.answer(at, { impersonation }, visitor)).toMatchObject(refused)
    const { data } = await client.sessions.list({ org_domain: at.org_domain, user_id: at.user.id })
    expect(data).toHaveLength(1)
  })

  test('works for a minute', async () => {
    const { visitor, handle: impersonation } = await given.handle(scene)
    await service.clock.advance(60)
    expect(await given.answer(scene, { impersonation }, visitor)).toMatchObject(refused)
  })

  test.each([
    ['its organization', undefined],
    ['the account', atAccount],
  ])(
    'at the issuer of %s, is refused with acr_values that demand a second factor, and not spent',
    async (_name, path) => {
      const { visitor, handle: impersonation } = await given.handle(scene)
      const mfa = 'urn:portico:acr:mfa'
      const claims = (acr: object) => JSON.stringify({ id_token: { acr: { essential: true, ...acr } } })
      const demands: Record<string, string>[] = [
        { acr_values: mfa },
        { acr_values: 'phr' },
        { claims: claims({ value: mfa }) },
        { claims: claims({ value: 'x' }) },
      ]
      for (const demand of demands)
        expect(await given.answer(scene, { impersonation, ...demand }, visitor, path)).toMatchObject({
          error: 'unmet_authentication_requirements',
        })
      const either = { acr_values: `${mfa} urn:portico:acr:1fa` }
      expect(await given.answer(scene, { impersonation, ...either }, visitor, path)).toHaveProperty('code')
    },
  )

  test('gives no consent in the name of the user, and is not spent by a request that demands it', async () => {
    const { visitor, handle: impersonation } = await given.handle(scene)
    expect(await given.answer(scene, { impersonation, prompt: 'consent' }, visitor)).toMatchObject(refused)
    expect(await given.answer(scene, { impersonation, prompt: 'login' }, visitor)).toHaveProperty('code')
  })

  test('is worth nothing at another organization or application, in the other environment or another account', async () => {
    const { visitor, handle: impersonation } = await given.handle(scene)
    const { org_domain, application } = scene
    const other = await given.scene()
    const production = await givenOf(await service.client({ environment: 'production' })).application({
      ...{ org_domain, organization_domain_scope: org_domain },
      allowed_redirect_urls: application.allowed_redirect_urls,
      initiate_login_uri: application.initiate_login_uri,
    })
    const foreign = await service.createAccount()
    const theirs = await impersonationGivenOf(service, await service.client({ account: foreign })).scene()
    const places: readonly [
      Pick<ImpersonationScene, 'org_domain' | 'application'>,
      Record<string, string>,
      string?,
    ][] = [
      [{ org_domain: other.org_domain, application }, {}],
      [{ org_domain, application: other.application }, {}],
      [{ org_domain, application: production }, {}],
      [scene, { organization: other.org_domain }, atAccount],
      [other, {}, atAccount],
      [theirs, {}],
      [theirs, {}, `/a/${foreign.domain}`],
    ]

    for (const [place, members, path] of places)
      expect(await given.answer(place, { impersonation, ...members }, visitor, path)).toMatchObject(refused)
    expect(
      await given.answer(scene, { impersonation, organization: org_domain }, visitor, atAccount),
    ).toHaveProperty('code')
  })

  longTest('is worth nothing for a request that expects another user', async () => {
    const { visitor, handle: impersonation } = await given.handle(scene)
    const other = await given.scene()
    const hint = async (of: ImpersonationScene) => ({ id_token_hint: (await given.tokens(of)).idToken })
    const sub = (value: string) => ({ claims: JSON.stringify({ id_token: { sub: { value } } }) })
    const own = await hint(scene)
    for (const [expected, path] of [
      [sub(other.user.id)],
      [await hint(other), atAccount],
      [{ ...own, ...sub(other.user.id) }],
      [{ ...(await hint(other)), organization: scene.org_domain }, atAccount],
    ] as const)
      expect(await given.answer(scene, { impersonation, ...expected }, visitor, path)).toMatchObject(refused)
    expect(
      await given.answer(scene, { impersonation, ...own, ...sub(scene.user.id) }, visitor),
    ).toHaveProperty('code')
  })

  type Happens = (at: ImpersonationScene, ids: readonly string[]) => Promise<unknown>
  const elsewhere = 'else.example'
  const end: Happens = ({ org_domain, user }, ids) =>
    Promise.all(
      ids.map((impersonation_id) =>
        client.impersonations.end({ org_domain, user_id: user.id, impersonation_id }),
      ),
    )
  const deactivate: Happens = ({ org_domain, user }) =>
    client.users.update({ org_domain, user_id: user.id, active: false })
  const remove: Happens = ({ org_domain, user }) => client.users.delete({ org_domain, user_id: user.id })
  const refuse: Happens = ({ org_domain }) =>
    client.organizations.update({ org_domain, impersonation: 'refused' })
  const limit: Happens = ({ org_domain }) =>
    client.organizations.update({ org_domain, allowed_email_domains: [elsewhere] })
  const close: Happens = ({ org_domain }) => client.organizations.delete({ org_domain })
  const forget: Happens = ({ org_domain, application: { client_id } }) =>
    client.applications.update({ org_domain, client_id, initiate_login_uri: null })
  const restrict: Happens = async ({ org_domain, application: { client_id } }) =>
    client.applications.update({
      ...{ org_domain, client_id },
      organization_domain_scope: (await service.given.organization()).domain,
    })

  test.each([
    ['it was ended', end],
    ['the user is inactive', deactivate],
    ['the user is deleted', remove],
    ['the organization refuses it', refuse],
    ['the organization does not allow the address any more', limit],
    ['the organization is deleted', close],
    ['the application has no address to begin at any more', forget],
    ['the application is for another organization', restrict],
  ])('starts nothing, nor does the page, once %s', async (_name, happens) => {
    const at = await given.scene()
    const created = await given.create(at)
    const opened = given.visitorOf()
    const page = await given.open(created, opened)
    const held = await given.handle(at)

    await happens(at, [created.id, held.created.id])

    expect((await given.open(created, given.visitorOf())).status).toBe(404)
    expect((await opened.send(page, 'start')).status).toBe(404)
    const answer = await given.answer(at, { impersonation: held.handle }, held.visitor, atAccount)
    expect(answer).toMatchObject(refused)
  })

  test('a code is not exchanged once the impersonation is ended, or its time is over', async () => {
    for (const over of [
      (at: ImpersonationScene, impersonation_id: string) =>
        client.impersonations.end({ org_domain: at.org_domain, user_id: at.user.id, impersonation_id }),
      () => service.clock.advance(60),
    ]) {
      const at = await given.scene()
      const { created, visitor, handle: impersonation } = await given.handle(at, { duration_in_seconds: 60 })
      const { code = '' } = await given.answer(at, { impersonation }, visitor)
      await over(at, created.id)
      expect((await given.exchangeCode(at, code)).body).toMatchObject({ error: 'invalid_grant' })
    }
  })

  test('a key that exchanges codes for its application needs the scope', async () => {
    const at = await given.scene({ code_exchange: 'api_key' })
    const statuses = []
    for (const scopes of [['write:magic_links'], ['write:impersonations']] as const) {
      const { visitor, handle: impersonation } = await given.handle(at)
      const { code = '' } = await given.answer(at, { impersonation }, visitor)
      const key = await service.apiKey({ scopes })
      const { status } = await exchange(service, { code, code_verifier: given.verifier, ...key })
      statuses.push(status)
    }
    expect(statuses).toEqual([400, 200])
  })
})
