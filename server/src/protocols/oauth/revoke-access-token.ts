import { environments, slug } from '@portico/contract/fields'
import { sql } from 'kysely'
import { decodeJwt } from '../../platform/crypto/jwt.js'
import { sqlStatement } from '../../platform/db/statement.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'
import { causeBy } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { readUserToken, type VerifiedUserToken } from '../../tokens/access-token.js'
import { insertEndedFamilies } from '../../tokens/families.js'
import { findOrganizationByDomain } from '../../directory/organizations/find-organization.js'
import { allOf, clientChecks, grantParents, joinsGrantParents, type Asker } from './grant-conditions.js'
import { knownColumns, type LoggedFamily } from './refresh-family.js'

/** Whether a token claims to be an access token of a user, and of which family. */
export function isOfFamily(decoded: NonNullable<ReturnType<typeof decodeJwt>>): boolean {
  const { jtt, fid } = decoded.claims
  return decoded.header.typ === 'at+jwt' && jtt === 'access_token' && typeof fid === 'string'
}

/**
 * Ends the family of an access token (RFC 7009 section 2.1): its refresh tokens can no longer be exchanged, and its access
 * tokens are no longer live. Nothing happens for an invalid or expired token, and for one of another client.
 *
 * @returns Whether it has ended the family.
 */
export async function endFamilyOfAccessToken(
  deps: Deps,
  asker: Asker,
  { token, requestId }: { readonly token: string; readonly requestId: string },
): Promise<boolean> {
  const verified = await verifyByClaims(deps, token)
  if (verified === undefined) return false
  const cause = causeBy(requestId, 'system', 'revocation_endpoint')
  const { record } = await change(deps, cause, async (trx) => {
    const [ended] = await endFamily(trx, { ...asker, ...rowOf(verified), at: deps.now() })
    if (ended !== undefined) await logEventOf(deps, trx, ended, { code: 'ACCESS_TOKEN_REVOKED', requestId })
    return { record: ended !== undefined }
  })
  return record
}

interface OwnedToken extends VerifiedUserToken {
  readonly accountId: string
  readonly environment: string
}

const organizationDomain = slug()

/**
 * The unverified claims select the organization's key, whose signature then verifies them. Of a text that is no domain the
 * database may raise an error.
 */
async function verifyByClaims(deps: Deps, token: string): Promise<OwnedToken | undefined> {
  const { org, dbs } = decodeJwt(token)?.claims ?? {}
  const environment = environments.find((each) => each === dbs)
  const { data: domain } = organizationDomain.safeParse(org)
  if (environment === undefined || domain === undefined) return undefined
  const organization = await findOrganizationByDomain(deps, domain)
  if (organization === undefined) return undefined
  const owner = { accountId: organization.accountId, environment }
  const verified = await readUserToken(deps, owner, token)
  return verified === undefined ? undefined : { ...verified, ...owner }
}

/** The columns of the token's family, under names that are not those of the client. */
function rowOf(token: OwnedToken) {
  return {
    account_id: token.accountId,
    environment: token.environment,
    organization_id: token.organizationId,
    session_id: token.sessionId,
    user_id: token.userId,
    application_id: token.clientId,
    code_id: token.familyId,
  }
}

interface Attempt extends Asker, ReturnType<typeof rowOf> {
  readonly at: Date
}

/** The family need have no refresh token. It is returned the first time that it ends. */
const endFamily = sqlStatement(
  (attempt: Attempt) => sql<LoggedFamily>`
    with granted as (
      select ${attempt.account_id}::uuid as account_id, ${attempt.environment}::text as environment,
        ${attempt.organization_id}::uuid as organization_id, ${attempt.session_id}::uuid as session_id,
        ${attempt.user_id}::uuid as user_id, ${attempt.application_id}::uuid as application_id,
        ${attempt.code_id}::uuid as code_id
    ), known as (
      select ${knownColumns}, granted.session_id, granted.code_id
      from granted, ${grantParents}
      where ${joinsGrantParents}
        and ${allOf(clientChecks(attempt))}
    ), ended as (
      update refresh_token_families as tokens set ended_at = ${attempt.at}
      from known
      where ${sameTenant('tokens', 'known')}
        and tokens.session_id = known.session_id
        and tokens.code_id = known.code_id
        and tokens.ended_at is null
    ), noted as (${insertEndedFamilies('known', attempt.at)} returning code_id)
    select known.* from known, noted where noted.code_id = known.code_id`,
)
