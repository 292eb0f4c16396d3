import type { Response } from 'express'
import { ApiError } from '../../platform/errors.js'

/**
 * Lets caches keep for a minute that an organization does not exist: verifiers of many organizations ask for what senders of
 * tokens have made up.
 */
export async function cachingAbsence<Body>(res: Pick<Response, 'set'>, found: Promise<Body>): Promise<Body> {
  try {
    return await found
  } catch (error) {
    if (error instanceof ApiError && error.code === 'organization_not_found')
      res.set('Cache-Control', 'public, max-age=60')
    throw error
  }
}
