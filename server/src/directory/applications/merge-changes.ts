import type { ApplicationChanges } from '@portico/contract/applications'
import { settleClientSettings } from './client-settings.js'
import { toMembers, type ApplicationRow } from './record.js'
import { settleDefaults } from './redirects.js'

/** The members of an application after a change. */
export function mergeChanges(row: ApplicationRow, input: ApplicationChanges) {
  const stored = toMembers(row)
  const members = { ...stored, ...input }
  return { ...members, ...settleDefaults(members, input, row), ...settleClientSettings(input, stored) }
}
