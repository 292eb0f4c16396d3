import type { Kysely } from 'kysely'
import { poolOf } from './connect.js'
import type { DB } from './schema.js'

interface Announcements<Message> {
  /**
   * Calls back with what this process announces. The transaction it is about has yet to commit then.
   *
   * @returns Ends the calls.
   */
  onAnnounced(db: Kysely<DB>, listener: (message: Message) => void): () => void
  announce(db: Kysely<DB>, message: Message): void
}

/**
 * Lets those who work on what others write know of it within a process: whoever writes knows no worker, and they have
 * nothing in common but the database. Workers of other processes find it when they next look.
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
