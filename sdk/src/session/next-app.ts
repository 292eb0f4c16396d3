import { createSessions, type Sessions } from '../session.js'
import type { Auth, SignedIn } from './auth.js'
import { demandsOf, outageOf, refusalOf, type Demands, type GuardOptions, type RequestHead } from './guard.js'
import { environmentVariables, settingsOf, type SessionOptions, type SessionSettings } from './options.js'
import { addressOf, isBelow } from './return-to.js'
import { createRevocations, type Revocations } from './revocations.js'
import { SessionError } from './session-error.js'

/** What Next.js offers to code that runs for a request. */
export interface NextRuntime {
  headers(): Promise<{ get(name: string): string | null }>
  /** Ends the rendering. */
  redirect(path: string): Promise<never>
  /** Lets a request go on with other headers. */
  pass(headers: Headers): Promise<Response>
}

type Handler = (request: Request) => Promise<Response>

/** The session layer of a Next.js application. */
export interface NextAuth {
  /** For `app/auth/[...portico]/route.ts`: `export const { GET, POST } = auth.handlers`. */
  readonly handlers: { readonly GET: Handler; readonly POST: Handler }
  /** For `proxy.ts` (`middleware.ts` before Next 16): renews sessions, because pages cannot write cookies. */
  readonly proxy: Handler
  /** The user for whom a page, a layout or a server action is rendered. */
  getAuth(): Promise<Auth>
  /**
   * The same for pages of users who are signed in; others are sent to the sign-in.
   *
   * @throws SessionError for what no sign-in helps against, such as `impersonated`.
   */
  requireUser(demands?: Demands): Promise<SignedIn>
  /** A route handler for users who are signed in. */
  protect<Context>(
    handler: (request: Request, auth: SignedIn, context: Context) => Response | Promise<Response>,
    demands?: GuardOptions<Request> & Pick<Demands, 'permission'>,
  ): (request: Request, context: Context) => Promise<Response>
}

/** Tells pages their own address, which Next.js does not. It decides where a sign-in returns to, and nothing else. */
const pathHeader = 'x-portico-path'

export function createNextAuth(options: SessionOptions, runtime: NextRuntime): NextAuth {
  let made: Sessions | undefined
  let known: SessionSettings | undefined
  const revocations = options.revocations ?? revocationsOfProcess(options.now)
  const sessions = () => (made ??= createSessions({ ...options, revocations }))
  const settings = () => (known ??= settingsOf(options))
  // A build imports the files of an application without the variables of its deployment.
  if (environmentVariables()['NEXT_PHASE'] !== 'phase-production-build') sessions()

  const handle: Handler = async (request) =>
    (await sessions().handle(request)) ?? new Response(null, { status: 404 })

  /** Reads the session of a page from its own cookie, never from what the proxy says. */
  async function readPage(): Promise<{ head: RequestHead; auth: Auth }> {
    const headers = await runtime.headers()
    const pagePath = headers.get(pathHeader) ?? undefined
    // A server action is a POST to the address of its page.
    const method = headers.get('next-action') === null ? 'GET' : 'POST'
    const head = { method, url: '/', headers, pagePath }
    return { head, auth: await sessions().read(head) }
  }

  return {
    handlers: { GET: handle, POST: handle },

    async proxy(request) {
      const { appUrl, basePath } = settings()
      const { pathname, search } = addressOf(request.url, appUrl)
      const headers = new Headers(request.headers)
      headers.set(pathHeader, pathname + search)
      if (isBelow(pathname, basePath) || isBelow(pathname, '/_next')) return runtime.pass(headers)
      const setCookies: string[] = []
      try {
        await sessions().read(request, {
          write: (setCookie) => setCookies.push(setCookie),
          forward: (cookies) => headers.set('cookie', cookies),
        })
      } catch (error) {
        const outage = outageOf(error)
        if (outage === undefined) throw error
        return outage
      }
      return withCookies(await runtime.pass(headers), setCookies)
    },

    getAuth: async () => (await readPage()).auth,

    async requireUser(demands = {}) {
      const { head, auth } = await readPage()
      const refusal = refusalOf(head, auth, demands, settings())
      if (refusal?.signIn !== undefined) return runtime.redirect(refusal.signIn)
      if (refusal !== undefined || auth.session === null)
        throw new SessionError(refusal?.code ?? 'signed_out', 'the session may not see this page')
      return auth
    },

    protect:
      (handler, { permission, ...demands } = {}) =>
      async (request, context) => {
        const setCookies: string[] = []
        let isAnswered = false
        const use = {
          get write() {
            return isAnswered ? undefined : (setCookie: string) => setCookies.push(setCookie)
          },
        }
        const auth = await sessions()
          .read(request, use)
          .catch((error: unknown) => {
            const outage = outageOf(error)
            if (outage === undefined) throw error
            return outage
          })
        if (auth instanceof Response) return auth
        const refusal = sessions().guard(request, auth, { ...demandsOf(demands, request), permission })
        if (refusal !== undefined || auth.session === null)
          return withCookies(refusal ?? new Response(null, { status: 401 }), setCookies)
        const answer = await handler(request, auth, context)
        isAnswered = true
        return withCookies(answer, setCookies)
      },
  }
}

/** One memory: Next.js loads the application for its proxy, and once more for routes, and a webhook reaches one of them. */
function revocationsOfProcess(now: SessionOptions['now']): Revocations {
  const key = Symbol.for('@portico/sdk/next revocations')
  const known: unknown = Reflect.get(globalThis, key)
  if (isRevocations(known)) return known
  const made = createRevocations(now)
  Reflect.set(globalThis, key, made)
  return made
}

function isRevocations(value: unknown): value is Revocations {
  return typeof value === 'object' && value !== null && 'add' in value && 'since' in value
}

function withCookies(answer: Response, setCookies: readonly string[]): Response {
  if (setCookies.length === 0) return answer
  // The headers of an answer that was fetched cannot be changed.
  const response = new Response(answer.body, answer)
  for (const setCookie of setCookies) response.headers.append('set-cookie', setCookie)
  response.headers.set('cache-control', 'no-store')
  return response
}
