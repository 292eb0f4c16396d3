import type { AppRouter } from '@ts-rest/core'
import { apiKeys } from './api-key-routes.js'
import { audit } from './audit.js'
import { health, statistics } from './health.js'
import { limits } from './limits.js'
import { people } from './people.js'
import { recentEvents } from './recent-events.js'
import { records } from './found-records.js'
import { staff, staffInvitations } from './staff.js'

/** Their types are referred to, as those of the contract. */
type Routers = {
  people: typeof people
  limits: typeof limits
  apiKeys: typeof apiKeys
  audit: typeof audit
  recentEvents: typeof recentEvents
  records: typeof records
  staff: typeof staff
  staffInvitations: typeof staffInvitations
  statistics: typeof statistics
  health: typeof health
}

/** The routes of what only the console does, for staff. They are called within the process, and have no public address. */
export const consoleContract: Routers = {
  people,
  limits,
  apiKeys,
  audit,
  recentEvents,
  records,
  staff,
  staffInvitations,
  statistics,
  health,
} satisfies Record<string, AppRouter>
