import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { samlGivenOf, type SamlScene } from '../given/saml-given.js'
import { idpMetadata } from '../given/sso-given.js'
import { goodPassword } from '../api/password-given.js'
import { personGivenOf } from './person-given.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)
const person = personGivenOf(service)

/** An organization whose connection owns a domain of its own. */
async function ownScene(settings: Parameters<typeof given.scene>[0] = {}) {
  const name = `${anything()}.example`
  const scene = await given.scene({ email_domains: [name], ...settings })
  return { scene, email: `ada@${name}`, other: `bob@${name}` }
}

async function signIn(scene: SamlScene, nameId: string, said: Parameters<typeof given.signIn>[1] = {}) {
  const { landed } = await given.signIn(scene, { nameId, ...said })
  return isIn(landed)
}

describe('a sign-in by an identity provider that has failed is explained, and works once that is mended:', () => {
  test('the connection that owns the domain is switched off, and nothing else is allowed', async () => {
    const { scene, email } = await ownScene()
    const { org_domain, connection } = scene
    await client.password.createConnection({ org_domain })
    await service.given.user({ org_domain, email })
    const { data } = await client.domains.list({ org_domain })
    await client.domains.update({ org_domain, domain_id: data[0]?.id ?? '', sso_required: true })
    const { idp_id } = connection
    await client.ssoConnections.disable({ idp_id })
    const sent = { org_domain, user_email: email, plain_text: goodPassword }
    await expect(client.password.createChallenge(sent)).rejects.toMatchObject({ code: 'sso_required' })
    const said = { code: 'sso_inactive', idp_id, action: 'edit_sso_connection' }
    expect(await person.stopOf(email)).toMatchObject(said)

    await client.ssoConnections.activate({ idp_id })
    expect(await person.diagnose(email)).toMatchObject({ verdict: 'can', method: 'sso' })
    expect(await signIn(scene, email)).toBe(true)
  })

  longTest('the connection that would make a user of a newcomer is switched off', async () => {
    const { scene, email } = await ownScene()
    const { org_domain, connection } = scene
    const { idp_id } = connection
    await given.closeLinks({ org_domain })
    await client.password.createConnection({ org_domain })
    await client.ssoConnections.disable({ idp_id })
    expect(await person.stopOf(email)).toMatchObject({ code: 'sso_inactive', idp_id })

    await client.ssoConnections.activate({ idp_id })
    expect(await person.stopOf(email)).toBeUndefined()
    expect(await signIn(scene, email)).toBe(true)
  })

  longTest('the connection has no metadata yet, and there is no other method', async () => {
    const { id: organization_id, domain: org_domain } = await service.given.organization()
    await service.given.application({ org_domain, organization_domain_scope: org_domain })
    const name = `${anything()}.example`
    const { idp_id } = await client.ssoConnections.create({ organization_id, email_domains: [name] })
    await given.closeLinks({ org_domain })
    const { email } = await service.given.user({ org_domain, email: `ada@${name}` })
    const asked = client.ssoConnections.createSamlChallenge({ org_domain, user_email: email })
    await expect(asked).rejects.toMatchObject({ code: 'sso_connection_not_configured' })
    expect(await person.stopOf(email)).toMatchObject({ code: 'sso_not_configured', idp_id })
    await client.ssoConnections.update({ idp_id, metadata: idpMetadata() })
    expect(await person.stopOf(email)).toBeUndefined()
  })

  longTest('every seat is taken', async () => {
    const { scene, email, other } = await ownScene({ seats_limit: 1 })
    expect(await signIn(scene, email)).toBe(true)
    expect(await signIn(scene, other)).toBe(false)
    expect(await person.stopOf(other)).toMatchObject({ code: 'no_seat', count: 1 })
    expect(await person.stopOf(email)).toBeUndefined()
    await client.ssoConnections.update({ idp_id: scene.connection.idp_id, seats_limit: 2 })
    expect(await person.stopOf(other)).toBeUndefined()
    expect(await signIn(scene, other)).toBe(true)
  })

  longTest('the policy of the connection lets in nobody who is not registered', async () => {
    const { scene, email } = await ownScene()
    const { idp_id } = scene.connection
    await client.ssoConnections.setUserPolicy({ idp_id, user_security_type: 'user_registered' })
    expect(await signIn(scene, email)).toBe(false)
    expect(await person.stopOf(email)).toMatchObject({ code: 'sso_policy', detail: 'user_registered' })
    await service.given.user({ org_domain: scene.org_domain, email })
    expect(await person.stopOf(email)).toBeUndefined()
    expect(await signIn(scene, email)).toBe(true)
  })

  longTest('the connection has no authority for the domain of a user', async () => {
    const { scene } = await ownScene({ email_domains: [], other_domains: 'create' })
    await given.closeLinks(scene)
    const user = await service.given.user({ org_domain: scene.org_domain })
    expect(await signIn(scene, user.email)).toBe(false)
    expect(await person.stopOf(user.email)).toMatchObject({ code: 'sso_policy', detail: 'linking' })
  })

  longTest('the user is inactive', async () => {
    const { scene, email } = await ownScene()
    const { org_domain } = scene
    const user = await service.given.user({ org_domain, email })
    await client.users.update({ org_domain, user_id: user.id, active: false })
    expect(await signIn(scene, email)).toBe(false)
    expect(await person.stopOf(email)).toMatchObject({ code: 'user_inactive' })
    expect(await person.codesOf(email)).toContain('sso_attempt_failed')
  })

  test('the last sign-in failed at a check of the identity provider, until the connection is changed', async () => {
    const { scene, email } = await ownScene()
    await service.given.user({ org_domain: scene.org_domain, email })
    expect(await signIn(scene, email, { audience: 'https://else.example' })).toBe(false)
    const { idp_id } = scene.connection
    expect(await person.stopOf(email)).toMatchObject({
      code: 'sso_attempt_failed',
      detail: 'audience',
      idp_id,
    })
    await service.clock.advance(1)
    await client.ssoConnections.update({ idp_id, metadata: scene.idp.metadata() })
    expect(await person.stopOf(email)).toBeUndefined()
  })

  longTest('the last response of the connection was signed by another key', async () => {
    const { scene, email } = await ownScene()
    await service.given.user({ org_domain: scene.org_domain, email })
    expect(await signIn(scene, email)).toBe(true)
    const { connection } = scene
    await service.clock.advance(1)
    await client.ssoConnections.update({ idp_id: connection.idp_id, metadata: idpMetadata() })
    const trace = async () => (await given.lastTrace(scene)).id
    expect(await signIn(scene, email, {})).toBe(false)
    expect(await person.stopOf(email)).toMatchObject({
      code: 'sso_attempt_failed',
      proof: { source: 'login_attempt', id: await trace() },
    })
    await service.clock.advance(1)
    await client.ssoConnections.update({ idp_id: connection.idp_id, metadata: scene.idp.metadata() })
    expect(await person.stopOf(email)).toBeUndefined()
    expect(await signIn(scene, email)).toBe(true)
  })
})

longTest('a certificate that has ended is told, and stops nobody', async () => {
  const { scene, email } = await ownScene()
  expect(await signIn(scene, email)).toBe(true)
  const ended = { from: new Date(Date.now() - 10 * 24 * 60 * 60 * 1000), certificateDays: [1] }
  await client.ssoConnections.update({ idp_id: scene.connection.idp_id, metadata: idpMetadata(ended) })
  const { findings } = await person.diagnose(email)
  expect(findings).toEqual(
    expect.arrayContaining([expect.objectContaining({ code: 'sso_certificate_ended', stops: false })]),
  )
})

test('a newcomer is looked for where the domain of the address leads to an identity provider', async () => {
  const { scene, email } = await ownScene()
  expect(await person.diagnose(email)).toMatchObject({
    org_domain: scene.org_domain,
    user_id: null,
    verdict: 'can',
    method: 'sso',
    findings: [{ code: 'not_yet_user', detail: 'sso' }],
  })
})
