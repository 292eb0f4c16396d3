import { AccessError } from './access.js'
import { systemClock, type Clock } from './clock.js'
import { exchange, isObject, jsonOf } from './exchange.js'
import { accessEvaluationOperation, type Client } from './generated.js'
import type { RequestOptions } from './request-options.js'

/** Where an evaluator asks, and for how long it believes an answer. */
export type AccessEvaluatorOptions = (ServiceQuestions | EngineQuestions) & {
  /** Seconds for which an answer is believed, 0 to 60; 10 by default. */
  readonly cacheSeconds?: number | undefined
  /** Called with what has failed, when an answer is no for want of one. */
  readonly onFailure?: ((error: unknown) => void) | undefined
  /** Replaces the system's clock, for tests. */
  readonly clock?: Pick<Clock, 'now'> | undefined
}

/** Of the service, by a client whose key may read roles. */
interface ServiceQuestions {
  readonly client: Client
  /** Domain of the organization of the users. */
  readonly org: string
}

/** Of any engine that speaks AuthZEN. */
interface EngineQuestions {
  /** Its `access_evaluation_endpoint`. */
  readonly url: string
  /** The bearer token of the requests. */
  readonly token?: string | (() => Promise<string>) | undefined
  /** Replaces the global fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** An object that a question is about, such as an invoice. */
export interface AccessResource {
  readonly type: string
  readonly id: string
}

/** Answers whether users have permissions now, whatever their tokens say. */
export interface AccessEvaluator {
  /**
   * Whether a user has a permission. No where nothing answers, which `onFailure` is told of.
   *
   * @param userId `sub` of the user's tokens.
   * @param resource The object that it is about; the service knows its organization alone, an engine of your own knows yours.
   */
  hasPermission(userId: string, permission: string, resource?: AccessResource): Promise<boolean>
  /**
   * Demands that a user has a permission.
   *
   * @param resource As above.
   * @throws AccessError `permission_missing`, and `permissions_unavailable` where nothing answers. Answer 403 to both.
   */
  requirePermission(userId: string, permission: string, resource?: AccessResource): Promise<void>
}

const maxCacheSeconds = 60
const maxCached = 10_000
const timeoutMs = 5_000
const maxBytes = 64 * 1024

/**
 * Makes an evaluator, which asks the service, or an engine of your own that speaks AuthZEN (OpenID AuthZEN Authorization API
 * 1.0): for what cannot wait until a token is renewed, and for users whose permissions do not fit into one.
 *
 * @throws TypeError for other than 0 to 60 seconds.
 * @example
 * ```ts
 * const access = createAccessEvaluator({ client, org: 'awesome-company' })
 * const { sub } = await verifier.verifyAccessToken(token)
 * if (await access.hasPermission(sub, 'invoices:read')) console.log('open')
 * ```
 */
export function createAccessEvaluator(options: AccessEvaluatorOptions): AccessEvaluator {
  const { cacheSeconds = 10, onFailure = () => undefined, clock = systemClock } = options
  if (!(cacheSeconds >= 0 && cacheSeconds <= maxCacheSeconds))
    throw new TypeError(`cacheSeconds must be 0 to ${maxCacheSeconds}`)
  const ask = 'client' in options ? askService(options) : askEngine(options)
  const known = new Map<string, { readonly decision: boolean; readonly until: number }>()

  /** @returns The decision, or what has failed. */
  async function decide(
    userId: string,
    permission: string,
    resource: AccessResource | undefined,
  ): Promise<boolean | { readonly cause: unknown }> {
    const key = JSON.stringify([userId, permission, resource?.type, resource?.id])
    const cached = known.get(key)
    if (cached !== undefined && cached.until > clock.now()) return cached.decision
    known.delete(key)
    try {
      const decision = await ask({
        subject: { type: 'user', id: userId },
        action: { name: permission },
        ...(resource !== undefined && { resource: { type: resource.type, id: resource.id } }),
      })
      const [oldest] = known.keys()
      if (known.size >= maxCached && oldest !== undefined) known.delete(oldest)
      known.set(key, { decision, until: clock.now() + cacheSeconds * 1000 })
      return decision
    } catch (cause) {
      onFailure(cause)
      return { cause }
    }
  }

  return {
    hasPermission: async (userId, permission, resource) =>
      (await decide(userId, permission, resource)) === true,
    async requirePermission(userId, permission, resource) {
      const decision = await decide(userId, permission, resource)
      if (decision === true) return
      if (decision === false) throw new AccessError('permission_missing', permission)
      throw new AccessError('permissions_unavailable', permission, decision)
    },
  }
}

interface Question {
  readonly subject: { readonly type: 'user'; readonly id: string }
  readonly action: { readonly name: string }
  readonly resource?: AccessResource
}

type Ask = (question: Question) => Promise<boolean>

function askService({ client, org: org_domain }: ServiceQuestions): Ask {
  const [resource = '', verb = ''] = accessEvaluationOperation.split('.')
  const operation: unknown = Reflect.get(Object(Reflect.get(client, resource)), verb)
  if (typeof operation !== 'function') throw new TypeError('client must be one that createClient() made')
  // The generator writes the client and the name of the operation from the same route.
  const evaluate = operation as Evaluate
  return async (question) => (await evaluate({ org_domain, ...question }, { timeoutMs })).decision
}

type Evaluate = (
  input: Question & { readonly org_domain: string },
  options: RequestOptions,
) => Promise<{ readonly decision: boolean }>

function askEngine({ url, token, fetch }: EngineQuestions): Ask {
  return async (question) => {
    const bearer = typeof token === 'function' ? await token() : token
    const headers = new Headers({ accept: 'application/json', 'content-type': 'application/json' })
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
    const init = { method: 'POST', headers, body: JSON.stringify(question) }
    const answer = await exchange(url, init, { fetch, timeoutMs, maxBytes })
    const body = jsonOf(answer)
    if (answer.status !== 200 || !isObject(body) || typeof body['decision'] !== 'boolean')
      throw new Error(`the evaluation answers ${answer.status}`)
    return body['decision']
  }
}
