import { nilId } from '@portico/contract/fields'
import type { Config } from '../../platform/config/config.js'
import { fingerprints } from '../../platform/crypto/seal.js'
import type { PlatformDeps } from '../../platform/deps/deps.js'
import { ApiError, type LimitState } from '../../platform/errors.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import { openCounter, type Policy } from './counter.js'

/** How often something may be done in a window of time, which begins with the first. */
export interface Limit extends Omit<Policy, 'most'> {
  most(settings: Config['limits']): number
}

/** Who is counted: an organization, or without a domain the account, in an environment. */
export interface LimitKey {
  readonly accountId: string
  readonly environment: string
  readonly domain?: string
  /** What is counted there: a normalized e-mail address, a phone number, an id; without it the organization itself. */
  readonly address?: string
}

/** How often something was done, with the time at hand. */
interface Counted {
  readonly count: number
  readonly state: LimitState
}

/** Counts in the database, for all processes. */
export interface Limits {
  /**
   * Counts one more.
   *
   * @throws ApiError `rate_limited` when it is one too many.
   */
  take(limit: Limit, key: LimitKey): Promise<LimitState>
  /** Counts one more and refuses nothing; of many at once, each is told another number. */
  add(limit: Limit, key: LimitKey): Promise<Counted>
  /** Counts one less: what was added turned out to be nothing to count. */
  takeBack(limit: Limit, key: LimitKey): Promise<void>
  /** Lets nothing more pass for so long, instead of until the window ends. */
  lock(limit: Limit, key: LimitKey, seconds: number): Promise<void>
  forget(limit: Limit, key: LimitKey): Promise<void>
  /**
   * Refuses a sender of whom too much was noted; asks nobody but this process, so that what is not noted costs nothing.
   *
   * @throws ApiError `rate_limited`
   */
  check(limit: Limit, sender: string): void
  /**
   * Counts what a sender who is nobody yet has sent, for all processes. A process learns that no more are let pass when
   * it notes one itself.
   *
   * @returns Whether it is the last one that is let pass, of which there is one in a window.
   * @throws ApiError `rate_limited`
   */
  note(limit: Limit, sender: string): Promise<boolean>
}

/** Those of all features, so that the metrics have each from the start. */
const limits = new Set<Limit>()

/** States a limit, beside the code that counts by it. The name is that of its rows, its metric and the header. */
export function limit(name: string, { windowSeconds, most }: Omit<Limit, 'name'>): Limit {
  const stated = { name, windowSeconds, most }
  limits.add(stated)
  return stated
}

/** The network of a client, for all accounts together. */
export function networkKey(ip: string): LimitKey {
  return { accountId: '', environment: '', address: networkOfClient(ip) }
}

/** Senders that are remembered; more are forgotten together, and counted on in the database. */
const memory = 10_000

/** Decision 14 says why limits are what they are. */
export function openLimits(
  deps: Pick<PlatformDeps, 'config' | 'db' | 'now' | 'log' | 'keys' | 'metrics'>,
): Limits {
  const opened = new Map<Limit, ReturnType<typeof openLimit>>()
  for (const stated of limits) open(stated)

  function open(stated: Limit) {
    const known = opened.get(stated) ?? openLimit(deps, stated)
    opened.set(stated, known)
    return known
  }

  /** Who is counted is told by digests alone, which without a master key nobody can make or look up. */
  function keyOf({ accountId, environment, domain, address }: LimitKey): string {
    const context = { purpose: 'limit', scope: accountId, aad: 'rate_limits.key' }
    const whose = JSON.stringify([environment, domain, address])
    return fingerprints(deps.keys.master, context, whose)[0].toString('base64url')
  }

  async function add(stated: Limit, key: LimitKey): Promise<Counted> {
    const { policy, counter, hits } = open(stated)
    // Unlike consume() it tells a count above the limit as it tells any other.
    const { consumedPoints: count, msBeforeNext } = await counter.penalty(keyOf(key))
    if (count > policy.most) hits.inc()
    return { count, state: stateOf(policy, count, Math.ceil(msBeforeNext / 1000)) }
  }

  return {
    add,
    async take(stated, key) {
      const { count, state } = await add(stated, key)
      if (count > state.limit) throw new ApiError('rate_limited', { limit: state })
      return state
    },
    async takeBack(stated, key) {
      await open(stated).counter.reward(keyOf(key))
    },
    async lock(stated, key, seconds) {
      await open(stated).counter.block(keyOf(key), seconds)
    },
    async forget(stated, key) {
      await open(stated).counter.delete(keyOf(key))
    },
    check(stated, sender) {
      const { policy, hits, closedUntilMs } = open(stated)
      const untilMs = closedUntilMs.get(sender)
      if (untilMs === undefined) return
      const leftMs = untilMs - deps.now().getTime()
      if (leftMs > 0) {
        hits.inc()
        refuse(stateOf(policy, policy.most, Math.ceil(leftMs / 1000)))
      }
      closedUntilMs.delete(sender)
    },
    async note(stated, sender) {
      const { closedUntilMs } = open(stated)
      const { count, state } = await add(stated, { accountId: nilId, environment: '', address: sender })
      if (count < state.limit) return false
      if (closedUntilMs.size >= memory) closedUntilMs.clear()
      closedUntilMs.set(sender, deps.now().getTime() + state.resetSeconds * 1000)
      if (count > state.limit) refuse(state)
      return true
    },
  }
}

function openLimit(deps: Parameters<typeof openLimits>[0], { name, windowSeconds, most }: Limit) {
  const policy: Policy = { name, windowSeconds, most: most(deps.config.limits) }
  const hits = deps.metrics.rateLimitHits.labels({ limit: name })
  hits.inc(0)
  /** Senders of whom no more is let pass, and until when. */
  const closedUntilMs = new Map<string, number>()
  return { policy, counter: openCounter(deps, policy), hits, closedUntilMs }
}

function refuse(state: LimitState): never {
  throw new ApiError('rate_limited', { limit: state, retryAfterSeconds: state.resetSeconds })
}

function stateOf(
  { name, most: limit, windowSeconds }: Policy,
  count: number,
  resetSeconds: number,
): LimitState {
  const remaining = Math.max(limit - count, 0)
  const retry = remaining === 0 && { retryAfterSeconds: resetSeconds }
  return { name, limit, windowSeconds, remaining, resetSeconds, ...retry }
}
