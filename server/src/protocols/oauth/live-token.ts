import { isUsableBy } from '../../directory/usable.js'
import { sql } from 'kysely'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import type { VerifiedUserToken } from '../../tokens/access-token.js'
import { isOrganizationOf, ofOwner, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** Where an access token comes from, as its key says. */
interface TokenPlace {
  readonly accountId: string
  readonly environment: string
}

/**
 * Whether what a verified access token says is still so: its session has not been ended, its user may sign in, and its
 * application can be used. A session that is merely over does not end the tokens that were made of it.
 */
export async function isTokenLive(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment }: TokenPlace,
  { organizationId, sessionId, userId, clientId }: VerifiedUserToken,
): Promise<boolean> {
  const key = { accountId, environment, organizationId, sessionId, userId, clientId }
  return (await selectLive(db, key)).length > 0
}

interface LiveKey extends TokenPlace {
  readonly organizationId: string
  readonly sessionId: string
  readonly userId: string
  readonly clientId: string
}

const selectLive = statement((db, key: LiveKey) =>
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
    .select('sessions.id'),
)
