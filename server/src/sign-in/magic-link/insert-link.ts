import type { MagicLinkChallenge } from '@portico/contract/magic-link'
import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { insertFound } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant, tenantColumns } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import type { CodeDestination } from '../../directory/sessions/code-destination.js'
import type { Tenant } from '../../platform/tenant.js'
import { lockLinksOf } from './lock.js'
import { toMagicLinkChallenge } from './record.js'

/** How long a link works. */
export const linkLifetimeMs = 15 * 60 * 1000
/** Open links of one address for one application, requested by the API: each one more is an attack surface. */
export const maxOpenLinks = 3

interface NewLink {
  /** As it was typed. */
  readonly typedEmail: string
  /** Normalized. */
  readonly email: string
  /** Null when no user has the address. */
  readonly userId: string | null
  readonly findOrCreateUser: boolean
  readonly destination: CodeDestination
  readonly scope: string
  readonly passwordRequestId: string | null
  /** The flow that asked for it; null for the API. */
  readonly flowId: string | null
  readonly expiresAt: Date
  /** When the answer contains the link; undefined when a mail job makes it. */
  readonly token: string | undefined
}

/** Creates a link with its event and log event, and its mail job unless the answer contains the link. */
export async function insertLink(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { token, email, destination, ...link }: NewLink,
): Promise<MagicLinkChallenge> {
  const at = deps.now()
  const { applicationId } = destination
  await lockLinksOf(trx, { ...tenant, applicationId, email })
  const row = await insertFound(trx, 'magic_link_challenges', {
    ...tenantColumns(tenant),
    id: newId(),
    application_id: applicationId,
    email: link.typedEmail,
    email_normalized: email,
    redirect_uri: destination.redirectUri,
    find_or_create_user: link.findOrCreateUser,
    is_link_returned: token !== undefined,
    token_hash: token === undefined ? null : hashSecret(token),
    password_request_id: link.passwordRequestId,
    flow_id: link.flowId,
    state: destination.state,
    nonce: destination.nonce,
    code_challenge: destination.codeChallenge,
    scope: link.scope,
    expires_at: link.expiresAt,
    inserted_at: at,
  })
    .returning(['id', 'organization_id', 'email', 'find_or_create_user', 'expires_at'])
    .executeTakeFirstOrThrow()
  await voidOlderLinks(trx, tenant, { email, applicationId, flowId: link.flowId, newestId: row.id, at })
  if (token === undefined) {
    await enqueue(deps, trx, {
      name: 'send_magic_link',
      payload: {
        accountId: tenant.accountId,
        environment: tenant.environment,
        organizationId: row.organization_id,
        challengeId: row.id,
      },
      accountId: tenant.accountId,
    })
  }

  const url = token === undefined ? null : magicLinkUrl(deps.config.baseUrl, tenant.domain, token)
  const record = toMagicLinkChallenge(row, tenant, url)
  await emit(deps, trx, tenant, {
    code: 'magic_link.challenge.create.success',
    record,
    organizationId: row.organization_id,
    subjectId: link.userId ?? undefined,
    email,
  })
  await logEvent(deps, trx, {
    ...tenant,
    organizationId: row.organization_id,
    code: 'END_USER_MAGIC_LINK_STARTED',
    clientId: applicationId,
    email: row.email,
    userId: link.userId,
  })
  return record
}

/** The address of the page that consumes a token. */
export function magicLinkUrl(baseUrl: string, domain: string, token: string): string {
  return `${baseUrl}/t/${domain}/magic-link?token=${token}`
}

interface Links {
  readonly email: string
  readonly applicationId: string
  readonly flowId: string | null
  readonly newestId: string
  readonly at: Date
}

/**
 * Voids older links. In a flow only the newest link works, and only the flow's own links are voided: typing somebody
 * else's address does not invalidate that user's links.
 */
async function voidOlderLinks(
  trx: Transaction<DB>,
  tenant: Tenant,
  { email, applicationId, flowId, newestId, at }: Links,
): Promise<void> {
  await trx
    .updateTable('magic_link_challenges')
    .set({ voided_at: at })
    .where(ofTenant(tenant))
    .where(
      sql<boolean>`id = any(array(
        select id from magic_link_challenges
        where ${ofTenant(tenant)}
          and email_normalized = ${email}
          and application_id = ${applicationId}
          and flow_id is not distinct from ${flowId}
          and id <> ${newestId}
          and used_at is null
          and voided_at is null
        order by inserted_at desc, id desc
        offset ${flowId === null ? maxOpenLinks - 1 : 0}
      ))`,
    )
    .execute()
}
