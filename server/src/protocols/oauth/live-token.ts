import { isUsableBy } from '../../directory/usable.js'
import { sql } from 'kysely'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { VerifiedUserToken } from '../../tokens/access-token.js'
import { isFamilyAlive } from '../../tokens/families.js'
import { isOrganizationOf, ofOwner, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** The account and environment of an access token, by its signing key. */
interface TokenOwner {
  readonly accountId: string
  readonly environment: string
}

/**
 * Whether a verified access token is still valid: neither its session nor its family has been ended, its user is active, and
 * its application is usable. The expiry of a session does not invalidate its tokens.
 */
export async function isTokenLive(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment }: TokenOwner,
  { organizationId, sessionId, userId, clientId, familyId }: VerifiedUserToken,
): Promise<boolean> {
  const key = { accountId, environment, organizationId, sessionId, userId, clientId, familyId }
  return (await selectLive(db, key)).length > 0
}

interface LiveKey extends TokenOwner {
  readonly organizationId: string
  readonly sessionId: string
  readonly userId: string
  readonly clientId: string
  readonly familyId: string | null
}

const selectLive = lookup((db, key: LiveKey) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'sessions')).onRef('users.id', '=', 'sessions.user_id'),
    )
    .innerJoin('applications', (join) => join.on(sameEnvironment('applications', 'sessions')))
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'sessions')))
    .where(ofOwner(key, 'sessions'))
    .where('sessions.id', '=', key.sessionId)
    .where('sessions.user_id', '=', key.userId)
    .where('sessions.ended_at', 'is', null)
    .where('users.active', '=', true)
    .where('users.deleted_at', 'is', null)
    .where('applications.id', '=', key.clientId)
    .where(isUsableBy(sql.ref('sessions.organization_id')))
    .where('organizations.deleted_at', 'is', null)
    .where(isFamilyAlive(key, key.familyId))
    .select('sessions.id'),
)
