import type { Request, RequestHandler, Response } from 'express'

/** Chains handlers into one: Express's own search for the next layer is far slower. */
export function compose(...handlers: readonly RequestHandler[]): RequestHandler {
  return (req: Request, res: Response, next) => {
    let index = 0
    const step = (error?: unknown): void => {
      const handler = error === undefined ? handlers[index++] : undefined
      if (handler === undefined) {
        next(error)
        return
      }
      try {
        const pending: unknown = handler(req, res, step)
        if (pending instanceof Promise) pending.catch(next)
      } catch (thrown) {
        next(thrown)
      }
    }
    step()
  }
}
