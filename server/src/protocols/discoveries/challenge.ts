import type { DiscoveryChallenge, NewDiscoveryChallenge } from '@portico/contract/discovery'
import { sql, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { mails } from '../../delivery/mail/mail-limits.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { companion } from '../../platform/db/statement.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'
import { maxOpenLinks } from '../../sign-in/magic-link/insert-link.js'
import { accountIssuerOf } from '../../tokens/issuer.js'
import { checkRedirect, getDiscoveringApplication } from './application.js'
import { makeSecret } from './discovery.js'
import { toDiscoveryChallenge } from './record.js'

/**
 * Makes a single-use link that proves a mailbox. The answer is the same for every address: a mail job decides whether its owner
 * has an organization to enter, and makes the token. Mails are counted with those of the account's pages.
 *
 * @throws ApiError `application_not_found`, `no_application` where it has no default redirect and none is given,
 *   `invalid_parameters` when it does not list the redirect URI, and `rate_limited` when the address has been sent enough mails.
 */
export async function createDiscoveryChallenge(
  deps: Deps,
  caller: Caller,
  input: NewDiscoveryChallenge,
): Promise<Changed<DiscoveryChallenge>> {
  const { accountId, accountDomain, environment } = caller
  const { application_id: applicationId, user_email: email, send_email: isSent } = input
  const application = await getDiscoveringApplication(deps, caller, applicationId)
  const redirectUri = input.redirect_uri ?? application.default_redirect_uri_after_login
  if (redirectUri === null) throw new ApiError('no_application')
  checkRedirect(application, redirectUri)
  const emailNormalized = normalizeEmail(email)
  const limit = isSent
    ? await deps.limits.take(mails, { accountId, environment, address: emailNormalized })
    : undefined
  const at = deps.now()
  const { secret, secretHash, expiresAt } = makeSecret('link', at)
  const id = newId()
  return change(deps, caller.cause, async (trx) => {
    await lockLinks(trx, { accountId, environment, applicationId, emailNormalized })
    await voidOlderLinks(trx, caller, { applicationId, emailNormalized })
    await trx
      .insertInto('discoveries')
      .values({
        account_id: accountId,
        environment,
        id,
        application_id: applicationId,
        step: 'link',
        // Of a mail the job makes it.
        secret_hash: isSent ? null : secretHash,
        email,
        email_normalized: emailNormalized,
        redirect_uri: redirectUri,
        is_link_returned: !isSent,
        expires_at: expiresAt,
        inserted_at: at,
      })
      .execute()
    if (isSent) {
      const payload = { accountId, environment, challengeId: id }
      await enqueue(deps, trx, { name: 'send_discovery_link', payload, accountId })
    }
    await logEvent(deps, trx, {
      accountId,
      environment,
      domain: accountDomain,
      code: 'ACCOUNT_SIGN_IN_STARTED',
      clientId: applicationId,
      email,
      cause: caller.cause,
    })
    const link = isSent ? null : discoveryLinkUrl(deps.config.baseUrl, accountDomain, secret)
    return {
      record: toDiscoveryChallenge(caller, { id, link, expiresAt }),
      ...(limit !== undefined && { limit }),
    }
  })
}

/** The address of the page that takes the link of a discovery. */
export function discoveryLinkUrl(baseUrl: string, accountDomain: string, token: string): string {
  return `${accountIssuerOf(baseUrl, accountDomain)}/discovery-link?token=${token}`
}

interface Links {
  readonly accountId: string
  readonly environment: string
  readonly applicationId: string
  readonly emailNormalized: string
}

/** Makes requests for links of one address wait for each other: concurrent ones would not see, and so not void, the others' links. */
const lockLinks = companion((db, links: Links) =>
  db.selectNoFrom(
    sql`pg_advisory_xact_lock(hashtextextended(
      concat_ws(':', 'discovery', ${links.accountId}::text, ${links.environment}::text,
        ${links.applicationId}::text, ${links.emailNormalized}::text), 0
    ))`.as('locked'),
  ),
)

/** Voids the oldest open links of an address, so that with the new one there are three. */
async function voidOlderLinks(
  trx: Transaction<DB>,
  { accountId, environment }: Caller,
  { applicationId, emailNormalized }: { readonly applicationId: string; readonly emailNormalized: string },
): Promise<void> {
  const owner = { accountId, environment }
  await trx
    .updateTable('discoveries')
    .set({ step: 'over', secret_hash: null })
    .where(ofEnvironment(owner))
    .where(
      sql<boolean>`id = any(array(
        select id from discoveries
        where ${ofEnvironment(owner)}
          and email_normalized = ${emailNormalized}
          and application_id = ${applicationId}
          and step = 'link'
        order by inserted_at desc, id desc
        offset ${maxOpenLinks - 1}
      ))`,
    )
    .where('step', '=', 'link')
    .execute()
}
