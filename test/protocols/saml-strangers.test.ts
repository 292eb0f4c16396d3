import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { answerOf } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { leadOf, samlGivenOf, type SamlScene } from '../given/saml-given.js'
import { createVisitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

/** Copies the only login attempt of a connection this many times, each with a different name. */
async function repeatTrace({ connection }: SamlScene, times: number): Promise<void> {
  const { id } = await given.lastTrace({ connection })
  const columns =
    'account_id, environment, organization_id, connection_id, kind, outcome, checks, failed_check, request_id, inserted_at'
  await service.query(
    `insert into sso_login_traces (${columns}, id, name_id)
     select ${columns}, gen_random_uuid(), name_id || number
     from sso_login_traces, generate_series(1, $2::integer) as number where id = $1`,
    [id, times],
  )
}

describe('what strangers post', () => {
  test('413 and 405: what is too long, and what is no post', async () => {
    const scene = await given.scene()
    const path = new URL(scene.connection.acs_url).pathname
    const long = await given.post(scene, 'A'.repeat(450_000))
    const got = await createVisitor(service.baseUrl).request(path)
    expect([long.status, got.status, got.headers.get('allow')]).toEqual([413, 405, 'POST'])
    const nowhere = { connection: { ...scene.connection, acs_url: `${service.baseUrl}/saml/nobody_1/acs` } }
    expect((await given.post(nowhere, 'A'.repeat(450_000))).status).toBe(404)
    expect(long.html).toContain('is too large')
    expect(long.html).toContain(scene.connection.__domain__)
    const reference = long.headers.get('x-request-id') ?? ''
    expect(long.html).toContain(`Reference: ${reference}`)
    const { idp_id } = scene.connection
    const { data } = await client.ssoConnections.listLoginTraces({ idp_id, request_id: reference })
    expect(data).toMatchObject([{ failed_check: 'encoding', checks: [{ received: 'more than 256 kB' }] }])
    // The link to another language leads elsewhere, because it would use GET, which this URL does not support.
    expect(long.html).toMatch(/href="\/t\/[\w-]+\/message\/ssoTooLarge\?[^"]*" lang="fr"/)
  })

  test('leaves no more than 200 traces of a connection a day, and hides nobody’s sign-in', async () => {
    const flooded = await given.scene()
    const { idp_id } = flooded.connection
    await given.post(flooded, '<xml>')
    await repeatTrace(flooded, 198)
    for (let count = 0; count < 2; count++) await given.post(flooded, '<xml>')
    const list = () => client.ssoConnections.listLoginTraces({ idp_id })
    expect((await list()).total).toBe(200)
    await given.signIn(flooded)
    expect(await given.lastTrace(flooded)).toMatchObject({ outcome: 'success' })
    // This includes a refused one, as soon as its browser has returned.
    const { landed } = await given.signIn(flooded, { nameId: 'no address' })
    expect([landed.status, (await given.lastTrace(flooded)).failed_check]).toEqual([403, 'email'])
    await service.clock.advance(24 * 60 * 60)
    await given.post(flooded, '<xml>')
    expect((await given.lastTrace(flooded)).failed_check).toBe('encoding')
  })

  test('leaves no more than 200 traces where it comes at once, either', async () => {
    const flooded = await given.scene()
    await given.post(flooded, '<xml>')
    await repeatTrace(flooded, 198)
    await Promise.all(Array.from({ length: 6 }, () => given.post(flooded, '<xml>')))

    const { total } = await client.ssoConnections.listLoginTraces({ idp_id: flooded.connection.idp_id })
    expect(total).toBe(200)
  })

  test('hides nothing that a key has proved: its page has a reference that finds the reason', async () => {
    const scene = await given.scene()
    const { idp_id } = scene.connection
    await given.post(scene, '<xml>')
    await repeatTrace(scene, 200)
    const { requestId } = await given.atIdentityProvider(scene)
    const wrong = scene.idp.respond({ ...scene.connection, requestId }, { audience: 'https://other.example' })
    const refused = await given.post(scene, wrong)

    const [, reference] = /Reference: ([\w-]+)/.exec(refused.html) ?? []
    const { data } = await client.ssoConnections.listLoginTraces({ idp_id, request_id: reference ?? '' })
    expect(data).toMatchObject([{ outcome: 'failed', failed_check: 'audience', request_id: reference }])
    // Responses without a valid signature are no longer recorded, whichever user they name.
    const forged = scene.idp.respond(scene.connection, { tamper: (xml) => xml.replace('ada@', 'eve@') })
    expect((await given.post(scene, forged)).status).toBe(403)
    expect((await given.lastTrace(scene)).failed_check).toBe('audience')
  })

  test('is no more than one old response that somebody has kept, which leaves 20 traces a day', async () => {
    const scene = await given.scene()
    const { idp, connection, org_domain } = scene
    const kept = idp.respond({ ...connection, requestId: '_old' }, { issuedAt: -3800, notOnOrAfter: 300 })
    for (let count = 0; count < 23; count++) expect((await given.post(scene, kept)).status).toBe(403)

    const traces = () => client.ssoConnections.listLoginTraces({ idp_id: connection.idp_id })
    expect((await traces()).total).toBe(20)
    expect((await given.lastTrace(scene)).failed_check).toBe('issued_at')
    const [logged] = await service.query<{ count: string }>(
      `select count(*) from log_events where domain = $1 and event_code = 'SSO_END_USER_SAML_FAILED'`,
      [org_domain],
    )
    expect(logged?.count).toBe('20')
    // Other refusals are still recorded.
    const other = { nameId: 'eve@awesome.example', audience: 'https://other.example' }
    expect((await given.post(scene, idp.respond(connection, other))).status).toBe(403)
    expect(await given.lastTrace(scene)).toMatchObject({
      failed_check: 'audience',
      name_id: 'eve@awesome.example',
    })
    expect(answerOf((await given.signIn(scene)).landed).get('code')).not.toBeNull()
  })

  test('of old responses that somebody has kept, however many, hides nothing else that a key has proved', async () => {
    const scene = await given.scene()
    const { idp, connection } = scene
    await given.post(scene, idp.respond(connection, { issuedAt: -3800, notOnOrAfter: 300 }))
    await repeatTrace(scene, 200)

    await given.post(scene, idp.respond(connection, { audience: 'https://other.example' }))

    expect((await given.lastTrace(scene)).failed_check).toBe('audience')
  })

  test('that is signed and names nobody leaves 20 traces a day', async () => {
    const scene = await given.scene()
    const nameless = scene.idp.respond(scene.connection, { nameId: '', issuedAt: -3800, notOnOrAfter: 300 })
    for (let count = 0; count < 21; count++) await given.post(scene, nameless)

    const { total } = await client.ssoConnections.listLoginTraces({ idp_id: scene.connection.idp_id })
    expect([total, (await given.lastTrace(scene)).name_id]).toEqual([20, null])
  })

  test('leaves 200 traces a day of what is proved, of however many names', async () => {
    const scene = await given.scene()
    const { idp, connection } = scene
    const refuse = (nameId: string) =>
      given.post(scene, idp.respond(connection, { nameId, audience: 'https://other.example' }))
    await refuse('ada')
    await repeatTrace(scene, 198)
    for (const nameId of ['bea', 'eve']) await refuse(nameId)
    const { total } = await client.ssoConnections.listLoginTraces({ idp_id: connection.idp_id })
    expect([total, (await given.lastTrace(scene)).name_id]).toEqual([200, 'bea'])
  })

  longTest(
    '429: is counted by network and connection, where it is refused, and of nothing else',
    async () => {
      const limited = await startService({
        variables: { SAML_FAILURES_PER_IP: '5', SIGN_IN_ATTEMPTS_PER_IP: '5' },
      })
      const there = samlGivenOf(limited, await limited.client())
      const [of, other] = [await there.scene(), await there.scene()]
      for (let count = 0; count < 6; count++) expect((await there.signIn(of)).landed.status).toBe(303)
      const posted: Awaited<ReturnType<typeof there.post>>[] = []
      for (const sent of [
        '<xml>',
        'A'.repeat(450_000),
        '<xml>',
        '<xml>',
        '<xml>',
        '<xml>',
        'A'.repeat(450_000),
      ])
        posted.push(await there.post(of, sent))

      expect(posted.map(({ status }) => status)).toEqual([403, 413, 403, 403, 403, 429, 429])
      expect(posted.at(-1)?.html).toContain('Too many attempts')
      expect(posted.at(-1)?.html).toContain('There have been too many sign-in attempts from your network')
      const log = `select reason from log_events where domain = $1 and event_code = 'SSO_END_USER_SAML_FAILED' order by inserted_at`
      const reasons = (await limited.query<{ reason: string }>(log, [of.org_domain])).map(
        ({ reason }) => reason,
      )
      expect(reasons.filter((reason) => reason === 'rate_limited')).toHaveLength(1)
      expect(posted.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/)
      const nowhere = { connection: { ...of.connection, acs_url: `${limited.baseUrl}/saml/nobody_1/acs` } }
      for (let count = 0; count < 6; count++) expect((await there.post(nowhere, '<xml>')).status).toBe(404)
      expect((await there.signIn(other)).landed.status).toBe(303)
      const { landed } = await there.flows.signIn(await there.flows.scene())
      expect(answerOf(landed).get('code')).not.toBeNull()
    },
  )

  longTest('429: fills no table where it is right, either: also what is proved is counted', async () => {
    const limited = await startService({ variables: { SIGN_INS_BEGUN_PER_IP: '3' } })
    const admin = await limited.client()
    const there = samlGivenOf(limited, admin)
    const [of, other] = [await there.scene(), await there.scene()]
    const statuses: number[] = []
    for (let count = 0; count < 7; count++)
      statuses.push((await there.post(of, of.idp.respond(of.connection))).status)

    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429])
    const logged = await limited.query(
      `select from log_events where domain = $1 and reason = 'rate_limited'`,
      [of.org_domain],
    )
    expect(logged).toHaveLength(1)
    const { total } = await admin.ssoConnections.listLoginTraces({ idp_id: of.connection.idp_id })
    expect(total).toBe(6)
    expect((await there.signIn(other)).landed.status).toBe(303)
  })

  test('is not looked at where a page has sent it behind somebody’s back', async () => {
    const { scene, requestId } = await given.atIdentityProvider()
    const posted = scene.idp.respond({ ...scene.connection, requestId })
    const sentBy = (dest: string) =>
      createVisitor(service.baseUrl).request(new URL(scene.connection.acs_url).pathname, {
        method: 'POST',
        headers: { origin: 'https://ads.example', 'sec-fetch-dest': dest },
        body: new URLSearchParams({ SAMLResponse: posted }),
      })

    expect([(await sentBy('empty')).status, (await sentBy('iframe')).status]).toEqual([403, 403])
    const { total } = await client.ssoConnections.listLoginTraces({ idp_id: scene.connection.idp_id })
    expect(total).toBe(0)
    expect(leadOf(await sentBy('document'))).toContain('/continue?h=')
  })
})
