import type { Logger } from 'pino'

/**
 * Switches the level of a log on SIGUSR2, and back on the next one, without a restart: to debug, or to info where the
 * configured level is lower already. A line of the log tells of each switch, whichever the configured level is.
 */
export function switchLevelOnSignal(log: Logger): void {
  const configured = log.level
  const other = log.isLevelEnabled('debug') ? 'info' : 'debug'
  process.on('SIGUSR2', () => {
    const [from, to] = log.level === configured ? [configured, other] : [other, configured]
    // Both of the other levels write this line; the configured one may not.
    log.level = other
    log.info({ from, to }, 'SIGUSR2 switches the level of the log')
    log.level = to
  })
}
