import assert from 'node:assert/strict'
import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose'
import type { Seen, Visitor } from '../given/visitor.js'
import { endpointOf, formOf, metadataOf, type Members } from './ask.js'
import { assertError, authorize, codeIn, freshTokens, random, type Tokens } from './authorize.js'
import type { Check, Group } from './check.js'
import { isSecure } from './config-op.js'
import type { Fault } from './fault.js'
import { textOf } from './json.js'
import type { Scene } from './provider.js'

const section = (number: string) => `OpenID Connect RP-Initiated Logout ${number}`

/** A user who has signed in in a browser of their own, which no other check uses. */
type SignedIn = Tokens & { readonly browser: Visitor }

const checks: readonly Check[] = [
  {
    id: 'oidcc-rp-initiated-logout-discovery-endpoint-verification',
    source: section('2.1'),
    level: 'must',
    needs: 'issuer',
    async run(at) {
      assert.ok(isSecure(textOf(await metadataOf(at), 'end_session_endpoint')), 'no end_session_endpoint')
    },
    fault: { at: 'metadata', json: { end_session_endpoint: 'http://planted.example/logout' } },
  },
  {
    id: 'oidcc-rp-initiated-logout',
    source: section('2'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const signedIn = await freshTokens(at)
      const state = random(96)
      const seen = await endSession(at, signedIn, { ...complete(at, signedIn), state })
      assertReturned(at, seen, state)
      await assertSignedOut(at, signedIn)
    },
    fault: { at: 'logout', redirect: { state: 'planted' } },
  },
  {
    id: 'oidcc-rp-initiated-logout-no-state',
    source: section('2'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const signedIn = await freshTokens(at)
      assertReturned(at, await endSession(at, signedIn, complete(at, signedIn)), null)
      await assertSignedOut(at, signedIn)
    },
    fault: { at: 'logout', redirect: { state: 'planted' } },
  },
  notReturning('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', '3', ({ at, members }) =>
    Promise.resolve({ ...members, post_logout_redirect_uri: `${at.postLogoutRedirectUri}/unregistered` }),
  ),
  notReturning('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri', '3', ({ at, members }) =>
    Promise.resolve({ ...members, post_logout_redirect_uri: `${at.postLogoutRedirectUri}?foo=bar` }),
  ),
  notReturning('oidcc-rp-initiated-logout-modified-id-token-hint', '2', ({ members, signedIn }) =>
    Promise.resolve({ ...members, id_token_hint: unsignedOf(signedIn.idToken) }),
  ),
  notReturning('oidcc-rp-initiated-logout-bad-id-token-hint', '2', async ({ members, signedIn }) => ({
    ...members,
    id_token_hint: await foreignOf(signedIn.idToken),
  })),
  notReturning('oidcc-rp-initiated-logout-no-id-token-hint', '2', ({ members }) =>
    Promise.resolve({ ...members, id_token_hint: undefined }),
  ),
  signingOut('oidcc-rp-initiated-logout-no-params', () => ({})),
  signingOut('oidcc-rp-initiated-logout-only-state', () => ({ state: random(24) })),
  signingOut('oidcc-rp-initiated-logout-no-post-logout-redirect-uri', ({ idToken }) => ({
    id_token_hint: idToken,
    state: random(24),
  })),
  {
    id: 'rpinitiated-2-expired-hint',
    source: section('2'),
    level: 'should',
    isAlone: true,
    needs: 'user',
    async run(at) {
      const signedIn = await freshTokens(at)
      await at.advance(2 * 60 * 60)
      assertReturned(at, await endSession(at, signedIn, complete(at, signedIn)), null)
    },
    fault: { at: 'logout', status: 400, headers: { location: null } },
  },
  {
    id: 'rpinitiated-2-post',
    source: section('2'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const signedIn = await freshTokens(at)
      const url = await endpointOf(at, 'end_session')
      const body = formOf(complete(at, signedIn))
      // The form of another site comes without cookies, which follow with the redirect to the same address.
      const posted = await at.browser().request(url, { method: 'POST', body })
      const seen =
        posted.location === null ? posted : await signedIn.browser.visit(new URL(posted.location, url).href)
      assertReturned(at, seen, null)
      await assertSignedOut(at, signedIn)
    },
    fault: { at: 'logout', nth: 1, status: 405, headers: { location: null } },
  },
  {
    id: 'rpinitiated-2-client-id-of-another',
    source: section('2'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const signedIn = await freshTokens(at)
      const members = { ...complete(at, signedIn), client_id: at.second.clientId }
      const seen = await endSession(at, signedIn, members)
      assert.equal(seen.location, null, 'the hint and client_id are of two clients')
      assert.equal(seen.status, 400)
      await assertStillSignedIn(at, signedIn)
    },
    fault: { at: 'logout', status: 303, answer: {} },
  },
]

export const rpInitiatedLogout: Group = { title: 'RP-initiated logout', checks, least: 10 }

function complete(at: Scene, { idToken }: Tokens): Members {
  return { id_token_hint: idToken, post_logout_redirect_uri: at.postLogoutRedirectUri }
}

/** Sends the browser to the end-session endpoint. */
export async function endSession(at: Scene, { browser }: SignedIn, members: Members): Promise<Seen> {
  const query = formOf(members).toString()
  return browser.visit(`${await endpointOf(at, 'end_session')}${query === '' ? '' : `?${query}`}`)
}

/** Requires the browser at the client's address, with the state and nothing else (section 3). */
export function assertReturned(at: Scene, { location, status }: Seen, state: string | null): void {
  assert.ok(location, `no redirect, but ${status}`)
  const url = new URL(location)
  assert.equal(`${url.origin}${url.pathname}`, at.postLogoutRedirectUri)
  assert.deepEqual([...url.searchParams], state === null ? [] : [['state', state]])
}

export async function assertSignedOut(at: Scene, { browser }: SignedIn): Promise<void> {
  assertError(await authorize(at, { prompt: 'none' }, { browser }), 'login_required', 'interaction_required')
}

async function assertStillSignedIn(at: Scene, { browser }: SignedIn): Promise<void> {
  codeIn(await authorize(at, { prompt: 'none' }, { browser }))
}

interface Ending {
  readonly at: Scene
  readonly signedIn: SignedIn
  /** Of a request that would bring the browser back. */
  readonly members: Members
}

/** A module whose request must not bring the browser to the client, and not sign out without asking. */
function notReturning(id: string, number: string, membersOf: (ending: Ending) => Promise<Members>): Check {
  return {
    id,
    source: section(number),
    level: 'must',
    needs: 'user',
    run: async (at: Scene) => {
      const signedIn = await freshTokens(at)
      const members = await membersOf({
        at,
        signedIn,
        members: { ...complete(at, signedIn), state: random(24) },
      })
      const seen = await endSession(at, signedIn, members)
      assert.equal(seen.location, null, 'the browser is sent back')
      assert.match(seen.headers.get('content-type') ?? '', /^text\/html/)
      assert.ok(seen.status >= 400 || isQuestion(seen), 'neither an error nor a question')
      await assertStillSignedIn(at, signedIn)
    },
    fault: { at: 'logout', status: 303, answer: {} },
  }
}

/** A module whose request signs out, after a question where the request does not name the session. */
function signingOut(id: string, membersOf: (tokens: Tokens) => Members): Check {
  // A page that says nothing, and asks nothing either.
  const fault: Fault = { at: 'logout', text: '<!doctype html><title>Nothing</title>' }
  return {
    id,
    source: section('2'),
    level: 'must',
    needs: 'user',
    run: async (at: Scene) => {
      const signedIn = await freshTokens(at)
      const seen = await endSession(at, signedIn, membersOf(signedIn))
      const done = isQuestion(seen) ? await signedIn.browser.press(seen, 'sign_out') : seen
      assert.deepEqual([done.status, done.location], [200, null])
      assert.match(done.html, /signed out/i)
      await assertSignedOut(at, signedIn)
    },
    fault,
  }
}

function isQuestion({ html }: Seen): boolean {
  return /name="csrf"/.test(html)
}

/** The same token without a signature (alg none). */
function unsignedOf(token: string): string {
  const [, payload = ''] = token.split('.')
  return `${Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')}.${payload}.`
}

/** The same claims, signed by somebody else under the same key id. */
async function foreignOf(token: string): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256')
  const { kid, typ } = decodeProtectedHeader(token)
  return new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'ES256', typ, kid }).sign(privateKey)
}
