import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import { onboardingGivenOf } from '../given/onboarding-given.js'
import { leadOf, samlGivenOf } from '../given/saml-given.js'
import { requestIdIn, startIdentityProvider, type Said } from '../given/saml-identity-provider.js'
import { createVisitor, type Visitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)
const onboarding = onboardingGivenOf(service, client)

/** An administrator who uploaded metadata and has not tested them yet. */
async function uploaded() {
  const scene = await onboarding.invited()
  const { visitor } = await onboarding.inTutorial(scene)
  const idp = await startIdentityProvider(service.clock)
  await onboarding.upload(scene, visitor, { xml: idp.metadata() })
  await onboarding.confirm(scene, visitor)
  return { ...scene, visitor, idp }
}

type Uploaded = Awaited<ReturnType<typeof uploaded>>

/** Starts a test and posts the response to it. */
async function tested(of: Uploaded, said: Said = {}) {
  const sent = await of.visitor.request(`/onboarding/${of.connection.idp_id}/test/start`)
  const requestId = requestIdIn(sent.location)
  const posted = of.idp.respond({ ...of.connection, requestId }, said)
  return { posted, hop: await given.post(of, posted) }
}

function end(visitor: Visitor, hop: { readonly html: string }) {
  return visitor.request(leadOf(hop))
}

describe('the test of an administrator', () => {
  test('makes every check, creates nobody, opens no session, and shows that the connection works', async () => {
    const of = await uploaded()
    const { idp_id } = of.connection
    const { posted, hop } = await tested(of, { attributes: { email: 'ada@corp.example' } })
    const seen = await end(of.visitor, hop)

    const trace = await given.lastTrace(of)
    expect(trace).toMatchObject({
      kind: 'test',
      outcome: 'success',
      user_id: null,
      attributes: { email: ['ada@corp.example'] },
    })
    expect(trace.checks.at(-1)?.name).toBe('user_active')
    expect([seen.status, seen.location]).toEqual([
      303,
      expect.stringMatching(new RegExp(`/onboarding/${idp_id}/test/${trace.id}$`)),
    ])
    expect((await client.users.list({ org_domain: of.org_domain })).total).toBe(0)
    expect(of.visitor.sessionSecret()).toBeUndefined()
    expect((await client.ssoConnections.get({ idp_id })).state).toBe('tested')

    expect((await given.post(of, posted)).status).toBe(403)
    expect((await given.lastTrace(of)).failed_check).toBe('replay')
  })

  test('leads to the page that says what was wrong, whichever check refuses', async () => {
    const of = await uploaded()
    const { idp_id } = of.connection
    const early = await tested(of, { audience: 'https://other.example' })
    expect(leadOf(early.hop)).toContain(`/onboarding/${idp_id}/test/${(await given.lastTrace(of)).id}`)
    expect(await given.lastTrace(of)).toMatchObject({ kind: 'test', failed_check: 'audience' })

    const late = await tested(of, { nameId: 'no address' })
    const seen = await end(of.visitor, late.hop)
    expect(await given.lastTrace(of)).toMatchObject({ kind: 'test', failed_check: 'email' })
    expect(seen.location).toContain(`/onboarding/${idp_id}/test/${(await given.lastTrace(of)).id}`)
    expect((await client.ssoConnections.get({ idp_id })).state).toBe('configured')
  })

  test('shows nothing of the metadata in use, where others are tested', async () => {
    const of = await uploaded()
    const { idp_id } = of.connection
    const sent = await of.visitor.request(`/onboarding/${idp_id}/test/start`)
    const metadata = of.idp.metadata({ url: 'https://idp.example/moved' })
    await client.ssoConnections.update({ idp_id, metadata })
    const to = { ...of.connection, requestId: requestIdIn(sent.location) }
    const posted = of.idp.respond(to, { attributes: { email: 'ada@corp.example' } })
    await end(of.visitor, await given.post(of, posted))

    expect(await given.lastTrace(of)).toMatchObject({ kind: 'test', outcome: 'success' })
    expect((await client.ssoConnections.get({ idp_id })).state).toBe('configured')
  })

  longTest(
    'is told also where strangers have filled the traces',
    async () => {
      const of = await uploaded()
      for (let count = 0; count < 201; count++) await given.post(of, '<xml>')
      const { hop } = await tested(of, { audience: 'https://other.example' })

      const trace = await given.lastTrace(of)
      expect(trace).toMatchObject({ kind: 'test', failed_check: 'audience' })
      expect(leadOf(hop)).toContain(`/test/${trace.id}`)
    },
    60_000,
  )

  test('is of the administrator’s browser alone', async () => {
    const of = await uploaded()
    const other = await uploaded()
    for (const visitor of [createVisitor(service.baseUrl), other.visitor]) {
      const { hop } = await tested(of)
      const seen = await end(visitor, hop)
      expect([seen.status, (await given.lastTrace(of)).failed_check]).toEqual([403, 'browser'])
    }
    expect((await client.ssoConnections.get({ idp_id: of.connection.idp_id })).state).toBe('configured')
  })
})
