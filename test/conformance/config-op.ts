import assert from 'node:assert/strict'
import { createLocalJWKSet } from 'jose'
import { ask, discoveryUrl, endpointOf, metadataOf } from './ask.js'
import { keysOf } from './authorize.js'
import type { Check, Group } from './check.js'
import { judgeOf } from './judge.js'
import { listOf, textOf, type Json } from './json.js'
import type { Issuer } from './provider.js'

const module = 'oidcc-discovery-endpoint-verification'

const checks: readonly Check[] = [
  {
    id: module,
    source: 'OpenID Connect Discovery 4.2',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { status, headers } = await ask(at, discoveryUrl(at))
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^application\/json/)
      // The judge: a conforming client reads the document.
      const config = await judgeOf(at)
      assert.equal(config.serverMetadata().issuer, at.issuer)
    },
    fault: { at: 'metadata', headers: { 'content-type': 'text/html' } },
  },
  {
    id: `${module}/CheckDiscEndpointIssuer`,
    source: 'OpenID Connect Discovery 4.3',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      assert.equal(textOf(await metadataOf(at), 'issuer'), at.issuer)
    },
    fault: { at: 'metadata', json: { issuer: 'https://planted.example' } },
  },
  {
    id: `${module}/ValidateServerMetadataAgainstSchema`,
    source: 'OpenID Connect Discovery 3',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const metadata = await metadataOf(at)
      for (const name of required) assert.ok(name in metadata, `${name} is missing`)
      for (const [name, value] of Object.entries(metadata))
        assert.ok(isOfItsType(name, value), `${name} is ${JSON.stringify(value)}`)
    },
    fault: { at: 'metadata', json: { request_parameter_supported: 'false' } },
  },
  {
    id: `${module}/CheckDiscEndpointAllEndpointsAreHttps`,
    source: 'OpenID Connect Discovery 3',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const addresses = Object.entries(await metadataOf(at)).filter(([name]) => /_endpoint$|_uri$/.test(name))
      assert.ok(addresses.length > 4, 'endpoints are missing')
      for (const [name, value] of addresses) assert.ok(isSecure(String(value)), `${name} is ${String(value)}`)
    },
    fault: { at: 'metadata', json: { userinfo_endpoint: 'http://planted.example/userinfo' } },
  },
  {
    id: `${module}/CheckJwksUri`,
    source: 'OpenID Connect Discovery 3',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { status, headers } = await ask(at, await endpointOf(at, 'jwks_uri'))
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^application\/(jwk-set\+)?json/)
    },
    fault: { at: 'keys', status: 404 },
  },
  {
    id: `${module}/ValidateServerJWKs`,
    source: 'RFC 7517 4 and 9.2',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const keys = await keysOf(at)
      assert.ok(keys.length > 0, 'no keys')
      for (const key of keys) await assertPublicKey(key)
    },
    // A private exponent is the worst that a key set can tell.
    fault: {
      at: 'keys',
      json: {
        keys: [{ kty: 'EC', crv: 'P-256', kid: '1', use: 'sig', alg: 'ES256', x: 'AA', y: 'AA', d: 'AA' }],
      },
    },
  },
  {
    id: `${module}/CheckDistinctKeyIdValueInServerJWKs`,
    source: 'OpenID Connect Core 10.1',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const ids = (await keysOf(at)).map((key) => textOf(key, 'kid'))
      assert.ok(ids.length > 0 && ids.every((id) => id !== ''), 'a key has no kid')
      assert.equal(new Set(ids).size, ids.length, `${ids.join(', ')} repeat`)
    },
    fault: {
      at: 'keys',
      json: {
        keys: [
          { kty: 'EC', kid: 'one' },
          { kty: 'RSA', kid: 'one' },
        ],
      },
    },
  },
  ...[
    listed('OIDCCCheckDiscEndpointResponseTypesSupported', 'response_types_supported', 'code'),
    listed('CheckDiscEndpointSubjectTypesSupported', 'subject_types_supported', 'public'),
    listed(
      'OIDCCCheckDiscEndpointIdTokenSigningAlgValuesSupported',
      'id_token_signing_alg_values_supported',
      'RS256',
    ),
    listed('CheckDiscEndpointScopesSupportedContainsOpenId', 'scopes_supported', 'openid'),
    listed('OIDCCCheckDiscEndpointGrantTypesSupported', 'grant_types_supported', 'authorization_code'),
    listed('OIDCCCheckDiscEndpointClaimsSupported', 'claims_supported', 'sub'),
  ],
]

export const configOp: Group = { title: 'Config OP', checks, least: 6 }

const required = [
  ...['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'response_types_supported'],
  ...['subject_types_supported', 'id_token_signing_alg_values_supported'],
]

/** Whether a member has the type that the registry gives to names like its own. */
function isOfItsType(name: string, value: unknown): boolean {
  // Lists of methods and algorithms, too, are named _supported.
  if (/_parameter_supported$|_session_supported$|^backchannel_logout_supported$|^require_/.test(name))
    return typeof value === 'boolean'
  if (/_document_supported$/.test(name)) return typeof value === 'boolean'
  if (/_supported$/.test(name)) return Array.isArray(value) && value.every((each) => typeof each === 'string')
  if (/_endpoint$|_uri$|^issuer$|_documentation$/.test(name))
    return typeof value === 'string' && URL.canParse(value)
  return true
}

/** https, or this machine, where the tests run. */
export function isSecure(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** Members that only a private or symmetric key has (RFC 7518 sections 6.2.2, 6.3.2 and 6.4). */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

async function assertPublicKey(key: Json): Promise<void> {
  assert.deepEqual(
    secretMembers.filter((name) => name in key),
    [],
    'a private key is published',
  )
  assert.equal(key['use'] ?? 'sig', 'sig')
  const header = { alg: textOf(key, 'alg'), kid: textOf(key, 'kid') }
  // The judge imports the key, and so refuses a malformed one.
  await createLocalJWKSet({ keys: [{ ...key, kty: textOf(key, 'kty') }] })(header)
}

/** A condition of the module about a list that must have a value. */
function listed(condition: string, name: string, value: string): Check {
  return {
    id: `${module}/${condition}`,
    source: 'OpenID Connect Discovery 3',
    level: name === 'claims_supported' ? 'should' : 'must',
    needs: 'issuer',
    run: async (at: Issuer) => {
      const values = listOf(await metadataOf(at), name)
      assert.ok(values.includes(value), `${name} is ${values.join(', ')}`)
    },
    fault: { at: 'metadata', json: { [name]: ['planted'] } },
  }
}
