import { nameInCells } from './choose-cell.js'
import { ConfigError } from '../platform/config/config.js'
import { isUnreachable } from '../platform/db/violations.js'
import { ApiError } from '../platform/errors.js'

/**
 * The sentence on a failure for an operator: what is wrong and what to do.
 *
 * @param cell The database of CELLS on which it happened; undefined: the one of the settings.
 */
export function toSentence(error: unknown, cell?: string): string {
  const text = sentenceOf(error)
  return cell === undefined ? text : nameInCells(text, cell)
}

function sentenceOf(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  if (error instanceof ApiError) {
    const fields = (error.fields ?? []).map((field) => `${field.path} ${field.message}`)
    return [error.message, ...fields].join(' ')
  }
  if (!(error instanceof Error)) return `An unknown failure: ${String(error)}`
  return databaseFault(error) ?? systemFault(error) ?? error.message
}

function databaseFault(error: Error): string | undefined {
  const code = codeOf(error)
  if (/unsupported startup parameter/.test(error.message))
    return 'A pooler refuses this connection: set DATABASE_DIRECT_URL to the address of Postgres itself.'
  if (code === '42P05' || code === '26000')
    return (
      'The pooler at DATABASE_URL loses prepared statements: set DATABASE_POOLER=transaction and DB_PREPARED=off, and ' +
      'DATABASE_DIRECT_URL to the address of Postgres itself. With DB_PREPARED=on it needs max_prepared_statements of PgBouncer 1.21 or newer.'
    )
  if (isUnreachable(error)) {
    const reason = code === '' && !(error instanceof AggregateError) ? 'no answer' : reasonOf(error)
    if (/remote node/.test(reason))
      return `A server of the cluster cannot be reached (${reason}): start it, or bring it back.`
    return `The database cannot be reached (${reason}): check DATABASE_URL, and that Postgres runs there.`
  }
  if (code === '28P01' || code === '28000')
    return 'The database refuses user or password: check them in DATABASE_URL.'
  if (code === '3D000') return `${sentence(error.message)} Create it, or name another one in DATABASE_URL.`
  if (code === '42501') return `${sentence(error.message)} Connect as the role that owns the database.`
  if (code === '55P03')
    return 'Another transaction holds a table that this needs: run the command again when it has ended.'
  if (code === '25006')
    return 'The database takes no writes, as a replica does: set DATABASE_URL to the address of the primary.'
  if (code === '53300')
    return 'The database has no connection left: lower DATABASE_POOL_SIZE, or raise max_connections.'
  if (/^[0-9A-Z]{5}$/.test(code)) return `The database refused a statement: ${sentence(error.message)}`
  return undefined
}

function systemFault(error: Error): string | undefined {
  const path = 'path' in error ? String(error.path) : 'the file'
  switch (codeOf(error)) {
    case 'ENOENT':
      return `${path} does not exist: check the path.`
    case 'EACCES':
    case 'EPERM':
      return `${path} cannot be opened: give this user the right to.`
    case 'EEXIST':
      return `${path} exists already: choose another name, or remove it first.`
    case 'EISDIR':
      return `${path} is a directory: name a file.`
    case 'ENOSPC':
      return 'The disk is full: free some space and run the command again.'
    default:
      return undefined
  }
}

function codeOf(error: Error): string {
  const own: unknown = 'code' in error ? error.code : undefined
  return typeof own === 'string' ? own : ''
}

/** An error that gathers several, such as one per address of a host, is reported by its first. */
function reasonOf(error: Error): string {
  // Its members are whatever was thrown, which the library's types call any.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  const text = first instanceof Error ? first.message : error.message
  return text.replaceAll(/\s+/g, ' ').trim() || codeOf(error)
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1)
  return text.endsWith('.') ? text : `${text}.`
}
