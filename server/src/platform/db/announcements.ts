import type { Kysely } from 'kysely'
import { poolOf } from './connect.js'
import type { DB } from './schema.js'

interface Announcements<Message> {
  /**
   * Calls back with each message that this process announces, before its transaction commits.
   *
   * @returns Unsubscribes.
   */
  onAnnounced(db: Kysely<DB>, listener: (message: Message) => void): () => void
  announce(db: Kysely<DB>, message: Message): void
}

/**
 * Notifies the workers of this process of new rows: writers and workers share nothing but the database. Workers of other
 * processes find the rows when they next poll.
 */
export function announcements<Message>(): Announcements<Message> {
  const listeners = new WeakMap<object, Set<(message: Message) => void>>()
  return {
    onAnnounced(db, listener) {
      const pool = poolOf(db)
      const all = listeners.get(pool) ?? new Set()
      listeners.set(pool, all.add(listener))
      return () => all.delete(listener)
    },
    announce(db, message) {
      for (const listener of listeners.get(poolOf(db)) ?? []) listener(message)
    },
  }
}
