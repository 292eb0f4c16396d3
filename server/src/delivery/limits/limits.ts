import { nilId } from '@portico/contract/fields'
import type { Config } from '../../platform/config/config.js'
import { fingerprints } from '../../platform/crypto/seal.js'
import type { PlatformDeps } from '../../platform/deps/deps.js'
import { ApiError, type LimitState } from '../../platform/errors.js'
import { networkOfClient } from '../../platform/outbound/address.js'
import { openCounter, type Policy } from './counter.js'

/** How often something may be done in a time window, which begins with the first use. */
export interface Limit extends Omit<Policy, 'most'> {
  /** @param environment Of the counted subject. */
  most(settings: Config['limits'], environment: string): number
}

/** The counted subject: an organization, or without a domain the account, in an environment. */
export interface LimitKey {
  readonly accountId: string
  readonly environment: string
  readonly domain?: string
  /** The counted item: a normalized e-mail address, a phone number, an id; without it the organization itself. */
  readonly address?: string
}

/** The count of a key, and the state of its limit. */
export interface Counted {
  readonly count: number
  readonly state: LimitState
}

/** Rate limits, counted in the database for all processes. */
export interface Limits {
  /**
   * Counts one more.
   *
   * @throws ApiError `rate_limited` when it is one too many.
   */
  take(limit: Limit, key: LimitKey): Promise<LimitState>
  /** Counts one more without refusing; concurrent calls each get a different count. */
  add(limit: Limit, key: LimitKey): Promise<Counted>
  /** The same count without counting; 0 where nothing was counted in this window. */
  look(limit: Limit, key: LimitKey): Promise<Counted>
  /** Reverses an add(), for an action that turned out not to count. */
  takeBack(limit: Limit, key: LimitKey): Promise<void>
  /** Refuses everything for this long, instead of until the window ends. */
  lock(limit: Limit, key: LimitKey, seconds: number): Promise<void>
  forget(limit: Limit, key: LimitKey): Promise<void>
  /**
   * Refuses a sender that note() has found over its limit. Reads only this process's memory, so that other senders cost
   * no query.
   *
   * @throws ApiError `rate_limited`
   */
  check(limit: Limit, sender: string): void
  /**
   * Counts a request of an unauthenticated sender, for all processes. A process learns that the limit is reached when
   * it counts one itself.
   *
   * @returns Whether this is the last request within the limit, which happens once per window.
   * @throws ApiError `rate_limited`
   */
  note(limit: Limit, sender: string): Promise<boolean>
}

/** The limits of all features, so that the metrics have each from the start. */
const limits = new Set<Limit>()

/** Declares a limit, beside the code that uses it. Its rows, metric and header have this name. */
export function limit(name: string, { windowSeconds, most }: Omit<Limit, 'name'>): Limit {
  const stated = { name, windowSeconds, most }
  limits.add(stated)
  return stated
}

/** The network of a client, for all accounts together. */
export function networkKey(ip: string): LimitKey {
  return { accountId: '', environment: '', address: networkOfClient(ip) }
}

/** The most blocked senders in memory; at the bound all are forgotten, and the database still counts them. */
const memory = 10_000

/** Opens all limits; decision 14 has the reasons for their values. */
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

  /** Keys are stored only as digests, which cannot be computed without the master key. */
  function keyOf({ accountId, environment, domain, address }: LimitKey): string {
    const context = { purpose: 'limit', scope: accountId, aad: 'rate_limits.key' }
    const whose = JSON.stringify([environment, domain, address])
    return fingerprints(deps.keys.master, context, whose)[0].toString('base64url')
  }

  async function add(stated: Limit, key: LimitKey): Promise<Counted> {
    const { policyOf, counter, hits } = open(stated)
    const policy = policyOf(key)
    // Unlike consume(), penalty() returns a count above the limit instead of rejecting.
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
    async look(stated, key) {
      const { policyOf, counter } = open(stated)
      const policy = policyOf(key)
      const found = await counter.get(keyOf(key))
      if (found === null) return { count: 0, state: stateOf(policy, 0, policy.windowSeconds) }
      const count = found.consumedPoints
      return { count, state: stateOf(policy, count, Math.ceil(found.msBeforeNext / 1000)) }
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
      const { policyOf, hits, closedUntilMs } = open(stated)
      const untilMs = closedUntilMs.get(sender)
      if (untilMs === undefined) return
      const leftMs = untilMs - deps.now().getTime()
      if (leftMs > 0) {
        hits.inc()
        const policy = policyOf(senderKey(sender))
        refuse(stateOf(policy, policy.most, Math.ceil(leftMs / 1000)))
      }
      closedUntilMs.delete(sender)
    },
    async note(stated, sender) {
      const { closedUntilMs } = open(stated)
      const { count, state } = await add(stated, senderKey(sender))
      if (count < state.limit) return false
      if (closedUntilMs.size >= memory) closedUntilMs.clear()
      closedUntilMs.set(sender, deps.now().getTime() + state.resetSeconds * 1000)
      if (count > state.limit) refuse(state)
      return true
    },
  }
}

function openLimit(deps: Parameters<typeof openLimits>[0], { name, windowSeconds, most }: Limit) {
  const policyOf = ({ environment }: Pick<LimitKey, 'environment'>): Policy => ({
    name,
    windowSeconds,
    most: most(deps.config.limits, environment),
  })
  const hits = deps.metrics.rateLimitHits.labels({ limit: name })
  hits.inc(0)
  /** Blocked senders, and until when. */
  const closedUntilMs = new Map<string, number>()
  const counter = openCounter(deps, policyOf({ environment: '' }))
  return { policyOf, counter, hits, closedUntilMs }
}

/** A sender of no account. */
function senderKey(sender: string): LimitKey {
  return { accountId: nilId, environment: '', address: sender }
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
