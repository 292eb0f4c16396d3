import pg from 'pg'
import { pino, type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config/config.js'
import { isUnavailable } from '../db/violations.js'
import { MailServerError } from '../mail/mail-server-error.js'

/**
 * Opens the log: one JSON line per event.
 *
 * @param destination Standard output unless given, written asynchronously: requests do not wait for a line.
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
    // Allowlists decide what is logged; this catches what a library puts into an object.
    redact: ['*.authorization', '*.cookie', '*.password', '*.client_secret', '*.token', '*.code'],
  }
  return pino(options, destination)
}

/** Writes the buffered lines. */
export function flushLog(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()))
}

/** Logs a failure; an unavailable database is a warning, because the service itself needs no repair. */
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
 * The logged part of an error. Message and detail of a database error quote the row or the parameter, which may be
 * personal data: code and names are enough. An unavailable database or mail server gets no stack, which would only show
 * the place that noticed.
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
    // Under the name code it would be redacted as an authorization code.
    return { type: 'DatabaseError', sqlstate: code, table, column, constraint, stack, ...cause }
  }
  return { type: error.name, message: error.message, stack, ...cause }
}
