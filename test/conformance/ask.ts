import assert from 'node:assert/strict'
import { jsonOf, textOf, type Json } from './json.js'
import type { Issuer, RegisteredClient } from './provider.js'
import { clientAssertion } from './client-assertion.js'

/** The answer to a request of a check. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Empty where the body is no object of JSON. */
  readonly json: Json
}

export async function ask(at: Issuer, url: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await at.fetch(url, { redirect: 'manual', ...init })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: jsonOf(text) }
}

/** The address of the metadata (OpenID Connect Discovery section 4). */
export function discoveryUrl({ issuer }: Issuer): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/** The metadata, read once in a check. */
export function metadataOf(at: Issuer): Promise<Json> {
  const known = metadata.get(at) ?? ask(at, discoveryUrl(at)).then(({ json }) => json)
  metadata.set(at, known)
  return known
}

const metadata = new WeakMap<Issuer, Promise<Json>>()

/** An address in the metadata, by the name of its member without `_endpoint`. */
export async function endpointOf(at: Issuer, name: string): Promise<string> {
  const url = textOf(await metadataOf(at), name === 'jwks_uri' ? name : `${name}_endpoint`)
  assert.ok(URL.canParse(url), `the metadata have no ${name}`)
  return url
}

/** Parameters of a request; undefined leaves one out. */
export type Members = Readonly<Record<string, string | undefined>>

export function formOf(members: Members): URLSearchParams {
  return new URLSearchParams(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Posts a form to an endpoint, as nobody. */
export async function post(
  at: Issuer,
  endpoint: string,
  members: Members,
  headers: Members = {},
): Promise<Answer> {
  return ask(at, await endpointOf(at, endpoint), {
    method: 'POST',
    headers: Object.fromEntries(formOf(headers)),
    body: formOf(members),
  })
}

/** Posts a form to an endpoint as a client, authenticated in the way that it is registered for. */
export async function postAs(
  at: Issuer,
  client: RegisteredClient,
  endpoint: string,
  members: Members,
): Promise<Answer> {
  const { clientId, authentication } = client
  switch (authentication.method) {
    case 'none':
      return post(at, endpoint, { client_id: clientId, ...members })
    case 'client_secret_basic':
      return post(at, endpoint, members, basic(clientId, authentication.secret))
    case 'client_secret_post':
      return post(at, endpoint, { client_id: clientId, client_secret: authentication.secret, ...members })
    case 'private_key_jwt':
      return post(at, endpoint, { ...(await clientAssertion(at, client)), ...members })
  }
}

/** HTTP Basic with both parts form-encoded (RFC 6749 section 2.3.1). */
export function basic(id: string, secret: string): { readonly authorization: string } {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` }
}

/** Requires an error of OAuth with one of these codes (RFC 6749 section 5.2). */
export function assertRefused(answer: Answer, status: number, ...codes: readonly string[]): void {
  assert.equal(answer.status, status, answer.text)
  assert.ok(codes.includes(textOf(answer.json, 'error')), `${answer.text} is not ${codes.join(' or ')}`)
}
