import { createSessions, type Auth, type GuardOptions, type SessionOptions } from './session.js'
import { demandsOf, outageOf } from './session/guard.js'

/** What of a context of Hono 4 is used. */
export interface HonoContext {
  readonly req: { readonly raw: Request; param(): Readonly<Record<string, unknown>> }
  header(name: string, value: string, options: { readonly append: boolean }): void
  set(key: 'auth', value: Auth): void
}

/** A middleware of Hono. */
export type HonoMiddleware = (
  context: HonoContext,
  next: () => Promise<void>,
) => Promise<Response | undefined>

/** The variables of the context, for `new Hono<{ Variables: AuthVariables }>()`. */
export interface AuthVariables {
  /** The user of the request. */
  auth: Auth
}

/** The session layer of a Hono application. */
export interface HonoAuth {
  /** Answers below `/auth`, and tells every other route who a request is from. */
  readonly middleware: HonoMiddleware
  /** Lets requests of users who are signed in pass. A page goes to the sign-in; anything else is 401, 403 or 409. */
  requireUser(demands?: GuardOptions<HonoContext>): HonoMiddleware
  /** The same for users whose claim `permissions` has a name; `claims` of the options has to keep the claim. */
  requirePermission(permission: string, demands?: GuardOptions<HonoContext>): HonoMiddleware
}

/**
 * Makes the session layer of a Hono application.
 *
 * @param options What is left out is read from the environment.
 * @throws TypeError that names every option that is missing or invalid.
 * @example
 * ```ts
 * const { middleware, requireUser } = portico()
 * console.log(typeof middleware, typeof requireUser())
 * ```
 */
export function portico(options: SessionOptions = {}): HonoAuth {
  const sessions = createSessions(options)
  const known = new WeakMap<object, Auth>()

  function guard(demands: GuardOptions<HonoContext>, permission?: string): HonoMiddleware {
    return async (context, next) => {
      const auth = known.get(context)
      if (auth === undefined) throw new TypeError('app.use(auth.middleware) must come before the routes')
      const refusal = sessions.guard(context.req.raw, auth, { ...demandsOf(demands, context), permission })
      if (refusal === undefined) await next()
      return refusal
    }
  }

  return {
    async middleware(context, next) {
      const { raw } = context.req
      const setCookies: string[] = []
      let isAnswered = false
      const use = {
        get write() {
          return isAnswered ? undefined : (setCookie: string) => void setCookies.push(setCookie)
        },
      }
      try {
        const answer = await sessions.handle(raw)
        if (answer !== undefined) return answer
        const auth = await sessions.read(raw, use)
        known.set(context, auth)
        context.set('auth', auth)
      } catch (error) {
        const outage = outageOf(error)
        if (outage === undefined) throw error
        return outage
      }
      await next()
      isAnswered = true
      // Afterwards, because an answer that a route makes by itself would lose them.
      for (const setCookie of setCookies) context.header('set-cookie', setCookie, { append: true })
      if (setCookies.length > 0) context.header('cache-control', 'no-store', { append: false })
      return undefined
    },
    requireUser: (demands = {}) => guard(demands),
    requirePermission: (permission, demands = {}) => guard(demands, permission),
  }
}
