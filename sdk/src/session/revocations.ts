import type { Event } from '../generated.js'

/** Remembers sessions, users and organizations that have ended before their sessions would notice by themselves. */
export interface Revocations {
  /**
   * @param entry `sid:<session>`, `imp:<impersonation>`, `user:<user>` or `org:<organization>`.
   * @param at When it ended, in milliseconds since 1970.
   * @param seconds How long it has to be remembered.
   */
  add(entry: string, at: number, seconds: number): void | Promise<void>
  /** The latest time at which one of them ended, in milliseconds since 1970; undefined when none is remembered. */
  since(entries: readonly string[]): number | undefined | Promise<number | undefined>
}

const maxEntries = 100_000

/**
 * A memory of this process, of 100,000 entries. Several processes need one that they share: a webhook reaches one of them.
 *
 * @param now Milliseconds since 1970.
 * @example
 * ```ts
 * const revocations = createRevocations()
 * await revocations.add('user:0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46', Date.now(), 3_960)
 * ```
 */
export function createRevocations(now: () => number = Date.now): Revocations {
  // In the order of arrival, which is nearly that of expiry.
  const known = new Map<string, { readonly at: number; readonly until: number }>()
  return {
    add(entry, at, seconds) {
      const before = known.get(entry)?.at ?? at
      known.delete(entry)
      known.set(entry, { at: Math.max(before, at), until: now() + seconds * 1000 })
      for (const [oldest, { until }] of known) {
        if (until > now() && known.size <= maxEntries) break
        known.delete(oldest)
      }
    },
    since(entries) {
      const found = entries.flatMap((entry) => known.get(entry) ?? []).filter(({ until }) => until > now())
      return found.length > 0 ? Math.max(...found.map(({ at }) => at)) : undefined
    },
  }
}

/** An access token lives a day at the most. */
const longestLifetimeSeconds = 86_400

/** How long an entry is needed: as long as a cookie from before may be good without the service, grace included. */
export function rememberedSeconds({ refreshSeconds }: { readonly refreshSeconds: number }): number {
  return Math.min(refreshSeconds, longestLifetimeSeconds) + 360
}

/** The entry that an event adds; undefined for an event that ends nothing. */
export function entryOf(event: Event): string | undefined {
  switch (event.code) {
    case 'user.session.end.success':
      return toEntry('sid', event.data.id)
    case 'user.impersonation.end.success':
      return toEntry('imp', event.data.id)
    case 'user.session.end_all.success':
      return 'truncated' in event.data ? undefined : toEntry('user', event.data.user_id)
    case 'user.user.delete.success':
      return toEntry('user', event.data.id)
    case 'user.user.update.success':
      // Truncated data do not tell; asking the service once more does no harm.
      return 'truncated' in event.data || !event.data.active ? toEntry('user', event.data.id) : undefined
    case 'organization.organization.delete.success':
      return 'truncated' in event.data ? undefined : toEntry('org', event.data.domain)
    default:
      return undefined
  }
}

function toEntry(kind: string, id: string | undefined): string | undefined {
  return id === undefined ? undefined : `${kind}:${id}`
}
