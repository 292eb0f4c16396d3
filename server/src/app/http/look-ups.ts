import { email } from '@portico/contract/fields'
import { personalDataIn } from '@portico/contract/sensitivity'
import type { RequestHandler } from 'express'
import { writeAudit } from '../../delivery/audit/audit.js'
import type { Deps } from '../../delivery/deps.js'
import { limit } from '../../delivery/limits/limits.js'
import { callerOf } from '../../delivery/request-context.js'
import { routeOf } from './route-of.js'

/** More than somebody who helps asks for, and too few to go through a list of addresses. */
const lookUpsPerMinute = limit('person-look-up', { windowSeconds: 60, most: () => 60 })
const lookUpsPerDay = limit('person-look-up-day', { windowSeconds: 24 * 60 * 60, most: () => 1000 })

const address = email()

/**
 * Counts and audits what a member of staff looks up: calls with a parameter that the contract marks as personal data.
 *
 * @throws ApiError `rate_limited`
 */
export function noteLookUps(deps: Pick<Deps, 'db' | 'limits' | 'now'>): RequestHandler {
  return async (req, _res, next) => {
    const { accountId, environment, id, staff, cause } = callerOf(req)
    const lookedUp = staff === undefined ? [] : personalDataIn(routeOf(req).definition.query, req.query)
    if (lookedUp.length > 0) {
      const key = { accountId, environment, address: id }
      await deps.limits.take(lookUpsPerMinute, key)
      await deps.limits.take(lookUpsPerDay, key)
      // Only a whole address can be erased with its owner.
      const whole = lookedUp.map((value) => address.safeParse(value)).find(({ success }) => success)?.data
      if (cause.audit !== undefined)
        await writeAudit(
          deps,
          deps.db,
          { requestId: cause.requestId, audit: cause.audit },
          { outcome: 'looked_up', email: whole },
        )
    }
    next()
  }
}
