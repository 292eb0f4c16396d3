import type { OutboxMessage, OutboxQuery } from '@portico/contract/outbox'
import { sql, type Kysely } from 'kysely'
import { emptyPage, newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../deps.js'
import type { Caller } from '../../platform/tenant.js'
import { outboxColumns, toOutboxMessage } from './record.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'

/** The kept messages of the account in the caller's environment, newest first. */
export async function listOutbox(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  query: OutboxQuery,
): Promise<Page<OutboxMessage>> {
  if (query.to === null) return emptyPage(query)
  const messages = messagesOf(readDb, caller)
  const filtered =
    query.to === undefined
      ? messages
      : messages.where(sql<boolean>`lower(outbox_messages.recipient) = ${query.to.toLowerCase()}`)
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: filtered,
      table: 'outbox_messages',
      rows: messagesOf(readDb, caller).select(outboxColumns),
    },
    toOutboxMessage,
  )
}

function messagesOf(db: Kysely<DB>, { accountId, environment }: Caller) {
  return db.selectFrom('outbox_messages').where(ofEnvironment({ accountId, environment }, 'outbox_messages'))
}

const shownOnPage = 50

/** The newest kept messages of every account and environment, for the operator of a service that only listens locally. */
export async function listAllMessages(
  { db }: Pick<Deps, 'db'>,
  page: number,
): Promise<{ messages: OutboxMessage[]; isLast: boolean }> {
  const rows = await db
    .selectFrom('outbox_messages')
    .select(outboxColumns)
    .orderBy('inserted_at', 'desc')
    .orderBy('id', 'desc')
    .offset((page - 1) * shownOnPage)
    .limit(shownOnPage + 1)
    .execute()
  return {
    messages: rows.slice(0, shownOnPage).map(toOutboxMessage),
    isLast: rows.length <= shownOnPage,
  }
}

/** Every kept message, or those to one recipient, newest first, for tests against the emulator. */
export async function findMessages(
  { db }: Pick<Deps, 'db'>,
  to: string | undefined,
): Promise<OutboxMessage[]> {
  const rows = await db
    .selectFrom('outbox_messages')
    .$if(to !== undefined, (query) =>
      query.where(sql<boolean>`lower(outbox_messages.recipient) = ${to?.toLowerCase()}`),
    )
    .select(outboxColumns)
    .orderBy('inserted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1000)
    .execute()
  return rows.map(toOutboxMessage)
}

/** Deletes every kept message. @returns How many there were. */
export async function clearMessages({ db }: Pick<Deps, 'db'>): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('outbox_messages').executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** A kept message of any account and environment, for the operator of a service that only listens locally. */
export async function findAnyMessage(
  { db }: Pick<Deps, 'db'>,
  id: string,
): Promise<OutboxMessage | undefined> {
  const row = await db
    .selectFrom('outbox_messages')
    .where('id', '=', id)
    .select(outboxColumns)
    .executeTakeFirst()
  return row && toOutboxMessage(row)
}
