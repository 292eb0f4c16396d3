import pg from 'pg'
import { pino, type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config/config.js'
import { isUnavailable } from '../db/violations.js'
import { MailServerError } from '../mail/mail-server-error.js'
import { activeSpan, loggedSpan } from './traces.js'

/** A write of its own for the line of each request costs as much CPU as the rest of a small read. */
const blockBytes = 4096
const blockMs = 100
const warn = pino.levels.values['warn'] ?? 0

/**
 * Opens the log: one JSON line per event.
 *
 * @param destination Standard output unless given, written in blocks and asynchronously: requests do not wait for a line.
 */
export function createLog(
  { logLevel, traces }: Pick<Config, 'logLevel'> & Partial<Pick<Config, 'traces'>>,
  destination: DestinationStream = inBlocks(1),
): Logger {
  const options = {
    level: logLevel,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: toLoggedError },
    // Lines of a request or a job name its span.
    ...(traces !== undefined && { mixin: () => loggedSpan(activeSpan()) }),
    // Allowlists decide what is logged; this catches what a library puts into an object.
    redact: ['*.authorization', '*.cookie', '*.password', '*.client_secret', '*.token', '*.code'],
  }
  return pino(options, destination)
}

/**
 * Writes lines to a file descriptor in blocks, each at the latest 100 ms after its first line. A warning or an error is written at
 * once, with what was before it: the process may be about to end.
 */
export function inBlocks(fd: number) {
  const blocks = pino.destination({ dest: fd, sync: false, minLength: blockBytes, periodicFlush: blockMs })
  // While a block is being written, flush() writes nothing else: what came in between is flushed after it.
  let isUrgent = false
  blocks.on('drain', () => {
    if (!isUrgent) return
    isUrgent = false
    blocks.flush()
  })
  return {
    // Pino then sets the level before each line.
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string) {
      blocks.write(line)
      if (this.lastLevel < warn) return
      isUrgent = true
      blocks.flush()
    },
    flush: (done?: (error?: Error) => void) => blocks.flush(() => blocks.flush(done)),
  }
}

/** Writes the buffered lines. */
export function flushLog(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()))
}

/**
 * The beginning of a text that a stranger has sent, for a line of the log: with escapes for what a terminal would obey or not show, such
 * as control characters and those that change the direction of writing.
 */
export function toLoggedText(text: string, maxLength: number): string {
  const toEscape = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`
  return text.slice(0, maxLength).replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, toEscape)
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
