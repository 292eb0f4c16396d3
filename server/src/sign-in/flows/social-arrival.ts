import { isSsoUser } from '../../directory/users/sso-user.js'
import { sql, type RawBuilder, type Transaction } from 'kysely'
import { lockIdentity, type AssertedIdentity } from '../../directory/users/identities.js'
import { linkIdentity } from '../../directory/users/linked-identity.js'
import { emitUserChange, findUserByIdentity } from '../../directory/users/signing-in-user.js'
import type { Deps } from '../../delivery/deps.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { open, seal, type MasterKeys, type SealContext } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Tenant } from '../../platform/tenant.js'
import {
  addressCodeLifetimeMs,
  maxAddressCodeFailures,
  openAddressCode,
  sealAddressCode,
  type AddressCode,
} from './address-code.js'
import { flowLifetimeMs, type FlowKey } from './flow.js'
import { holdsPasskey } from './holds-passkey.js'
import { isProviderOpenIn } from './social-still-open.js'

/** The row of an arrival. */
interface ArrivalKey {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly flowId: string
}

/** What a social provider has said of somebody who is nobody's user yet; its times are texts in the sealed form. */
export interface KeptIdentity extends AssertedIdentity {
  /** Of a new user. */
  readonly profile: Readonly<Record<string, unknown>>
}

/** An identity that waits in its flow: for the proof of an address, or for the sign-in of the user whom it is linked to. */
export interface SocialArrival {
  readonly providerId: string
  readonly identity: KeptIdentity
  readonly email: string | null
  /** Of the user whom the identity is linked to. */
  readonly userId: string | null
  /** Whether the organization signs users in by the provider now. */
  readonly isProviderOpen: boolean
}

/** Keeps an identity in its flow, in place of one before. */
export async function keepArrival(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: FlowKey,
  { providerId, identity, email }: Omit<SocialArrival, 'userId' | 'isProviderOpen'>,
): Promise<void> {
  const at = now()
  const { accountId, environment, organizationId, flowId } = key
  const row = {
    provider_id: providerId,
    identity_sealed: seal(keys.master, socialArrivalContext('identity', key), JSON.stringify(identity)),
    email,
    email_normalized: email === null ? null : normalizeEmail(email),
    code_sealed: null,
    code_expires_at: null,
    code_failures: 0,
    user_id: null,
    is_mailbox_proved: false,
    expires_at: new Date(at.getTime() + flowLifetimeMs),
    inserted_at: at,
  }
  await trx
    .insertInto('social_arrivals')
    .values({
      account_id: accountId,
      environment,
      organization_id: organizationId,
      flow_id: flowId,
      ...row,
    })
    .onConflict((conflict) => conflict.constraint('social_arrivals_pkey').doUpdateSet(row))
    .execute()
}

/** The identity that waits in a flow; undefined without one. */
export async function findArrival(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  db: Pick<Transaction<DB>, 'selectFrom'>,
  key: FlowKey,
): Promise<SocialArrival | undefined> {
  const row = await db
    .selectFrom('social_arrivals')
    .where(ofOwner(key))
    .where('flow_id', '=', key.flowId)
    .where('expires_at', '>', now())
    .select(['provider_id', 'identity_sealed', 'email', 'user_id'])
    .select(isProviderOpenIn('social_arrivals', 'provider_id').as('is_provider_open'))
    .executeTakeFirst()
  return (
    row && {
      providerId: row.provider_id,
      identity: openIdentity(keys.master, key, row.identity_sealed),
      email: row.email,
      userId: row.user_id,
      isProviderOpen: row.is_provider_open,
    }
  )
}

function openIdentity(master: MasterKeys, key: ArrivalKey, sealed: Buffer): KeptIdentity {
  // Sealed by keepArrival() only.
  const stored = JSON.parse(open(master, socialArrivalContext('identity', key), sealed).toString()) as Omit<
    KeptIdentity,
    'authenticatedAt'
  > & { readonly authenticatedAt: string }
  return { ...stored, authenticatedAt: new Date(stored.authenticatedAt) }
}

/** The user who has the address of an identity, and whether the mailbox was proved in the flow. */
interface IntendedLink {
  readonly userId: string
  readonly isMailboxProved: boolean
}

/** Names the user whom the identity is linked to once the sign-in of its flow is theirs. */
export async function intendLink(
  trx: Transaction<DB>,
  key: FlowKey,
  { userId, isMailboxProved }: IntendedLink,
): Promise<void> {
  await trx
    .updateTable('social_arrivals')
    .set({ user_id: userId, code_sealed: null, is_mailbox_proved: isMailboxProved })
    .where(ofOwner(key))
    .where('flow_id', '=', key.flowId)
    .execute()
}

/** The address, normalized, whose mailbox was proved in a statement's flow for the identity that waits there; null without one. */
export function addressProvedInFlow(): RawBuilder<string | null> {
  return sql<string | null>`(
    select arrival.email_normalized from social_arrivals as arrival
    where ${sameTenant('arrival', 'flow')} and arrival.flow_id = flow.id and arrival.is_mailbox_proved
  )`
}

/** Forgets the identity of a flow that has gone another way, so that it is not linked to whoever signs in there. */
export async function forgetArrival(trx: Transaction<DB>, key: FlowKey): Promise<void> {
  await trx.deleteFrom('social_arrivals').where(ofOwner(key)).where('flow_id', '=', key.flowId).execute()
}

/** The user who has passed every factor of a flow, and by what. */
interface FinishedFactors {
  readonly userId: string
  readonly amr: readonly string[]
}

/**
 * Links the identity of a finished flow to its user, who has passed every factor in it: the only place that links one to a user
 * who was there before. It is not linked where it waits for another user, where the organization has switched the provider off
 * meanwhile, where the user comes by single sign-on, whose end it would outlive, and where the user has a passkey and has used something
 * weaker, as on the account page.
 */
export async function linkArrival(
  deps: Pick<Deps, 'config' | 'db' | 'keys' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  key: FlowKey,
  { userId, amr }: FinishedFactors,
): Promise<void> {
  const arrival = await findArrival(deps, trx, key)
  if (arrival === undefined) return
  await forgetArrival(trx, key)
  if (arrival.userId !== userId) return
  if (!arrival.isProviderOpen) return
  if (await isSsoUser(trx, tenant, userId)) return
  if (!amr.includes('pop') && (await holdsPasskey(deps, trx, { tenant, userId }))) return
  const { profile: _profile, ...identity } = arrival.identity
  await lockIdentity(trx, tenant, identity)
  // Another flow has linked it meanwhile, to whomever.
  if ((await findUserByIdentity(trx, tenant, identity)) !== undefined) return
  await linkIdentity(deps, trx, tenant, { userId, ...identity })
  await emitUserChange(deps, trx, tenant, userId)
  const { accountId, environment, organizationId } = key
  const owner = { accountId, environment, organizationId, userId }
  await enqueueNotice(deps, trx, { ...owner, notice: 'identity_linked', cause: tenant.cause })
}

/** Stores a new code for the address of an arrival; the one before no longer works. */
export async function storeAddressCode(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: FlowKey,
  { code, email }: { readonly code: string; readonly email: string },
): Promise<void> {
  await trx
    .updateTable('social_arrivals')
    .set({
      email,
      email_normalized: normalizeEmail(email),
      code_sealed: sealAddressCode(keys.master, socialArrivalContext('code', key), {
        code,
        email: normalizeEmail(email),
      }),
      code_expires_at: new Date(now().getTime() + addressCodeLifetimeMs),
      code_failures: 0,
    })
    .where(ofOwner(key))
    .where('flow_id', '=', key.flowId)
    .execute()
}

/**
 * Counts a try of the code of an arrival, before it is compared: of many concurrent ones, five are.
 *
 * @returns The code; undefined when none may be tried.
 */
export async function takeAddressTry(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: FlowKey,
): Promise<AddressCode | undefined> {
  const at = now()
  const counted = await trx
    .updateTable('social_arrivals')
    .set({ code_failures: sql`code_failures + 1` })
    .where(ofOwner(key))
    .where('flow_id', '=', key.flowId)
    .where('expires_at', '>', at)
    .where('code_sealed', 'is not', null)
    .where('code_expires_at', '>', at)
    .where('code_failures', '<', maxAddressCodeFailures)
    .returning('code_sealed')
    .executeTakeFirst()
  const context = socialArrivalContext('code', key)
  return counted?.code_sealed == null ? undefined : openAddressCode(keys.master, context, counted.code_sealed)
}

/** The context under which an identity, or the code of its address, is sealed; the re-sealing command uses it too. */
export function socialArrivalContext(
  kind: 'identity' | 'code',
  { accountId, environment, organizationId, flowId }: ArrivalKey,
): SealContext {
  return {
    purpose: 'social_arrival',
    scope: organizationId,
    aad: `social_arrivals.${kind}_sealed:${accountId}:${environment}:${flowId}`,
  }
}
