import type { Client } from '@portico/sdk'
import { attemptSignIn } from '@portico/server/attempts'
import { describe, expect, test } from 'vitest'
import { longDescribe, longTest } from '../sampled.js'
import { answerOf, callback } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { samlGivenOf, type SamlScene } from '../given/saml-given.js'
import { requestIdIn } from '../given/saml-identity-provider.js'
import { createVisitor, pkcePair } from '../given/visitor.js'
import { exchange } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

type Input = Parameters<Client['ssoConnections']['createSamlChallenge']>[0]

function challenge(input: Input) {
  return client.ssoConnections.createSamlChallenge(input)
}

/** Opens the URL of a challenge, and signs in. */
async function open(scene: SamlScene, url: string, visitor = createVisitor(service.baseUrl)) {
  const sent = await visitor.visit(url)
  if (!(sent.location ?? '').startsWith(scene.idp.ssoUrl)) return sent
  const requestId = requestIdIn(sent.location)
  return given.comeBack(scene, visitor, scene.idp.respond({ ...scene.connection, requestId }))
}

describe('a challenge', () => {
  longTest(
    'by the organization leads its browser to the application, with a code that the API key’s caller exchanges',
    async () => {
      const scene = await given.scene()
      const asked = await challenge({ org_domain: scene.org_domain, redirect_uri: callback, state: 's-1' })
      const landed = await open(scene, asked.authorization_url)

      expect(asked).toMatchObject({ idp_id: scene.connection.idp_id, __domain__: scene.org_domain })
      const minutes = (Date.parse(asked.expired_at) - service.clock.now().getTime()) / 60_000
      expect(Math.round(minutes)).toBe(10)
      expect(answerOf(landed).get('state')).toBe('s-1')
      const { body } = await exchange(service, { code: answerOf(landed).get('code') ?? '' })
      expect(body).toMatchObject({ access_token: expect.any(String), scope: 'openid sso' })
    },
  )

  test('with a code_challenge binds the code to it', async () => {
    const scene = await given.scene()
    const { verifier, challenge: code_challenge } = pkcePair()
    const pkce = { code_challenge, code_challenge_method: 'S256' as const }
    const codes: string[] = []
    for (let count = 0; count < 2; count++) {
      const { authorization_url } = await challenge({ org_domain: scene.org_domain, ...pkce })
      codes.push(answerOf(await open(scene, authorization_url)).get('code') ?? '')
    }
    const [one = '', two = ''] = codes
    expect((await exchange(service, { code: one })).status).toBe(400)
    expect((await exchange(service, { code: two, code_verifier: verifier })).status).toBe(200)
  })

  test('by an address finds the organization and the connection by its domain', async () => {
    const [one, two] = [`${anything()}.example`, `${anything()}.example`]
    const scene = await given.scene({ email_domains: [one] })
    const second = await given.connect(scene, { email_domains: [two] }, 'idp2')

    expect((await challenge({ user_email: `ada@${one}` })).idp_id).toBe(scene.connection.idp_id)
    expect((await challenge({ user_email: `ada@${two}` })).idp_id).toBe(second.connection.idp_id)
    await expect(challenge({ user_email: 'ada@nowhere.example' })).rejects.toMatchObject({
      code: 'organization_not_found',
    })
  })

  test('by an address of the organization’s domains takes its only connection', async () => {
    const domain = `${anything()}.example`
    const scene = await given.scene({}, { allowed_email_domains: [domain] })
    expect((await challenge({ user_email: `ada@${domain}` })).idp_id).toBe(scene.connection.idp_id)
  })

  test('of an organization with several connections names one', async () => {
    const scene = await given.scene()
    const { connection } = await given.connect(scene, {}, 'idp2')
    const { org_domain } = scene
    await expect(challenge({ org_domain })).rejects.toMatchObject({ code: 'sso_connection_not_found' })
    expect((await challenge({ org_domain, idp_id: connection.idp_id })).idp_id).toBe(connection.idp_id)
    const foreign = await given.scene()
    await expect(challenge({ org_domain, idp_id: foreign.connection.idp_id })).rejects.toMatchObject({
      code: 'sso_connection_not_found',
    })
  })

  test('is refused by a connection that is switched off, or has no metadata', async () => {
    const scene = await given.scene()
    const { org_domain, organization_id } = scene
    await client.ssoConnections.disable({ idp_id: scene.connection.idp_id })
    await expect(challenge({ org_domain })).rejects.toMatchObject({ code: 'connection_inactive' })
    const { idp_id } = await client.ssoConnections.create({ organization_id })
    await client.ssoConnections.activate({ idp_id })
    await expect(challenge({ org_domain, idp_id })).rejects.toMatchObject({
      code: 'sso_connection_not_configured',
    })
  })

  test('says that organization or address is needed', async () => {
    await expect(challenge({})).rejects.toMatchObject({ code: 'invalid_parameters' })
  })
})

describe('the address of a challenge', () => {
  test('is good once', async () => {
    const scene = await given.scene()
    const { authorization_url: url } = await challenge({ org_domain: scene.org_domain })
    const visitors = Array.from({ length: 10 }, () => createVisitor(service.baseUrl))
    const seen = await Promise.all(visitors.map((visitor) => visitor.visit(url)))
    expect(seen.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(seen.filter(({ status }) => status === 404)).toHaveLength(9)
  })

  test('is not used up by who only looks', async () => {
    const scene = await given.scene()
    const { authorization_url: url } = await challenge({ org_domain: scene.org_domain })
    const head = await fetch(url, { method: 'HEAD' })
    const ahead = await fetch(url, { headers: { 'sec-purpose': 'prefetch' } })
    expect([head.status, ahead.status]).toEqual([204, 204])
    expect(answerOf(await open(scene, url)).get('code')).not.toBeNull()
  })

  test('is good for ten minutes, at its own organization, and while the connection is active', async () => {
    const scene = await given.scene()
    const { org_domain, connection } = scene
    const url = async () => (await challenge({ org_domain })).authorization_url
    const old = await url()
    await service.clock.advance(600)
    expect((await open(scene, old)).status).toBe(404)

    const other = await service.given.organization()
    const own = await url()
    expect((await open(scene, own.replace(`/t/${org_domain}/`, `/t/${other.domain}/`))).status).toBe(404)
    expect(answerOf(await open(scene, own)).get('code')).not.toBeNull()
    const closed = await url()
    await client.ssoConnections.disable({ idp_id: connection.idp_id })
    expect((await open(scene, closed)).status).toBe(404)
  })

  test('cannot be opened by POST', async () => {
    const scene = await given.scene()
    const { authorization_url: url } = await challenge({ org_domain: scene.org_domain })
    const answer = await fetch(url, { method: 'POST' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})

longDescribe('429: challenges', () => {
  test('of one address are counted, and its password stays as open or locked as it was', async () => {
    const limited = await startService({ variables: { SIGN_IN_ATTEMPTS_PER_ADDRESS: '3' } })
    const caller = await limited.client()
    const scene = await samlGivenOf(limited, caller).scene()
    const { org_domain } = scene
    const ask = () =>
      caller.ssoConnections.createSamlChallenge({ org_domain, user_email: 'ada@awesome.example' })
    for (let count = 0; count < 3; count++) await ask()
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' })
    for (let count = 0; count < 5; count++) await caller.ssoConnections.createSamlChallenge({ org_domain })
    const place = { accountId: limited.account.id, environment: 'sandbox', domain: org_domain }
    const attempt = await attemptSignIn(limited.deps, { ...place, address: 'ada@awesome.example' })
    expect(attempt).toMatchObject({ isLocked: false, state: { remaining: 2 } })
  })
})
