import type { consoleContract } from '@portico/contract/console'
import type { Deps } from '../../delivery/deps.js'
import { auditRoutes } from '../../delivery/audit/routes.js'
import { recentEventRoutes } from '../../delivery/events/routes.js'
import { healthRoutes, statisticsRoutes } from '../../operations/health/routes.js'
import { limitRoutes, peopleRoutes } from '../../operations/people/routes.js'
import { recordRoutes } from '../../operations/search/routes.js'
import { staffInvitationRoutes, staffRoutes } from '../../operations/staff/routes.js'
import { apiKeyRoutes } from '../../tokens/api-keys/routes.js'
import type { Implementation } from './mount.js'

/** The handlers of every route of the console; fails to compile when one is missing. */
export function consoleOf(deps: Deps): Implementation<typeof consoleContract> {
  return {
    people: peopleRoutes(deps),
    limits: limitRoutes(deps),
    apiKeys: apiKeyRoutes(deps),
    audit: auditRoutes(deps),
    recentEvents: recentEventRoutes(deps),
    records: recordRoutes(deps),
    staff: staffRoutes(deps),
    staffInvitations: staffInvitationRoutes(deps),
    statistics: statisticsRoutes(deps),
    health: healthRoutes(deps),
  }
}
