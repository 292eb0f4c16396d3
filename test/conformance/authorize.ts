import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createLocalJWKSet, jwtVerify, type JWTPayload } from 'jose'
import type { Seen, Visitor } from '../given/visitor.js'
import { ask, endpointOf, formOf, metadataOf, postAs, type Answer, type Members } from './ask.js'
import { isJson, listOf, textOf } from './json.js'
import type { ClientSide, Issuer, RegisteredClient, Scene } from './provider.js'

/** An authorization request, and what its client remembers of it. */
export interface Asked {
  readonly url: string
  readonly parameters: URLSearchParams
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly client: RegisteredClient
}

export interface AskOptions {
  readonly client?: RegisteredClient
  readonly browser?: Visitor
}

/** A valid authorization request, with members that differ; undefined removes one. */
export async function requestOf(
  at: ClientSide,
  members: Members = {},
  { client = at.client }: AskOptions = {},
): Promise<Asked> {
  const [state, nonce, verifier] = [random(24), random(16), random(32)]
  const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
  const parameters = formOf({
    client_id: client.clientId,
    redirect_uri: at.redirectUri,
    response_type: 'code',
    scope: 'openid',
    state,
    nonce,
    ...(client.isPkceOptional ? {} : pkce),
    ...members,
  })
  const url = new URL(await endpointOf(at, 'authorization'))
  for (const [name, value] of parameters) url.searchParams.append(name, value)
  return { url: url.href, parameters, state, nonce, verifier, client }
}

export function random(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

/** S256 (RFC 7636 section 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/** Where a browser is after an authorization request. */
export interface Arrival {
  readonly seen: Seen
  /** Of the redirect to the client; undefined where the browser is elsewhere. */
  readonly answer: URLSearchParams | undefined
  readonly asked: Asked
}

/** Sends a browser with an authorization request, up to a page or an answer to the client. */
export async function authorize(
  at: ClientSide,
  members: Members = {},
  options: AskOptions = {},
): Promise<Arrival> {
  const { browser = at.browser() } = options
  const asked = await requestOf(at, members, options)
  return arrivalOf(at, asked, await browser.visit(asked.url))
}

export function arrivalOf(at: ClientSide, asked: Asked, seen: Seen): Arrival {
  const isAnswer = seen.location?.split('?')[0] === at.redirectUri
  const answer = isAnswer ? new URL(seen.location ?? '').searchParams : undefined
  return { seen, asked, answer }
}

/** Requires a page of the provider, without any redirect. */
export function assertPage({ seen, answer }: Arrival): void {
  assert.equal(answer, undefined, `a redirect to the client instead of a page: ${seen.location}`)
  assert.equal(seen.status, 200, `status ${seen.status} at ${seen.url}`)
  assert.match(seen.headers.get('content-type') ?? '', /^text\/html/)
}

/** Requires that the browser is told of an error, and not sent to any client. */
export function assertErrorPage({ seen }: Arrival): void {
  assert.equal(seen.location, null, `a redirect to ${seen.location}`)
  assert.ok(seen.status >= 400 && seen.status < 500, `status ${seen.status}`)
}

/** Requires an error for the client, with the state of the request and without a code. */
export function assertError({ answer, asked, seen }: Arrival, ...codes: readonly string[]): URLSearchParams {
  assert.ok(answer, `no redirect to the client, but ${seen.status} at ${seen.url}`)
  assert.ok(codes.includes(answer.get('error') ?? ''), `${answer} is not ${codes.join(' or ')}`)
  assert.equal(answer.get('code'), null, 'a code beside an error')
  assert.equal(answer.get('state'), asked.state)
  return answer
}

/** Requires a code for the client, with the state of the request. */
export function codeIn({ answer, asked, seen }: Arrival): string {
  assert.ok(answer, `no redirect to the client, but ${seen.status} at ${seen.url}`)
  assert.equal(answer.get('error'), null, `an error: ${answer}`)
  assert.equal(answer.get('state'), asked.parameters.get('state'))
  return answer.get('code') ?? assert.fail('no code')
}

/** The answer of the token endpoint to a code. */
export interface Tokens {
  readonly answer: Answer
  readonly asked: Asked
  readonly code: string
  readonly idToken: string
  readonly accessToken: string
  readonly refreshToken: string
}

/** Requires a text of granted scopes; openid is about the ID token, so an access token need not have it. */
export function assertScope(scope: unknown, granted: readonly string[]): void {
  assert.ok(typeof scope === 'string', `scope is ${JSON.stringify(scope)}`)
  const told = scope.split(' ')
  assert.deepEqual(
    granted.filter((each) => each === 'openid' || told.includes(each)),
    granted,
  )
  assert.ok(
    told.every((each) => granted.includes(each)),
    `${scope} is more than ${granted.join(' ')}`,
  )
}

/** The parameters with which a client exchanges a code. */
export function exchangeOf(at: ClientSide, { asked }: Arrival, code: string): Members {
  const { verifier, parameters } = asked
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: at.redirectUri,
    code_verifier: parameters.has('code_challenge') ? verifier : undefined,
  }
}

/** Exchanges the code with which a browser has arrived. */
export async function exchange(at: ClientSide, arrival: Arrival): Promise<Tokens> {
  const code = codeIn(arrival)
  const { asked } = arrival
  return tokensIn(await postAs(at, asked.client, 'token', exchangeOf(at, arrival, code)), asked, code)
}

/** Requires the tokens of an answer. */
export function tokensIn(answer: Answer, asked: Asked, code = ''): Tokens {
  assert.equal(answer.status, 200, answer.text)
  return {
    answer,
    asked,
    code,
    idToken: textOf(answer.json, 'id_token'),
    accessToken: textOf(answer.json, 'access_token'),
    refreshToken: textOf(answer.json, 'refresh_token'),
  }
}

/** Tokens of the user, who is signed in in the browser. */
export async function tokensFor(at: Scene, members: Members = {}, options: AskOptions = {}): Promise<Tokens> {
  return exchange(at, await authorize(at, members, { browser: at.signedIn(), ...options }))
}

/** Fills in the pages that ask for the user, until the browser is sent to the client. */
export async function signIn(at: Scene, arrival: Arrival, browser: Visitor): Promise<Arrival> {
  let { seen } = arrival
  assertPage(arrival)
  if (!hasField(seen, 'password')) seen = await browser.press(seen, 'identify', { email: at.user.email })
  seen = await browser.press(seen, 'password', { password: at.user.password })
  return arrivalOf(at, arrival.asked, seen)
}

export function hasField({ html }: Seen, type: string): boolean {
  return new RegExp(`<input[^>]* type="${type}"`).test(html)
}

/** A sign-in in a browser that has no session, with its tokens. */
export async function freshTokens(at: Scene, members: Members = {}, browser = at.browser()) {
  const arrival = await authorize(at, members, { browser })
  return { browser, ...(await exchange(at, await signIn(at, arrival, browser))) }
}

export async function keysOf(at: Issuer) {
  const { json } = await ask(at, await endpointOf(at, 'jwks_uri'))
  const { keys } = json
  return Array.isArray(keys) ? keys.filter(isJson) : []
}

/** Verifies a token with the provider's keys, as jose does, and gives its claims. */
export async function verified(
  at: Issuer,
  token: string,
  audience: string | undefined,
  typ?: string,
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(
    token,
    createLocalJWKSet({ keys: [...(await keysOf(at))].map(asKey) }),
    {
      issuer: at.issuer,
      ...(audience !== undefined && { audience }),
      ...(typ !== undefined && { typ }),
      currentDate: at.now(),
      clockTolerance: 5,
      algorithms: [...listOf(await metadataOf(at), 'id_token_signing_alg_values_supported')],
    },
  )
  return payload
}

function asKey(key: Readonly<Record<string, unknown>>) {
  return { ...key, kty: textOf(key, 'kty') }
}

/** The verified claims of the ID token of an answer. */
export function idTokenOf(at: Issuer, { idToken, asked }: Tokens): Promise<JWTPayload> {
  return verified(at, idToken, asked.client.clientId)
}

/** The claims of UserInfo, or its refusal. */
export async function userInfo(at: Issuer, accessToken: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${accessToken}` }
  return ask(at, await endpointOf(at, 'userinfo'), { headers, ...init })
}
