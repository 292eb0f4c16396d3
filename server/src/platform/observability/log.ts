import pg from 'pg'
import { pino, type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config/config.js'
import { isUnavailable } from '../db/violations.js'
import { MailServerError } from '../mail/mail-server-error.js'

/**
 * Opens the log: one JSON line per event.
 *
 * @param destination Standard output unless given, written behind the requests' back: a line is not waited for.
 */
export function createLog(
  { logLevel }: Pick<Config, 'logLevel'>,
  destination: DestinationStream = pino.destination({ dest: 1, sync: false }),
): Logger {
  const options = {
    level: logLevel,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: toLoggedError },
    // The allowlists of what is logged are the wall; this catches what a library puts into an object.
    redact: ['*.authorization', '*.cookie', '*.password', '*.client_secret', '*.token', '*.code'],
  }
  return pino(options, destination)
}

/** Writes what the log still holds. */
export function flushLog(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()))
}

/** Logs why something failed: where the database is unavailable as a warning, because nothing here has to be mended. */
export function logFailure(
  log: Logger,
  error: unknown,
  about: Record<string, string>,
  message: string,
): void {
  const isAway = isUnavailable(error) || (error instanceof Error && isUnavailable(error.cause))
  log[isAway ? 'warn' : 'error']({ ...about, err: error }, message)
}

/**
 * What of an error is logged. The message and the detail of a database error quote the row or the parameter it is
 * about, which may be personal data: its code, and what it is about by name, tell enough. Where the database or the mail
 * server is unavailable, no stack is logged: it would say only what noticed.
 */
function toLoggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const cause = error.cause === undefined ? {} : { cause: toLoggedError(error.cause) }
  const stack =
    isUnavailable(error) || isUnavailable(error.cause) || error instanceof MailServerError
      ? undefined
      : (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  if (error instanceof pg.DatabaseError) {
    const { code, table, column, constraint } = error
    // Called code it would be taken for an authorization code, and hidden.
    return { type: 'DatabaseError', sqlstate: code, table, column, constraint, stack, ...cause }
  }
  return { type: error.name, message: error.message, stack, ...cause }
}
