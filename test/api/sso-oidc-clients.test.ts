import { etagOf } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { oidcGivenOf } from '../given/oidc-given.js'
import { sendJson, startOpenIdProvider, type TestOpenIdProvider } from '../given/openid-provider.js'
import { idpMetadata, ssoGivenOf } from '../given/sso-given.js'

const service = await startService()
const client = await service.client()
const sso = ssoGivenOf(client)
const given = oidcGivenOf(service, client)

const discoveryPath = '/.well-known/openid-configuration'

function clientOf({ issuer, client: { id, secret } }: TestOpenIdProvider) {
  return { issuer, oidc_client_id: id, oidc_client_secret: secret }
}

/** The only field fault of a refused request. */
async function faultOf(promise: Promise<unknown>) {
  const error: unknown = await promise.then(
    () => 'accepted',
    (cause: unknown) => cause,
  )
  expect(error).toMatchObject({ status: 422 })
  // The previous line checked the form.
  return (error as { fields: { path: string; code: string; message: string }[] }).fields[0]
}

describe('a connection of OpenID Connect', () => {
  test('is made with its client, which is current at once, and whose secret nobody is told', async () => {
    const { connection, idp } = await given.scene()

    expect(connection).toMatchObject({
      protocol: 'oidc',
      provider_type: 'custom_oidc',
      state: 'configured',
      issuer: idp.issuer,
      oidc_client_id: idp.client.id,
      oidc_redirect_uri: `${service.baseUrl}/oidc/${connection.idp_id}/callback`,
    })
    expect(connection.oidc_clients).toEqual([
      {
        __type__: 'SsoOidcClient',
        version: 1,
        current: true,
        issuer: idp.issuer,
        client_id: idp.client.id,
        uploaded_by: 'api_key',
        inserted_at: expect.any(String),
      },
    ])
    const { data: events } = await client.events.list({ code: 'sso.connection.create.success' })
    const stored = await service.query<{ sealed: Buffer }>(
      'select client_secret_sealed as sealed from sso_oidc_clients',
    )
    const told = JSON.stringify([connection, events, service.logLines])
    expect(told).not.toContain(idp.client.secret)
    expect(stored.some(({ sealed }) => sealed.includes(idp.client.secret))).toBe(false)
  })

  test('keeps the clients that it had, and goes back to one of them', async () => {
    const { connection, idp } = await given.scene()
    const { idp_id } = connection
    const changed = await client.ssoConnections.update({ idp_id, oidc_client_secret: 'renewed' })
    expect(changed.oidc_clients.map(({ version, current, issuer }) => [version, current, issuer])).toEqual([
      [2, true, idp.issuer],
      [1, false, idp.issuer],
    ])

    const back = await client.ssoConnections.useOidcClient({ idp_id, version: 1 })
    expect(back.oidc_clients.map(({ current }) => current)).toEqual([false, true])
    await expect(client.ssoConnections.useOidcClient({ idp_id, version: 9 })).rejects.toMatchObject({
      code: 'sso_oidc_client_not_found',
    })
    await expect(
      client.ssoConnections.useOidcClient({ idp_id, version: 2 }, { ifMatch: etagOf(changed) }),
    ).rejects.toMatchObject({ status: 412 })
  })

  test('keeps ten clients beside the current one', async () => {
    const { connection } = await given.scene()
    const { idp_id } = connection
    for (let version = 2; version <= 13; version++)
      await client.ssoConnections.update({ idp_id, oidc_client_secret: `secret ${version}` })
    const { oidc_clients: kept } = await client.ssoConnections.get({ idp_id })
    expect(kept.map(({ version }) => version)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
  })

  test('sends a secret to no other issuer, and with no other id, than it was entered for', async () => {
    const { connection } = await given.scene()
    const { idp_id } = connection
    const other = await startOpenIdProvider(service.clock)
    for (const change of [{ issuer: other.issuer }, { oidc_client_id: 'other' }])
      expect(await faultOf(client.ssoConnections.update({ idp_id, ...change }))).toMatchObject({
        path: 'oidc_client_secret',
        code: 'required',
      })
    const changed = await client.ssoConnections.update({ idp_id, ...clientOf(other) })
    expect(changed).toMatchObject({ issuer: other.issuer, oidc_client_id: other.client.id })
  })

  test.each(['issuer', 'oidc_client_id', 'oidc_client_secret'] as const)('needs %s', async (name) => {
    const idp = await startOpenIdProvider(service.clock)
    const { [name]: _, ...members } = clientOf(idp)
    const fault = await faultOf(sso.connection({ provider_type: 'custom_oidc', ...members }))
    expect(fault).toMatchObject({ path: name, code: 'required' })
  })
})

describe('what a connection speaks', () => {
  test('is SAML unless the kind of the provider, or protocol, says otherwise', async () => {
    expect(await sso.connection()).toMatchObject({ protocol: 'saml' })
    expect(await sso.connection({ provider_type: 'entra_id' })).toMatchObject({ protocol: 'saml' })
    expect(await sso.connection({ provider_type: 'custom_oidc' })).toMatchObject({ protocol: 'oidc' })
    for (const provider_type of ['entra_id', 'google_workspace', undefined] as const)
      expect(
        await sso.connection({ protocol: 'oidc', ...(provider_type && { provider_type }) }),
      ).toMatchObject({ protocol: 'oidc' })
  })

  test.each([
    ['okta', 'oidc'],
    ['test', 'oidc'],
    ['custom_oidc', 'saml'],
  ] as const)('is not what %s does not speak: %s', async (provider_type, protocol) => {
    expect(await faultOf(sso.connection({ provider_type, protocol }))).toMatchObject({ path: 'protocol' })
  })

  test('changes with the kind, until the metadata or the client are there', async () => {
    const { idp_id } = await sso.connection()
    const oidc = await client.ssoConnections.update({ idp_id, provider_type: 'custom_oidc' })
    expect(oidc.protocol).toBe('oidc')
    const saml = await client.ssoConnections.update({ idp_id, provider_type: 'okta' })
    expect(saml.protocol).toBe('saml')

    await client.ssoConnections.update({ idp_id, metadata: idpMetadata() })
    expect(
      await faultOf(client.ssoConnections.update({ idp_id, provider_type: 'custom_oidc' })),
    ).toMatchObject({ path: 'protocol', code: 'protocol_fixed' })
    const { connection } = await given.scene({ provider_type: 'entra_id', protocol: 'oidc' })
    expect(
      await faultOf(client.ssoConnections.update({ idp_id: connection.idp_id, protocol: 'saml' })),
    ).toMatchObject({ path: 'protocol', code: 'protocol_fixed' })
  })

  test('takes what belongs to it alone', async () => {
    const idp = await startOpenIdProvider(service.clock)
    expect(await faultOf(sso.connection({ provider_type: 'okta', ...clientOf(idp) }))).toMatchObject({
      path: 'issuer',
      code: 'not_allowed',
    })
    const { connection } = await given.scene()
    expect(
      await faultOf(client.ssoConnections.update({ idp_id: connection.idp_id, metadata: idpMetadata() })),
    ).toMatchObject({ path: 'metadata', code: 'not_allowed' })
  })
})

describe('an issuer', () => {
  const sent = (issuer: string, members: object = {}) =>
    sso.connection({
      provider_type: 'custom_oidc',
      issuer,
      oidc_client_id: 'c',
      oidc_client_secret: 's',
      ...members,
    })

  test.each([
    ['http://8.8.8.8', 'issuer_invalid'],
    ['https://user:word@idp.example', 'issuer_invalid'],
    ['https://idp.example/?a=b', 'issuer_invalid'],
    ['https://idp.example/#a', 'issuer_invalid'],
    ['https://169.254.169.254', 'issuer_invalid'],
    ['https://[::ffff:10.0.0.1]', 'issuer_invalid'],
    ['javascript:alert(1)', 'issuer_invalid'],
    ['idp', 'issuer_invalid'],
  ])('is no address such as %s', async (issuer, code) => {
    expect(await faultOf(sent(issuer))).toMatchObject({ path: 'issuer', code })
  })

  test.each(['common', 'organizations', 'consumers', 'COMMON', '9188040d-6c67-4c5b-b112-36a304b66dad'])(
    'of Entra names one tenant, and not %s',
    async (tenant) => {
      const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`
      expect(await faultOf(sent(issuer))).toMatchObject({ path: 'issuer', code: 'issuer_shared' })
      const { connection } = await given.scene({ provider_type: 'entra_id', protocol: 'oidc' })
      expect(
        await faultOf(client.ssoConnections.update({ idp_id: connection.idp_id, issuer })),
      ).toMatchObject({ path: 'issuer', code: 'issuer_shared' })
    },
  )

  test('of Google is Google', async () => {
    const idp = await startOpenIdProvider(service.clock)
    const fault = await faultOf(sent(idp.issuer, { provider_type: 'google_workspace', protocol: 'oidc' }))
    expect(fault).toMatchObject({ path: 'issuer', message: expect.stringContaining('accounts.google.com') })
  })

  test('is refused with what its discovery document says', async () => {
    const idp = await startOpenIdProvider(service.clock)
    const says = (changes: object) =>
      idp.answer(discoveryPath, (res) => sendJson(res, idp.discovery({ ...changes })))
    const faults: [object, string, RegExp][] = [
      [{ issuer: `${idp.issuer}/` }, 'issuer_mismatch', new RegExp(`has ${idp.issuer}/$`)],
      [{ issuer: undefined }, 'issuer_mismatch', /has no issuer/],
      [{ token_endpoint: undefined }, 'discovery_invalid', /token_endpoint/],
      [{ authorization_endpoint: 'javascript:alert(1)' }, 'discovery_invalid', /authorization_endpoint/],
      [{ jwks_uri: 'https://a:b@idp.example/keys' }, 'discovery_invalid', /jwks_uri/],
      [{ id_token_signing_alg_values_supported: ['HS256', 'none'] }, 'discovery_invalid', /asymmetric/],
      [{ response_types_supported: ['id_token'] }, 'discovery_invalid', /codes/],
      [{ code_challenge_methods_supported: ['plain'] }, 'discovery_invalid', /S256/],
    ]
    for (const [changes, code, message] of faults) {
      says(changes)
      expect(await faultOf(sent(idp.issuer))).toMatchObject({
        path: 'issuer',
        code,
        message: expect.stringMatching(message),
      })
    }
    says({})
    expect(await sent(idp.issuer)).toMatchObject({ issuer: idp.issuer })
  })

  longTest('is refused where its document is huge, cut off, a redirect, an error, or no JSON', async () => {
    const inside = await startOpenIdProvider(service.clock)
    const idp = await startOpenIdProvider(service.clock)
    const answers: [Parameters<TestOpenIdProvider['answer']>[1], RegExp][] = [
      [(res) => sendJson(res, idp.discovery({ x: 'x'.repeat(300_000) })), /256 kB/],
      [(res) => void res.writeHead(200, { 'content-length': '900' }).end('{'), /5 seconds|broke off/],
      [(res) => void res.writeHead(302, { location: `${inside.issuer}${discoveryPath}` }).end(), /302/],
      [(res) => void res.writeHead(500).end(), /500/],
      [(res) => void res.destroy(), /broke off/],
    ]
    for (const [answer, message] of answers) {
      idp.answer(discoveryPath, answer)
      expect(await faultOf(sent(idp.issuer))).toMatchObject({
        code: 'issuer_unreachable',
        message: expect.stringMatching(message),
      })
    }
    for (const body of ['<html>', '[]', 'null', '"x"']) {
      idp.answer(discoveryPath, (res) => void res.end(body))
      expect(await faultOf(sent(idp.issuer))).toMatchObject({ code: 'discovery_invalid' })
    }
    expect(inside.asked).toEqual([])
  })

  longTest(
    'that does not answer is not waited for longer than five seconds',
    async () => {
      const idp = await startOpenIdProvider(service.clock)
      idp.answer(discoveryPath, () => undefined)
      const begun = performance.now()
      expect(await faultOf(sent(idp.issuer))).toMatchObject({ code: 'issuer_unreachable' })
      expect(performance.now() - begun).toBeLessThan(9_000)
    },
    20_000,
  )

  test('inside the network is asked nothing where the operator has opened none', async () => {
    const closed = await startService({ variables: { OUTBOUND_ALLOW: '' } })
    const closedClient = await closed.client()
    const idp = await startOpenIdProvider(service.clock)
    const { port } = new URL(idp.issuer)
    for (const issuer of [idp.issuer, `https://localhost:${port}`, `https://127.0.0.1:${port}`])
      expect(
        await faultOf(
          ssoGivenOf(closedClient).connection({
            provider_type: 'custom_oidc',
            issuer,
            oidc_client_id: anything(),
            oidc_client_secret: 's',
          }),
        ),
      ).toMatchObject({ path: 'issuer', code: 'issuer_invalid' })
    expect(idp.asked).toEqual([])
  })
})
