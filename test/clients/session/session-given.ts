import { createServer, request as httpRequest, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  createSessions,
  SessionError,
  type Auth,
  type Demands,
  type SessionOptions,
  type Sessions,
  type SignedIn,
} from '@portico/sdk/session'
import { onTestFinished } from 'vitest'
import { account, startAccountProvider, type ProvidedSignIn } from '../../given/account-provider.js'
import { createVisitor, type Seen } from '../../given/visitor.js'

export const appUrl = 'https://app.example'
export const secret = 'a-secret-of-32-characters-or-more'
export const cookieName = '__Host-portico'
export const mfa = 'urn:portico:acr:mfa'
/** Of a browser that loads a page. */
export const navigation = {
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  accept: 'text/html,*/*',
}
/** Of a script of the application's pages. */
export const script = { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }
/** Of a form of the application's pages. */
export const form = { ...navigation, origin: appUrl, 'sec-fetch-site': 'same-origin' }

/** A user whom no session tells of. */
export const forged: SignedIn = {
  user: { id: 'attacker', email: 'eve@other.example', name: null, claims: {} },
  organization: { domain: 'awesome-company' },
  session: {
    ...{ id: 'none', acr: mfa, amr: [], authenticatedAt: new Date(), expiresAt: new Date() },
    accessToken: async () => 'none',
  },
  impersonator: null,
}

export type Provider = Awaited<ReturnType<typeof startAccountProvider>>

export function optionsOf(provider: Provider, options: SessionOptions = {}): SessionOptions {
  const { baseUrl, clientId, clientSecret } = account
  return {
    ...{ baseUrl, clientId, clientSecret, account: 'acme', environment: 'sandbox', appUrl, secret },
    now: () => provider.state.seconds * 1000,
    fetch: provider.fetch,
    onError: () => undefined,
    ...options,
  }
}

/** An application with a page that everybody may see, and /invoices for users. */
export function applicationOf(sessions: Sessions, demands: Demands = {}): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const answer = await sessions.handle(request)
    if (answer !== undefined) return answer
    const headers = new Headers()
    try {
      const auth = await sessions.read(request, { write: (line) => headers.append('set-cookie', line) })
      const { pathname } = new URL(request.url)
      const refusal = pathname === '/' ? undefined : sessions.guard(request, auth, demands)
      if (refusal !== undefined) {
        for (const line of headers.getSetCookie()) refusal.headers.append('set-cookie', line)
        return refusal
      }
      const token = pathname === '/token' ? await auth.session?.accessToken() : undefined
      return Response.json({ ...auth, token }, { headers })
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      return Response.json({ error: error.code }, { status: error.status, headers })
    }
  }
}

/** An application and its provider, with a browser. */
export async function startProduct(options: SessionOptions = {}, demands: Demands = {}) {
  const provider = await startAccountProvider()
  const faults: unknown[] = []
  const all = optionsOf(provider, { onError: (error) => faults.push(error), ...options })
  const sessions = createSessions(all)
  return {
    provider,
    sessions,
    faults,
    options: all,
    ...browserOf(provider, applicationOf(sessions, demands)),
  }
}

/** A browser that uses an application. */
export function browserOf(provider: Pick<Provider, 'signIn'>, application: typeof fetch) {
  const visitor = createVisitor(appUrl, application)
  const open = (path: string, headers: Record<string, string> = navigation) =>
    visitor.request(path, { headers })

  /** Begins a sign-in: the address of the service. */
  async function begin(path = '/auth/sign-in?return_to=/invoices'): Promise<string> {
    const { location } = await open(path)
    return location ?? ''
  }

  return {
    visitor,
    open,
    begin,
    /** Begins a sign-in and completes it; the answer to the callback. */
    async signIn(by: ProvidedSignIn = {}, path?: string): Promise<Seen> {
      return open(provider.signIn(await begin(path), by))
    },
    post: (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = form) =>
      visitor.request(path, { method: 'POST', headers, body: new URLSearchParams(fields) }),
    cookie: () => visitor.cookies.get(cookieName),
  }
}

/** Sends requests with the headers as they are: fetch of Node changes Sec-Fetch-Mode. */
export async function listen(application: RequestListener): Promise<typeof fetch> {
  const server = createServer(application).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return async (input, init) => {
    const sent = new Request(input, init)
    const { pathname, search } = new URL(sent.url)
    const body = await sent.text()
    return new Promise((resolve, reject) => {
      const headers = { ...Object.fromEntries(sent.headers), host: 'other-host.example' }
      const asked = httpRequest({ port, method: sent.method, path: pathname + search, headers }, (answer) => {
        const received = new Headers()
        for (const [name, values = []] of Object.entries(answer.headersDistinct))
          for (const value of values) received.append(name, value)
        const status = answer.statusCode ?? 0
        text(answer).then(
          (read) => resolve(new Response(status === 204 ? null : read, { status, headers: received })),
          reject,
        )
      })
      asked.on('error', reject).end(body)
    })
  }
}

/** A body that asks for the access token as it is read: after the answer has begun. */
export function lateToken({ session }: Auth): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const told = await session?.accessToken().catch((error: unknown) => String(Object(error).code))
        controller.enqueue(new TextEncoder().encode(told))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The error code of an answer in JSON, or of a page. */
export function codeOf({ html }: Seen): string | undefined {
  return (
    /"code":"(\w+)"/.exec(html)?.[1] ?? /"error":"(\w+)"/.exec(html)?.[1] ?? /<small>(\w+)/.exec(html)?.[1]
  )
}

/** The member of an answer in JSON. */
export function memberOf({ html }: Seen, name: string): unknown {
  return (JSON.parse(html) as Record<string, unknown>)[name]
}

/** A product whose user has signed in. */
export async function signedIn(...given: Parameters<typeof startProduct>) {
  const product = await startProduct(...given)
  await product.signIn()
  return product
}

/** The secret of the webhook of these products. */
export const webhookKey = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
