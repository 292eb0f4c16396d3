import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { CompactSign, exportJWK, SignJWT } from 'jose'
import { anything } from './given.js'
import { listenUntilFileEnd } from './loopback.js'

/** The claims of a user at the provider. */
export type SaidClaims = Readonly<Record<string, unknown>> & { readonly sub: string }

/** Deviations of an answer from a valid one. */
export interface Forgery {
  /** Claims of the ID token to replace, or to remove with undefined. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Replaces the creation of the ID token. */
  readonly idToken?: (claims: Readonly<Record<string, unknown>>) => string | Promise<string>
  /** Parameters of the redirect to replace, or to remove with undefined. */
  readonly parameters?: Readonly<Record<string, string | undefined>>
}

/** A handler of a path of the provider. */
export type Answer = (res: ServerResponse, req: IncomingMessage) => void

export type TestOpenIdProvider = Awaited<ReturnType<typeof startOpenIdProvider>>

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const algorithm = { alg: 'RS256', kid: 'key-1' }

/** Starts an OpenID provider whose answers a test can change; it ends with the test file. */
export async function startOpenIdProvider(clock: { now(): Date }) {
  const codes = new Map<
    string,
    { challenge: string | null; claims: SaidClaims; idToken: Forgery['idToken'] }
  >()
  const userinfos = new Map<string, Readonly<Record<string, unknown>>>()
  const answers = new Map<string, Answer>()
  const asked: string[] = []
  const client = { id: `client ${anything()}`, secret: `secret:${anything()}+/%` }
  const publicJwk = { ...(await exportJWK(publicKey)), ...algorithm, use: 'sig' }
  const keySet = { keys: [publicJwk] }

  const server = createServer((req, res) => {
    const path = req.url ?? ''
    asked.push(path)
    const special = answers.get(path)
    if (special !== undefined) return special(res, req)
    if (path === '/.well-known/openid-configuration') return sendJson(res, discovery())
    if (path === '/keys') return sendJson(res, keySet)
    if (path === '/userinfo') return sendJson(res, userinfos.get(req.headers.authorization ?? '') ?? {})
    if (path === '/token') return void exchange(req, res)
    res.writeHead(404).end()
  })
  const port = await listenUntilFileEnd(server)
  const issuer = `http://127.0.0.1:${port}`

  function discovery(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      ...changes,
    }
  }

  async function exchange(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await textOf(req))
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!isClient(req, form)) return sendJson(res, { error: 'invalid_client' }, 401)
    if (code === undefined || verifier !== code.challenge)
      return sendJson(res, { error: 'invalid_grant', error_description: 'no such code' }, 400)
    const accessToken = randomBytes(16).toString('base64url')
    const idToken = await (code.idToken === undefined ? sign(code.claims) : code.idToken(code.claims))
    sendJson(res, { access_token: accessToken, token_type: 'Bearer', id_token: idToken })
  }

  /** Checks the credentials, form-encoded as a secret with a colon must be (RFC 6749 section 2.3.1). */
  function isClient({ headers }: IncomingMessage, form: URLSearchParams): boolean {
    if (form.get('client_secret') !== null) return form.get('client_secret') === client.secret
    const [id = '', secret = ''] = Buffer.from((headers.authorization ?? '').slice('Basic '.length), 'base64')
      .toString()
      .split(':')
      .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
    return id === client.id && secret === client.secret
  }

  function sign(
    claims: Readonly<Record<string, unknown>>,
    header: { readonly typ?: string; readonly kid?: string } = {},
  ): Promise<string> {
    return new SignJWT({ ...claims }).setProtectedHeader({ ...algorithm, ...header }).sign(privateKey)
  }

  return {
    issuer,
    client,
    privateKey,
    publicKey,
    publicJwk,
    /** The requested paths. */
    asked,
    discovery,
    sign,
    /** Signs claims given as text, for JSON that no object can represent. */
    signText: (text: string) =>
      new CompactSign(Buffer.from(text)).setProtectedHeader(algorithm).sign(privateKey),
    /** Replaces the handler of a path. */
    answer(path: string, answer: Answer): void {
      answers.set(path, answer)
    },
    /** Approves an authorization request of the service; returns the URL to which the provider redirects the browser. */
    approve(address: string, { sub, ...said }: SaidClaims, forgery: Forgery = {}): string {
      const sent = new URL(address).searchParams
      const code = randomBytes(16).toString('base64url')
      const seconds = Math.floor(clock.now().getTime() / 1000)
      const claims = {
        iss: issuer,
        aud: sent.get('client_id'),
        sub,
        iat: seconds,
        exp: seconds + 300,
        nonce: sent.get('nonce'),
        ...said,
        ...forgery.claims,
      }
      codes.set(code, { challenge: sent.get('code_challenge'), claims, idToken: forgery.idToken })
      const back = new URL(sent.get('redirect_uri') ?? '')
      const parameters = { code, state: sent.get('state') ?? '', ...forgery.parameters }
      for (const [name, value] of Object.entries(parameters))
        if (value !== undefined) back.searchParams.set(name, value)
      return back.href
    },
  }
}

export function sendJson(res: ServerResponse, body: object, status = 200): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  // A request without an encoding yields buffers.
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
