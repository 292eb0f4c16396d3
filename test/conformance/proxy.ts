import { exportJWK, generateKeyPair, SignJWT, decodeJwt, decodeProtectedHeader } from 'jose'
import type { Endpoint, Fault } from './fault.js'
import { isJson, jsonOf, textOf, type Json } from './json.js'

/** The paths of the service, by which a request is known to be one of an endpoint. */
const paths: Readonly<Record<Exclude<Endpoint, 'receiver'>, RegExp>> = {
  metadata: /\/\.well-known\/(openid-configuration|oauth-authorization-server)/,
  keys: /\/jwks\.json$/,
  authorization: /\/authorize$/,
  page: /\/sign-in\//,
  token: /\/oauth\/token$/,
  userinfo: /\/userinfo$/,
  revocation: /\/oauth\/revoke$/,
  introspection: /\/oauth\/introspect$/,
  logout: /\/logout$/,
}

/** A proxy between the checks and the service, which edits answers as the fault says. */
export function proxyOf(fault: Fault, signer: Signer, send: typeof fetch = fetch): typeof fetch {
  let met = 0
  return async (input, init) => {
    const request = new Request(input, init)
    const body = request.method === 'POST' ? await request.clone().text() : ''
    const answer = await send(request.url, init)
    if (answer.status === 304) return answer
    const { pathname } = new URL(request.url)
    const isMeant = fault.at !== 'receiver' && paths[fault.at].test(pathname)
    if (isMeant && (fault.when ?? answer.status) === answer.status) {
      met += 1
      if ((fault.nth ?? met) === met) return edited(fault, { url: request.url, body }, answer, signer)
    }
    // The signer's keys are published for as long as its tokens are about.
    return fault.token !== undefined && paths.keys.test(pathname) ? withKeys(answer, signer) : answer
  }
}

async function edited(
  fault: Fault,
  request: { readonly url: string; readonly body: string },
  answer: Response,
  signer: Signer,
): Promise<Response> {
  const headers = new Headers(answer.headers)
  // Of the bytes on the wire, which fetch has decoded.
  for (const name of ['content-length', 'content-encoding']) headers.delete(name)
  const location = locationOf(fault, request, headers.get('location'))
  if (location !== null) headers.set('location', location)
  for (const [name, value] of Object.entries(fault.headers ?? {})) {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }
  const status = fault.status ?? answer.status
  const text = await bodyOf(fault, await answer.text(), signer)
  return new Response(status === 204 ? null : text, { status, headers })
}

async function bodyOf({ text, json, token }: Fault, sent: string, signer: Signer): Promise<string> {
  if (typeof text === 'string') return text
  if (text !== undefined) return sent.replace(text[0], text[1])
  if (json !== undefined) return JSON.stringify({ ...jsonOf(sent), ...json })
  if (token === undefined) return sent
  const body = jsonOf(sent)
  const signed = textOf(body, token.name)
  return signed === ''
    ? sent
    : JSON.stringify({ ...body, [token.name]: await resigned(token, signed, signer) })
}

function locationOf(
  { redirect, answer }: Fault,
  request: { readonly url: string; readonly body: string },
  location: string | null,
): string | null {
  if (answer !== undefined) {
    const asked = new URLSearchParams([
      ...new URL(request.url).searchParams,
      ...new URLSearchParams(request.body),
    ])
    const target =
      asked.get('redirect_uri') ?? asked.get('post_logout_redirect_uri') ?? 'https://planted.example/'
    const url = new URL(target)
    const state = asked.get('state')
    for (const [name, value] of Object.entries({ ...answer, ...(state !== null && { state }) }))
      url.searchParams.set(name, value)
    return url.href
  }
  if (redirect === undefined || location === null || !URL.canParse(location)) return location
  const url = new URL(location)
  for (const [name, value] of Object.entries(redirect)) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url.href
}

/** Signs tokens again after their claims were edited. */
export interface Signer {
  readonly sign: (alg: string, claims: Json, header: Json) => Promise<string>
  readonly keys: readonly Json[]
}

export async function createSigner(): Promise<Signer> {
  const [es, rs] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('RS256')])
  const [esKey, rsKey] = await Promise.all([exportJWK(es.publicKey), exportJWK(rs.publicKey)])
  return {
    sign: (alg, claims, header) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ typ: 'JWT', ...header, alg, kid: `planted-${alg}` })
        .sign(alg === 'ES256' ? es.privateKey : rs.privateKey),
    keys: [
      { ...esKey, kid: 'planted-ES256', alg: 'ES256', use: 'sig' },
      { ...rsKey, kid: 'planted-RS256', alg: 'RS256', use: 'sig' },
    ],
  }
}

/** The same token with other claims and members of its header. */
export async function resigned(
  { claims = {}, header = {}, isForged }: NonNullable<Fault['token']>,
  token: string,
  signer: Signer,
): Promise<string> {
  const sent = decodeProtectedHeader(token)
  const alg = sent.alg ?? ''
  const signed = await signer.sign(alg, { ...decodeJwt(token), ...claims }, { typ: sent.typ, ...header })
  if (isForged !== true) return signed
  // The header of the service, whose key has not made this signature.
  return [token.split('.')[0], ...signed.split('.').slice(1)].join('.')
}

async function withKeys(answer: Response, { keys }: Signer): Promise<Response> {
  const body = jsonOf(await answer.text())
  const own = Array.isArray(body['keys']) ? body['keys'].filter(isJson) : []
  return Response.json({ keys: [...own, ...keys] }, { status: answer.status })
}
