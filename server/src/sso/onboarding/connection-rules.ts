import type { Environment } from '@portico/contract/fields'
import type { Deps } from '../../delivery/deps.js'
import type { Caller } from '../../platform/tenant.js'
import type { AdminSession } from '../admins/admin-session.js'
import { getSsoConnection, updateSsoConnection } from '../connections/connections.js'
import { findConnection, type OnboardingConnection } from './connections.js'
import { adminCause } from './note.js'
import type { RulesOwner } from './role-rules.js'
import { listTestResults } from './test-result.js'

/** A connection, and the rules by which it gives roles. */
export interface ConnectionRules extends RulesOwner {
  readonly connection: OnboardingConnection
}

/** The rules of a connection; undefined where there is none, or the invitation does not reach it. */
export async function findRulesOfConnection(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  session: AdminSession,
  idpId: string,
  requestId: string,
): Promise<ConnectionRules | undefined> {
  const connection = await findConnection(deps, session, idpId)
  if (connection === undefined) return undefined
  const caller = callerOf(session, connection.environment, requestId)
  const { record, version } = await getSsoConnection(deps, caller, idpId, {})
  if (version === undefined) return undefined
  return {
    ...{ connection, version, mapping: record.role_mapping },
    tenant: { ...caller, domain: session.domain },
    replace: (within, { mode, rules }) => {
      const role_mapping = {
        mode,
        rules: rules.map(({ attribute = '', value = '', roles }) => ({ attribute, value, roles })),
      }
      return updateSsoConnection(within, caller, idpId, { role_mapping }, [version])
    },
  }
}

/** An administrator as the caller. They have no scope: the one rule that comes or goes is checked in its place. */
function callerOf(session: AdminSession, environment: Environment, requestId: string): Caller {
  const { accountId, accountDomain, organizationId, adminId } = session
  return {
    ...{ accountId, accountDomain, environment, organizationIds: [organizationId] },
    ...{ id: adminId, scopes: ['write:roles'], cause: adminCause(session, requestId) },
  }
}

/** An identity provider can say more, and the other names are entered. */
const maxNames = 60

/** The names of the attributes that the tests of a connection have seen, in alphabetical order. */
export async function listSeenAttributes(
  deps: Pick<Deps, 'db'>,
  connection: OnboardingConnection,
): Promise<readonly string[]> {
  const tests = await listTestResults(deps, connection)
  const names = new Set(tests.flatMap(({ attributes }) => Object.keys(attributes ?? {})))
  return [...names].toSorted().slice(0, maxNames)
}
