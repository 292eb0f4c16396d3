import type { RefusalReason } from '@portico/contract/log-events'
import type { Environment } from '@portico/contract/fields'
import { sql, type Transaction } from 'kysely'
import { isOpenForSignIn } from '../../directory/usable.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup, statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import type { FlowKey } from '../flows/flow.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import { isSsoRequired } from '../../directory/domains/authority.js'
import { isAddressInvited } from '../../directory/pending-invitations/pending.js'
import { ofUser, type Tenant } from '../../platform/tenant.js'
import { admit, refusalOf, type AdmissionRefused } from '../../directory/users/admit.js'
import { findJoining } from '../../directory/organization-policy/joining.js'
import { joiningDoor, type DoorOfProof } from '../joining/door.js'
import { findUser, type SigningInUser } from '../../directory/users/signing-in-user.js'
import { toMagicLinkChallenge } from './record.js'
import { isOrganizationOf, ofOwner, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** The key of a link that has arrived. */
export interface LinkKey {
  readonly organizationDomain: string
  readonly tokenHash: Buffer
  /** The address of our own page that takes the code of a link to a password. */
  readonly ownPage: string
  readonly at: Date
}

/** Consumes the token; the same statement reads the present state of its organization. */
export const consumeLinkToken = statement((db, link: LinkKey) =>
  db
    .updateTable('magic_link_challenges as challenge')
    .set({ used_at: link.at })
    .from(['organizations', 'accounts', 'magic_link_connections as connection', 'applications'])
    .where('challenge.token_hash', '=', link.tokenHash)
    .where('challenge.used_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('challenge.expires_at', '>', link.at)
    .where('organizations.domain', '=', link.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .where(isOrganizationOf('organizations', 'challenge'))
    .whereRef('accounts.id', '=', 'challenge.account_id')
    .where(sameTenant('connection', 'challenge'))
    .where(sameEnvironment('applications', 'challenge'))
    .whereRef('applications.id', '=', 'challenge.application_id')
    .returning(linkColumns(link)),
)

export type ConsumedLink = Awaited<ReturnType<typeof consumeLinkToken>>[number]

/** The columns of a consumed link, with the present state of its organization. */
function linkColumns({ ownPage }: Pick<LinkKey, 'ownPage'>) {
  return [
    'challenge.account_id',
    sql<Environment>`challenge.environment`.as('environment'),
    'challenge.organization_id',
    'challenge.id',
    'challenge.application_id',
    'applications.name as application_name',
    'challenge.email',
    'challenge.email_normalized',
    'challenge.redirect_uri',
    'challenge.state',
    'challenge.nonce',
    'challenge.code_challenge',
    'challenge.scope',
    'challenge.expires_at',
    'challenge.find_or_create_user',
    'challenge.is_link_returned',
    'challenge.password_request_id',
    'challenge.flow_id',
    'connection.find_or_create_user as may_create_user',
    'connection.active as is_connection_active',
    'organizations.domain',
    'organizations.allowed_email_domains',
    'accounts.domain as account_domain',
    isSsoRequired({
      accountId: sql.ref('challenge.account_id'),
      environment: sql.ref('challenge.environment'),
      organizationId: sql.ref('challenge.organization_id'),
      emailNormalized: sql.ref('challenge.email_normalized'),
    }).as('is_sso_required'),
    sql<boolean>`(
      ${isOpenForSignIn(sql.ref('challenge.organization_id'))}
      and (
        challenge.redirect_uri = any(applications.allowed_redirect_urls)
        or (challenge.password_request_id is not null and challenge.redirect_uri = ${ownPage})
      )
    )`.as('is_redirect_allowed'),
  ] as const
}

/** A link whose code is typed in the browser of its flow. */
interface ShownLink extends Omit<FlowKey, 'flowId'> {
  readonly challengeId: string
  readonly ownPage: string
}

/** The same for a link that was consumed in another browser. */
export const selectConsumedLink = lookup((db, link: ShownLink) =>
  db
    .selectFrom('magic_link_challenges as challenge')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'challenge')))
    .innerJoin('accounts', 'accounts.id', 'challenge.account_id')
    .innerJoin('magic_link_connections as connection', (join) =>
      join.on(sameTenant('connection', 'challenge')),
    )
    .innerJoin('applications', (join) =>
      join
        .on(sameEnvironment('applications', 'challenge'))
        .onRef('applications.id', '=', 'challenge.application_id'),
    )
    .where(ofOwner(link, 'challenge'))
    .where('challenge.id', '=', link.challengeId)
    .where('organizations.deleted_at', 'is', null)
    .select(linkColumns(link)),
)

/** Why the link refuses every user; undefined when it does not. */
export function whyRefused(consumedLink: ConsumedLink): RefusalReason | undefined {
  // A link of a flow to a password depends on the password connection, which is checked there.
  const isPasswordOfFlow = consumedLink.flow_id !== null && consumedLink.password_request_id !== null
  if (!consumedLink.is_connection_active && !isPasswordOfFlow) return 'connection_inactive'
  if (!isEmailDomainAllowed(consumedLink.allowed_email_domains, consumedLink.email_normalized))
    return 'email_domain_not_allowed'
  if (consumedLink.is_sso_required) return 'sso_required'
  return consumedLink.is_redirect_allowed ? undefined : 'redirect_not_allowed'
}

/** Whether an unknown address becomes a user: the connection allowed it when the link was made, and still does. */
function mayCreateUser(consumedLink: ConsumedLink): boolean {
  return consumedLink.find_or_create_user && consumedLink.may_create_user && consumedLink.is_connection_active
}

/** Why there is no user of a link's address; `may_ask`: its owner may ask to join. */
type WhyNobody = 'user_not_found' | 'may_ask' | AdmissionRefused['code']

/** The user with the link's address, or why there is none. An unknown address becomes a user only now that its owner is verified. */
export async function findOrCreateUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  consumedLink: ConsumedLink,
): Promise<SigningInUser | WhyNobody> {
  const found = await findUser(trx, tenant, consumedLink.email_normalized)
  if (found !== undefined) return found
  const door = await findDoor(deps, trx, tenant, consumedLink)
  if (typeof door === 'string') return door
  const id = newId()
  const proof = { emailVerified: true, isAddressProven: !consumedLink.is_link_returned }
  const user = { ...door, id, email: consumedLink.email, ...proof } as const
  const created = await admit(deps, trx, ofUser(tenant, id), user).catch(refusalOf)
  if (typeof created === 'object') return created
  // A concurrent sign-in may have created the user first.
  return (await findUser(trx, tenant, consumedLink.email_normalized)) ?? created ?? 'user_not_found'
}

/**
 * The door by which the owner of a link's address comes in, if nobody has it: by its verified domain, by the invitation that waits
 * for it, or by the link itself, unless the policy has them ask. A link that the API has returned proves no mailbox, and nobody
 * joins where links sign nobody in.
 */
export async function findDoor(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  consumedLink: ConsumedLink,
): Promise<DoorOfProof | 'may_ask' | 'user_not_found'> {
  const isProof = !consumedLink.is_link_returned && consumedLink.is_connection_active
  const joining = isProof ? await findJoining(trx, tenant, consumedLink.email_normalized) : undefined
  if (joining?.mode === 'automatic') return joiningDoor(joining)
  if (await isInvitedByLink(deps, trx, consumedLink)) return { via: 'link', isOnlyInvited: true }
  if (joining?.mode === 'request') return 'may_ask'
  return mayCreateUser(consumedLink) ? { via: 'link' } : 'user_not_found'
}

/**
 * Whether an invitation waits for the address of a link that was mailed: its user comes in also where links create none. A link
 * that the API has returned proves no mailbox.
 */
async function isInvitedByLink(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  consumedLink: ConsumedLink,
): Promise<boolean> {
  if (consumedLink.is_link_returned) return false
  return isAddressInvited(trx, {
    accountId: consumedLink.account_id,
    environment: consumedLink.environment,
    organizationId: consumedLink.organization_id,
    emailNormalized: consumedLink.email_normalized,
    at: now(),
  })
}

/** A consumed link and its user. */
export interface UsedLink {
  readonly tenant: Tenant
  readonly consumedLink: ConsumedLink
  readonly user: SigningInUser
}

/** Emits the event of a consumed link. */
export async function emitConsumed(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, consumedLink, user }: UsedLink,
): Promise<void> {
  await emit(deps, trx, tenant, {
    code: 'magic_link.challenge.consume.success',
    record: toMagicLinkChallenge(consumedLink, tenant, null),
    organizationId: consumedLink.organization_id,
    subjectId: user.id,
  })
}

/** Voids the other open links of the address for the application: one sign-in is enough. */
export async function voidSiblings(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  consumedLink: ConsumedLink,
): Promise<void> {
  await trx
    .updateTable('magic_link_challenges')
    .set({ voided_at: now() })
    .where(
      ofOwner({
        accountId: consumedLink.account_id,
        environment: consumedLink.environment,
        organizationId: consumedLink.organization_id,
      }),
    )
    .where('email_normalized', '=', consumedLink.email_normalized)
    .where('application_id', '=', consumedLink.application_id)
    .where('used_at', 'is', null)
    .where('voided_at', 'is', null)
    .execute()
}
