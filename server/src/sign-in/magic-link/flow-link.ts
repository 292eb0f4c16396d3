import type { Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change } from '../../delivery/events/change.js'
import { mailNetworkKey, mails, mailsOfNetwork } from '../../delivery/mail/mail-limits.js'
import type { Flow, FlowKey } from '../flows/flow.js'
import { firstFactorSteps, moveFlow } from '../flows/step.js'
import { checkPasswordConnection, passwordAddresseesOf } from '../password/addressee.js'
import { setPasswordUrl } from '../password/own-page.js'
import { beginPasswordRequest } from '../password/request.js'
import { onlyAddressee } from '../../directory/sessions/addressee.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { insertLink, linkLifetimeMs } from './insert-link.js'
import { purposeOf, type LinkPurpose } from '../../platform/link-purpose.js'
import { isOrganizationOf, ofOwner } from '../../platform/db/tenant-predicate.js'

/** A mail requested at a page. */
interface FlowMail {
  readonly flow: Flow
  /** As it was typed. */
  readonly email: string
  readonly purpose: LinkPurpose
  /** Of the browser; used only for limits. */
  readonly ip: string
}

/**
 * Mails the link of a flow, which then waits for it. An address without a user gets the same answer: its link leads
 * nowhere, and no mail is sent. Unknown addresses become users as the magic-link connection says.
 *
 * @returns Whether the flow was open, and at a step that can send a link.
 * @throws ApiError `rate_limited`, and, independent of the user, `email_domain_not_allowed`, `connection_inactive` and
 *   `password_connection_not_found`, of the connection that the link is for.
 */
export async function mailLinkOfFlow(
  deps: Deps,
  caller: Caller & Tenant,
  { flow, email: typedEmail, purpose, ip }: FlowMail,
): Promise<boolean> {
  const email = normalizeEmail(typedEmail)
  const addressee = await findAddressee(deps.db, caller, email)
  if (purpose === 'password') checkPasswordConnection(addressee, email)
  else checkMagicLinkConnection(addressee, email)
  // The network's limit first: a refused request does not use up the mails of the address's owner.
  await deps.limits.take(mailsOfNetwork, mailNetworkKey(deps.config, ip, flow.environment))
  await deps.limits.take(mails, { ...caller, address: email })

  const { record } = await change(deps, caller.cause, async (trx) => {
    const isMoved = await moveFlow(deps, trx, flow, {
      from: firstFactorSteps,
      to: 'link_sent',
      set: {
        email: typedEmail,
        email_normalized: email,
        // An earlier code was for another address, or was not typed.
        link_code_sealed: null,
        link_code_expires_at: null,
        link_code_failures: 0,
      },
    })
    if (!isMoved) return { record: false }
    const isForPassword = purpose === 'password'
    const destination = destinationOf(flow, isForPassword ? ownPageOf(deps, caller) : flow.redirectUri)
    const { organization_id: organizationId, user_id: userId } = addressee
    const request = { organizationId, email, userId, destination, flowId: flow.flowId }
    const passwordRequest = isForPassword ? await beginPasswordRequest(deps, trx, caller, request) : undefined
    await insertLink(deps, trx, caller, {
      typedEmail,
      email,
      userId,
      // A link to a password creates users under the same condition as a sign-in link.
      findOrCreateUser: addressee.is_link_active && addressee.find_or_create_user,
      destination,
      scope: '',
      passwordRequestId: passwordRequest?.request_id ?? null,
      flowId: flow.flowId,
      expiresAt: new Date(deps.now().getTime() + linkLifetimeMs),
      token: undefined,
    })
    return { record: true }
  })
  return record
}

/** The organization with both of its connections, and the user with the address, if there is one. */
async function findAddressee(db: Kysely<DB>, caller: Caller & Tenant, email: string) {
  const sought = { email, domain: caller.domain }
  const found = await passwordAddresseesOf(db, caller, sought)
    .innerJoin('magic_link_connections as link_connection', (join) =>
      join
        .on(isOrganizationOf('organizations', 'link_connection'))
        .on('link_connection.environment', '=', caller.environment),
    )
    .select(['link_connection.active as is_link_active', 'link_connection.find_or_create_user'])
    .execute()
  return onlyAddressee(found, sought)
}

type Addressee = Awaited<ReturnType<typeof findAddressee>>

function checkMagicLinkConnection(addressee: Addressee, email: string): void {
  const { is_link_active, allowed_email_domains, is_sso_required } = addressee
  if (!is_link_active) throw new ApiError('connection_inactive')
  if (!isEmailDomainAllowed(allowed_email_domains, email)) throw new ApiError('email_domain_not_allowed')
  if (is_sso_required) throw new ApiError('sso_required')
}

function ownPageOf({ config }: Pick<Deps, 'config'>, { domain }: Tenant): string {
  return setPasswordUrl(config.baseUrl, domain)
}

/** The flow itself has the parameters of its code. */
function destinationOf({ applicationId }: Flow, redirectUri: string) {
  return { applicationId, redirectUri, state: null, nonce: null, codeChallenge: null }
}

/** The purpose of a flow's newest link; undefined when the flow has mailed no link. */
export async function findPurposeOfFlow(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, organizationId, flowId }: FlowKey,
): Promise<LinkPurpose | undefined> {
  const row = await db
    .selectFrom('magic_link_challenges')
    .where(ofOwner({ accountId, environment, organizationId }))
    .where('flow_id', '=', flowId)
    .select('password_request_id')
    .orderBy('inserted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && purposeOf(row.password_request_id)
}
