import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { answerOf } from '../given/flow-given.js'
import { startService, type Service } from '../given/harness.js'
import { leadOf, samlGivenOf, type SamlScene } from '../given/saml-given.js'
import type { Said } from '../given/saml-identity-provider.js'
import { createVisitor, type Seen } from '../given/visitor.js'
import { untilWaiting } from '../given/waiting.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)
const scene = await given.scene()

const aCode = expect.stringMatching(/^[\w-]{43}$/)

/** The page with the refusal contains one sentence and the reference of the login attempt, but not the reason. */
async function refusedBy(of: SamlScene, seen: Seen): Promise<string | null> {
  const reference = seen.headers.get('x-request-id') ?? ''
  expect(seen.status).toBe(403)
  expect(seen.html).toContain(reference)
  const { data } = await client.ssoConnections.listLoginTraces({ idp_id: of.connection.idp_id })
  const trace = data.find(({ request_id: id }) => id === reference)
  const { failed_check: failed = null, checks = [] } = trace ?? {}
  expect(checks.at(-1)).toMatchObject({ name: failed, passed: false })
  const texts = [failed ?? '', trace?.remedy ?? '', checks.at(-1)?.received ?? ''].filter(
    (text) => text !== '',
  )
  for (const text of texts) expect(visibleIn(seen)).not.toContain(text)
  const { data: logged } = await client.logEvents.list({ org_domain: of.org_domain })
  const told = logged.find(({ request_id: id }) => id === reference)
  expect(told).toMatchObject({ event_code: 'SSO_END_USER_SAML_FAILED', reason: failed })
  return failed
}

function visibleIn({ html }: Seen): string {
  return html.replace(/<head>.*<\/head>/s, '').replace(/<[^>]*>/g, ' ')
}

/** A response to a request of the connection, not posted yet. */
async function response(of: SamlScene, said: Said = {}) {
  const { visitor, requestId } = await given.atIdentityProvider(of)
  return { visitor, requestId, posted: of.idp.respond({ ...of.connection, requestId }, said) }
}

describe('a response is refused', () => {
  const altered = (from: string | RegExp, to: string) => (xml: string) => xml.replace(from, to)
  const cases: Record<string, [said: Said, check: string]> = {
    'whose NameID was altered': [{ tamper: altered('ada@', 'eve@') }, 'signature'],
    'whose signature was taken away': [
      { tamper: altered(/<ds:Signature .*<\/ds:Signature>/s, '') },
      'signature_form',
    ],
    'with a document type': [{ tamper: (xml) => `<!DOCTYPE a [<!ENTITY b "c">]>${xml}` }, 'document'],
    'with a comment in the NameID': [{ tamper: altered('ada@', 'ada@<!---->') }, 'document'],
    'with two assertions': [
      { tamper: (xml) => xml.replace(/(<saml:Assertion.*<\/saml:Assertion>)/s, '$1$1') },
      'response',
    ],
    'that is a refusal itself': [{ status: 'Responder' }, 'status'],
    'of another issuer': [{ issuer: 'https://other.example/metadata' }, 'response_issuer'],
    'to another address': [{ destination: 'https://other.example/acs' }, 'destination'],
    'that was issued too long ago': [{ issuedAt: -3800, notOnOrAfter: 300 }, 'issued_at'],
    'that is past': [{ issuedAt: -600, notOnOrAfter: -121 }, 'conditions'],
    'for another audience': [{ audience: 'https://other.example/metadata' }, 'audience'],
    'for another recipient': [{ recipient: 'https://other.example/acs' }, 'recipient'],
    'whose outside answers another request': [
      { tamper: altered(/ InResponseTo="[^"]+"/, ' InResponseTo="_other"') },
      'in_response_to',
    ],
    'whose outside answers no request': [{ tamper: altered(/ InResponseTo="[^"]+"/, '') }, 'in_response_to'],
  }
  for (const [name, [said, check]] of Object.entries(cases))
    test(name, async () => {
      const { posted } = await response(scene, said)
      expect(await refusedBy(scene, await given.post(scene, posted))).toBe(check)
    })

  test('and its trace names the user whom signed bytes name, but no unsigned ones', async () => {
    const tracesOf = async (said: Said) => {
      const { posted } = await response(scene, said)
      await given.post(scene, posted)
      const { data } = await client.ssoConnections.listLoginTraces({ idp_id: scene.connection.idp_id })
      return data[0]
    }
    const attributes = { department: 'engines' }
    expect(await tracesOf({ audience: 'https://other.example/metadata', attributes })).toMatchObject({
      failed_check: 'audience',
      name_id: expect.stringMatching(/^ada@/),
      email: expect.stringMatching(/^ada@/),
      attributes: { department: ['engines'] },
    })
    expect(await tracesOf({ tamper: altered('ada@', 'eve@'), attributes })).toMatchObject({
      failed_check: 'signature',
      name_id: null,
      email: null,
      attributes: null,
    })
  })

  test('that is no base64, or is missing', async () => {
    expect(await refusedBy(scene, await given.post(scene, '<xml>'))).toBe('encoding')
    const empty = await createVisitor(service.baseUrl).request(new URL(scene.connection.acs_url).pathname, {
      method: 'POST',
      body: new URLSearchParams({ Other: 'x' }),
    })
    expect(await refusedBy(scene, empty)).toBe('encoding')
  })

  test('that answers a request which nobody has made, or has waited for too long', async () => {
    const { idp, connection } = scene
    const invented = idp.respond({ ...connection, requestId: '_invented' })
    expect(
      await refusedBy(scene, await given.comeBack(scene, createVisitor(service.baseUrl), invented)),
    ).toBe('request')
    const { visitor, requestId } = await response(scene)
    await service.clock.advance(600)
    const late = idp.respond({ ...connection, requestId })
    expect(await refusedBy(scene, await given.comeBack(scene, visitor, late))).toBe('request')
  })

  test('in another browser than the one that asked, where the answer of a stranger would sign somebody in', async () => {
    const { posted } = await response(scene)
    const victim = createVisitor(service.baseUrl)
    const seen = await given.comeBack(scene, victim, posted)
    expect(await refusedBy(scene, seen)).toBe('browser')
    expect(victim.sessionSecret()).toBeUndefined()

    const busy = (await response(scene)).visitor
    const stolen = await response(scene)
    expect(await refusedBy(scene, await given.comeBack(scene, busy, stolen.posted))).toBe('browser')
  })

  test('for a sign-in that went another way meanwhile', async () => {
    const { scene: both, visitor, page, requestId } = await given.atIdentityProvider()
    await visitor.press(await visitor.request(page.url), 'change_address')
    const posted = both.idp.respond({ ...both.connection, requestId })
    expect(await refusedBy(both, await given.comeBack(both, visitor, posted))).toBe('request')
  })

  test('by a connection that is not active', async () => {
    const closed = await given.scene()
    const { visitor, posted } = await response(closed)
    await client.ssoConnections.disable({ idp_id: closed.connection.idp_id })
    const unasked = closed.idp.respond(closed.connection)
    for (const each of [posted, unasked])
      expect(await refusedBy(closed, await given.comeBack(closed, visitor, each))).toBe('connection_active')
  })

  test('by a connection that is being switched off', async () => {
    const closing = await given.scene()
    const { visitor, posted } = await response(closing)
    const url = leadOf(await given.post(closing, posted))
    const holder = new pg.Client({ connectionString: service.databaseUrl })
    await holder.connect()
    const { idp_id } = closing.connection
    await holder.query('begin')
    await holder.query('update sso_connections set active = false where idp_id = $1', [idp_id])
    const seen = visitor.visit(url)
    await untilWaiting(service, 1)
    await holder.query('commit')
    await holder.end()

    expect(await refusedBy(closing, await seen)).toBe('connection_active')
  })

  test('by a connection that has no metadata', async () => {
    const { organization_id, org_domain } = scene
    const connection = await client.ssoConnections.create({ organization_id })
    const bare = { ...scene, org_domain, connection }
    const posted = scene.idp.respond({ ...connection, requestId: '_any' })
    expect(await refusedBy(bare, await given.post(bare, posted))).toBe('signature')
  })
})

describe('an assertion is used once', () => {
  test('and is called a replay the second time, also by another process after a restart', async () => {
    const { visitor, posted } = await response(scene)
    expect(answerOf(await given.comeBack(scene, visitor, posted)).get('code')).toEqual(aCode)
    expect(await refusedBy(scene, await given.post(scene, posted))).toBe('replay')

    // A service without in-memory state, as after a restart.
    const seen = await postAt(await beside(service), posted)
    expect([seen.status, (await given.lastTrace(scene)).failed_check]).toEqual([403, 'replay'])
  })

  test('of many posts at once to two processes one signs in', async () => {
    const accepting = await given.scene({ idp_initiated: 'accept' })
    const posted = accepting.idp.respond(accepting.connection)
    const other = await beside(service)
    const enter = async (process: Service) => {
      const hop = await postAt(process, posted, accepting)
      if (hop.status !== 200) return hop
      return createVisitor(process.baseUrl).request(leadOf(hop).replace(service.baseUrl, addressOf(process)))
    }
    const seen = await Promise.all(
      Array.from({ length: 24 }, (_, number) => enter(number % 2 === 0 ? service : other)),
    )
    const passed = seen.filter(({ location }) => location?.includes('/sign-in/'))
    expect(passed).toHaveLength(1)
    const { total } = await client.ssoConnections.listLoginTraces({
      idp_id: accepting.connection.idp_id,
      outcome: 'success',
    })
    expect(total).toBe(1)
  }, 30_000)

  test('also where it is posted again while the first one signs in', async () => {
    const accepting = await given.scene({ idp_initiated: 'accept' })
    const posted = accepting.idp.respond(accepting.connection)
    const other = await beside(service)
    const url = leadOf(await given.post(accepting, posted))
    const holder = new pg.Client({ connectionString: service.databaseUrl })
    await holder.connect()
    await holder.query('begin; lock table users in access exclusive mode')
    const first = createVisitor(service.baseUrl).visit(url)
    await untilWaiting(service, 1)
    const secondPost = postAt(other, posted, accepting)
    await untilWaiting(service, 2)
    await holder.query('commit')
    await holder.end()

    expect(answerOf(await first).get('code')).toEqual(aCode)
    const second = leadOf(await secondPost).replace(service.baseUrl, addressOf(other))
    expect((await createVisitor(addressOf(other)).request(second)).status).toBe(403)
    expect((await given.lastTrace(accepting)).failed_check).toBe('replay')
  })

  test('and has one trace, however often and at once it is posted', async () => {
    const of = await given.scene()
    const { visitor, posted } = await response(of)
    const hops = await Promise.all(Array.from({ length: 8 }, () => given.post(of, posted)))
    const seen = await Promise.all(hops.map((hop) => visitor.visit(leadOf(hop))))

    expect(seen.filter((one) => answerOf(one).get('code') !== null)).toHaveLength(1)
    const { data } = await client.ssoConnections.listLoginTraces({ idp_id: of.connection.idp_id })
    expect(data.map(({ outcome }) => outcome)).toEqual(['success'])
  })

  test('and so is its handle, by whoever has it, for a minute', async () => {
    const { visitor, posted } = await response(scene)
    const url = leadOf(await given.post(scene, posted))
    const seen = await Promise.all(Array.from({ length: 10 }, () => visitor.visit(url)))
    expect(seen.filter((one) => answerOf(one).get('code') !== null)).toHaveLength(1)
    expect(seen.filter(({ status }) => status === 404)).toHaveLength(9)

    const late = await response(scene)
    const lateUrl = leadOf(await given.post(scene, late.posted))
    await service.clock.advance(60)
    expect((await late.visitor.visit(lateUrl)).status).toBe(404)
  })

  test('and not by who only looks', async () => {
    const { visitor, posted } = await response(scene)
    const url = leadOf(await given.post(scene, posted))
    const head = await visitor.request(url, { method: 'HEAD' })
    const ahead = await visitor.request(url, { headers: { 'sec-purpose': 'prefetch' } })
    expect([head.status, ahead.status]).toEqual([204, 204])
    expect(answerOf(await visitor.visit(url)).get('code')).toEqual(aCode)
  })

  test('of one identity provider, whatever another’s are called', async () => {
    const said = { assertionId: '_same' }
    const other = await given.scene()
    for (const of of [scene, other])
      expect(answerOf((await given.signIn(of, said)).landed).get('code')).toEqual(aCode)
  })
})

describe('connections do not mix', () => {
  test('a response to one is refused by another, and its handle is good there alone', async () => {
    const other = await given.scene()
    const { visitor, posted } = await response(scene)
    expect(await refusedBy(other, await given.post(other, posted))).toBe('destination')
    const url = leadOf(await given.post(scene, posted))
    const moved = url.replace(scene.connection.idp_id, other.connection.idp_id)
    expect((await visitor.visit(moved)).status).toBe(404)
    expect(answerOf(await visitor.visit(url)).get('code')).toEqual(aCode)
  })

  test('the identity provider of one cannot speak for another', async () => {
    const other = await given.scene({}, {}, 'idp2')
    const { requestId } = await given.atIdentityProvider(other)
    const to = { ...other.connection, requestId }
    const asItself = scene.idp.respond(to)
    const asTheOther = scene.idp.respond(to, { issuer: other.idp.entityId })
    expect(await refusedBy(other, await given.post(other, asItself))).toBe('response_issuer')
    expect(await refusedBy(other, await given.post(other, asTheOther))).toBe('signature')
  })

  test('a request of one is not answered at another, though both have the same identity provider', async () => {
    const other = await given.scene()
    const { visitor, requestId } = await given.atIdentityProvider(scene)
    const posted = other.idp.respond({ ...other.connection, requestId })
    expect(await refusedBy(other, await given.comeBack(other, visitor, posted))).toBe('request')
  })

  test('404: of an organization that is deleted nothing is left', async () => {
    const gone = await given.scene()
    const { posted } = await response(gone)
    await client.organizations.delete({ org_domain: gone.org_domain })
    const answers = [
      await given.post(gone, posted),
      await given.post(
        { connection: { ...gone.connection, acs_url: `${service.baseUrl}/saml/nobody_1/acs` } },
        posted,
      ),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect((await fetch(gone.connection.sp_id)).status).toBe(404)
  })
})

/** A second service on the same database, with the same base URL and time. */
async function beside({ databaseUrl, baseUrl, clock }: Service): Promise<Service> {
  const process = await startService({ databaseUrl, variables: { BASE_URL: baseUrl } })
  await process.clock.advance((clock.now().getTime() - process.clock.now().getTime()) / 1000)
  return process
}

function addressOf({ port }: Service): string {
  return `http://localhost:${port}`
}

function postAt(process: Service, samlResponse: string, { connection } = scene): Promise<Seen> {
  const { pathname } = new URL(connection.acs_url)
  return createVisitor(addressOf(process)).request(pathname, {
    method: 'POST',
    body: new URLSearchParams({ SAMLResponse: samlResponse }),
  })
}
