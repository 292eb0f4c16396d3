import assert from 'node:assert/strict'
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose'
import { metadataOf, postAs } from './ask.js'
import { freshTokens, idTokenOf, verified, type Tokens } from './authorize.js'
import type { Check, Group } from './check.js'
import { isSecure } from './config-op.js'
import type { Fault } from './fault.js'
import { isJson, textOf } from './json.js'
import { assertReturned, assertSignedOut, endSession } from './logout.js'
import type { ReceivedLogout, Scene } from './provider.js'

const section = (number: string) => `OpenID Connect Back-Channel Logout ${number}`
const event = 'http://schemas.openid.net/event/backchannel-logout'

/** A logout as the client has learned it. */
interface Logout {
  readonly at: Scene
  readonly signedIn: Tokens
  readonly request: ReceivedLogout
  readonly token: string
  /** Verified by jose with the keys of the provider. */
  readonly claims: JWTPayload
}

const forged: Fault = { at: 'receiver', token: { name: 'logout_token', isForged: true } }

const checks: readonly Check[] = [
  {
    id: 'oidcc-backchannel-logout-discovery-endpoint-verification',
    source: section('2.1'),
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const metadata = await metadataOf(at)
      assert.equal(metadata['backchannel_logout_supported'], true)
      // Optional in the specification, and demanded by the certification.
      assert.equal(metadata['backchannel_logout_session_supported'], true)
      assert.ok(isSecure(textOf(metadata, 'end_session_endpoint')))
    },
    fault: { at: 'metadata', json: { backchannel_logout_session_supported: false } },
  },
  {
    id: 'oidcc-backchannel-rp-initiated-logout',
    source: section('2.5'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const { request, signedIn, claims } = await afterLogout(at)
      assert.equal(request.method, 'POST')
      assert.match(request.contentType, /^application\/x-www-form-urlencoded/)
      assert.deepEqual([...request.form.keys()], ['logout_token'])
      const id = await idTokenOf(at, signedIn)
      assert.deepEqual([claims.sub, claims['sid']], [id.sub, id['sid']])
    },
    fault: { at: 'receiver', headers: { 'content-type': 'application/json' } },
  },
  about('ValidateLogoutTokenSignature', '2.4', forged, async ({ at, token }) => {
    const { alg } = decodeProtectedHeader(token)
    assert.equal(alg, at.client.alg)
  }),
  about('ValidateLogoutTokenClaims', '2.4', claimed({ events: { [event]: 'yes' } }), ({ claims }) => {
    const { events } = claims
    assert.ok(isJson(events))
    assert.deepEqual(events, { [event]: {} })
  }),
  about('ValidateLogoutTokenClaims/aud', '2.4', claimed({ aud: 'planted' }), ({ claims, at }) => {
    assert.equal(claims.aud, at.client.clientId)
  }),
  about(
    'ValidateLogoutTokenClaims/iss',
    '2.4',
    claimed({ iss: 'https://planted.example' }),
    ({ claims, at }) => {
      assert.equal(claims.iss, at.issuer)
    },
  ),
  about('ValidateLogoutTokenClaims/jti', '2.4', claimed({ jti: undefined }), ({ claims }) => {
    assert.ok(typeof claims.jti === 'string' && claims.jti !== '', 'no jti')
  }),
  about('ValidateLogoutTokenClaims/exp', '2.4', claimed({ exp: 4_000_000_000 }), ({ claims }) => {
    assert.ok(typeof claims.iat === 'number' && typeof claims.exp === 'number', 'no iat or exp')
    // Preferably at most two minutes in the future.
    assert.ok(claims.exp - claims.iat <= 120, `valid for ${claims.exp - claims.iat} s`)
  }),
  about('CheckLogoutTokenNoNonce', '2.4', claimed({ nonce: 'planted' }), ({ claims }) => {
    assert.equal(claims['nonce'], undefined)
  }),
  about('CheckLogoutTokenHasSubOrSid', '2.4', claimed({ sub: undefined, sid: undefined }), ({ claims }) => {
    assert.ok(claims.sub !== undefined || claims['sid'] !== undefined, 'neither sub nor sid')
  }),
  about(
    'typ',
    '2.4',
    { at: 'receiver', token: { name: 'logout_token', header: { typ: 'JWT' } } },
    ({ token }) => {
      assert.equal(decodeProtectedHeader(token).typ, 'logout+jwt')
    },
  ),
  {
    id: 'backchannel-2.7-refresh-tokens',
    source: section('2.7'),
    level: 'should',
    needs: 'user',
    async run(at) {
      // Those without offline_access end with the session; the provider tells of it by the logout token alone.
      const { signedIn } = await afterLogout(at)
      const grant = { grant_type: 'refresh_token', refresh_token: signedIn.refreshToken }
      if (signedIn.refreshToken !== '')
        assert.equal((await postAs(at, at.client, 'token', grant)).status, 400)
      const userinfo = await at.fetch(textOf(await metadataOf(at), 'userinfo_endpoint'), {
        headers: { authorization: `Bearer ${signedIn.accessToken}` },
      })
      assert.equal(userinfo.status, 401)
    },
    fault: { at: 'userinfo', status: 200 },
  },
]

export const backChannelLogout: Group = { title: 'Back-channel logout', checks, least: 10 }

/** Signs a user in and out, and waits for the logout token of their session. */
async function afterLogout(at: Scene): Promise<Logout> {
  const signedIn = await freshTokens(at)
  const members = { id_token_hint: signedIn.idToken, post_logout_redirect_uri: at.postLogoutRedirectUri }
  assertReturned(at, await endSession(at, signedIn, members), null)
  await assertSignedOut(at, signedIn)
  const { sid } = decodeJwt(signedIn.idToken)
  const request = (await at.received()).find(({ form }) => sidOf(form) === sid)
  // A token without sid is found by being the only one that has none.
  const found = request ?? (await at.received()).find(({ form }) => sidOf(form) === undefined)
  assert.ok(found, 'no logout token has arrived')
  const token = found.form.get('logout_token') ?? assert.fail('no logout_token')
  return { at, signedIn, request: found, token, claims: await verified(at, token, at.client.clientId) }
}

function sidOf(form: URLSearchParams): unknown {
  return decodeJwt(form.get('logout_token') ?? '')['sid']
}

function claimed(claims: Readonly<Record<string, unknown>>): Fault {
  return { at: 'receiver', token: { name: 'logout_token', claims } }
}

/** A condition of the module about the logout token. */
function about(
  condition: string,
  number: string,
  fault: Fault,
  assertLogout: (logout: Logout) => void | Promise<void>,
): Check {
  return {
    id: `oidcc-backchannel-rp-initiated-logout/${condition}`,
    source: section(number),
    level: 'must',
    needs: 'user',
    run: async (at: Scene) => assertLogout(await afterLogout(at)),
    fault,
  }
}
