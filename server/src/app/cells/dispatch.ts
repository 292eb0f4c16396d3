import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { cellFinder, type AskedCell } from './find-cell.js'

export interface ServingCell extends AskedCell {
  /** Answers requests of the accounts of this cell; undefined until its database has been reached. */
  readonly app: RequestListener | undefined
}

interface DispatchOptions {
  readonly isHttps: boolean
  /** Answers requests whose account may be in a cell that cannot be reached: 503. */
  readonly unavailable: RequestListener
  /** Answers the probe of readiness. */
  readonly readiness: RequestListener
  readonly log: Logger
}

/**
 * Hands each request to the app of the cell that has its account. What names no account, or one that nobody has, goes to the first
 * cell that there is: its answer is that of any.
 */
export function dispatcher(cells: readonly ServingCell[], options: DispatchOptions): RequestListener {
  const { isHttps, unavailable, readiness, log } = options
  const findCell = cellFinder(cells, { isHttps })

  function answer(
    found: ServingCell | 'none' | 'unknown',
    req: IncomingMessage,
    res: ServerResponse<IncomingMessage>,
  ) {
    const app =
      found === 'unknown'
        ? undefined
        : found === 'none'
          ? cells.find((cell) => cell.app !== undefined)?.app
          : found.app
    ;(app ?? unavailable)(req, res as Parameters<RequestListener>[1])
  }

  return (req, res) => {
    if (/^\/readyz(?:\?|$)/.test(req.url ?? '')) {
      readiness(req, res)
      return
    }
    const found = findCell(req)
    if (!(found instanceof Promise)) {
      answer(found, req, res)
      return
    }
    found.then(
      (cell) => answer(cell, req, res),
      (error: unknown) => {
        log.info({ err: error }, 'a request ended before its account was known')
        res.destroy()
      },
    )
  }
}
