import { NewCredential } from '@portico/contract/passkey-credentials'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import type { SessionOfUser } from '../../directory/sessions/sign-out.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import { findMethodsOfUser } from '../methods-of-user.js'
import {
  challengesOf,
  expectedOf,
  readCredential,
  toCreationOptions,
  type Ceremony,
} from '../passkeys/ceremony.js'
import { insertPasskey, type RefusedKey } from '../passkeys/insert-passkey.js'
import { findPasskeyOffer, type PasskeyOffer } from '../passkeys/offer.js'
import {
  findPasskeys,
  removePasskey,
  renamePasskey,
  usableAt,
  type KeptPasskey,
} from '../passkeys/passkeys.js'
import { countPasskeyCodes, findPasskeyCodes, makePasskeyCodes } from '../passkeys/recovery-codes.js'
import { verifyMadeKey } from '../passkeys/webauthn.js'
import { lockTotpUser, ownerOf } from '../totp/totp-user.js'
import { isDemandedPasskey } from './demanded-factor.js'
import { changeOwnAccount } from './own-session.js'

/** The passkeys of the user of a session, and what a browser is asked for to add one. */
export interface OwnPasskeys {
  /** Newest first. */
  readonly passkeys: readonly KeptPasskey[]
  /** Undefined where the user may not have passkeys. */
  readonly options: object | undefined
  /** Whether a passkey signs this user in by itself. */
  readonly isFirstFactor: boolean
  /** The organization demands a second factor, and the user has one passkey alone: recovery codes replace it, else the operator. */
  readonly isOnlyFactor: boolean
  /** The recovery codes that are left; undefined where the user needs none. */
  readonly codesLeft: number | undefined
  /** Whether there are some that are not asked for: the user is asked for a code of TOTP, which has recovery codes of its own. */
  readonly hasUnaskedCodes: boolean
}

/** @param csrf The field of the page that is shown. */
export async function findOwnPasskeys(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  csrf: string,
): Promise<OwnPasskeys> {
  const { userId } = session
  const { passkeyRpId: rpId } = deps.config
  const [offer, passkeys, attempt] = await Promise.all([
    findPasskeyOffer(deps.db, tenant, userId),
    findPasskeys(deps, tenant, userId),
    findSessionAttempt(deps, tenant, session),
  ])
  if (offer?.isActive !== true || rpId === undefined || attempt === undefined)
    return { ...nothingOffered, passkeys }
  const [challenge] = challengesOf(deps, ceremonyOf(session, offer, { csrf, attempt }))
  const options = toCreationOptions(tenant, offer, { challenge, rpId, passkeys })
  const [usable, ...others] = usableAt(rpId, passkeys)
  const isOnlyFactor =
    usable !== undefined &&
    others.length === 0 &&
    (await isDemandedPasskey(deps, deps.db, tenant, { userId, id: usable.id }))
  const codesLeft = await findPasskeyCodes(deps, deps.db, tenant, userId)
  const hasUnaskedCodes =
    codesLeft === undefined && (await countPasskeyCodes(deps, deps.db, tenant, userId)) > 0
  return { passkeys, options, isFirstFactor: offer.isFirstFactor, isOnlyFactor, codesLeft, hasUnaskedCodes }
}

const nothingOffered = {
  options: undefined,
  isFirstFactor: false,
  isOnlyFactor: false,
  codesLeft: undefined,
  hasUnaskedCodes: false,
}

function ceremonyOf(
  { sessionId }: SessionOfUser,
  { organizationId }: PasskeyOffer,
  page: Pick<Ceremony, 'csrf' | 'attempt'>,
): Ceremony {
  return { purpose: 'passkey_registration', organizationId, id: sessionId, ...page }
}

/** How many answers of authenticators the pages of a session have had. */
export async function findSessionAttempt(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  { userId, sessionId }: SessionOfUser,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('sessions')
    .where(ofTenant(tenant))
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .select('passkey_attempt')
    .executeTakeFirst()
  return row?.passkey_attempt
}

/** Counts an answer before it is looked at. @returns The attempt that its challenge is made of. */
export async function takeSessionAttempt(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  { userId, sessionId }: SessionOfUser,
): Promise<number | undefined> {
  const row = await db
    .updateTable('sessions')
    .where(ofTenant(tenant))
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .set({ passkey_attempt: sql`passkey_attempt + 1` })
    .returning('passkey_attempt')
    .executeTakeFirst()
  return row && row.passkey_attempt - 1
}

/** The answer of an authenticator, as the page has sent it. */
interface SentKey {
  readonly credential: string
  readonly csrf: string
  /** What the passkey is called where its provider is not known. */
  readonly name: string
}

/** `refused`: the answer is not one to this page. */
type AddedPasskey = 'added' | 'refused' | 'not_offered' | 'stale' | RefusedKey

/** Adds a passkey to the user of a fresh session. */
export async function addOwnPasskey(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  { credential: text, csrf, name }: SentKey,
): Promise<AddedPasskey> {
  const { userId } = session
  const attempt = await takeSessionAttempt(deps, tenant, session)
  const offer = await findPasskeyOffer(deps.db, tenant, userId)
  if (attempt === undefined) return 'stale'
  if (offer?.isActive !== true) return 'not_offered'
  const expected = expectedOf(deps, ceremonyOf(session, offer, { csrf, attempt }), offer.isFirstFactor)
  if (expected === undefined) return 'not_offered'
  const credential = readCredential(NewCredential, text)
  const key = credential && (await verifyMadeKey(credential, expected))
  if (credential === undefined || key === undefined) return 'refused'
  const { transports } = credential.response
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const now = await findPasskeyOffer(trx, tenant, userId)
    if (now?.isActive !== true) return 'not_offered'
    const made = { key, rpId: expected.rpId, transports, name: { unlessOfProvider: name } }
    const added = await insertPasskey(within, trx, tenant, now, made)
    return typeof added === 'string' ? added : 'added'
  })
}

/** Renames a passkey of the user of a session. A passkey that is gone is no fault: another tab was first. */
export async function renameOwnPasskey(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<'renamed' | 'stale'> {
  const { userId } = session
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within): Promise<'renamed'> => {
    await renamePasskey(within, tenant, { userId, id, name }, undefined).catch(unlessGone)
    return 'renamed'
  })
}

/**
 * Removes a passkey of the user of a fresh session; their other sessions end.
 *
 * @returns `last` where the user could not sign in any more, `demanded` where it is the only second factor of an organization that
 *   demands one.
 */
export async function removeOwnPasskey(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
  id: string,
): Promise<'removed' | 'last' | 'demanded' | 'stale'> {
  const { userId } = session
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    const { hasOther, passkeyIds } = await findMethodsOfUser(within, trx, tenant, userId)
    const left = passkeyIds.filter((one) => one !== id)
    if (!hasOther && passkeyIds.length > 0 && left.length === 0) return 'last'
    if (await isDemandedPasskey(within, trx, tenant, { userId, id })) return 'demanded'
    await removePasskey(within, tenant, { userId, id, kept: session }, undefined).catch(unlessGone)
    return 'removed'
  })
}

/** Makes new recovery codes for the passkeys of the user of a fresh session; undefined where they need none. */
export function renewOwnPasskeyCodes(
  deps: Deps,
  tenant: Tenant,
  session: SessionOfUser,
): Promise<readonly string[] | undefined | 'stale'> {
  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {
    if ((await findPasskeyCodes(within, trx, tenant, session.userId)) === undefined) return undefined
    const user = await lockTotpUser(trx, tenant, session.userId)
    const notice = 'recovery_codes_renewed'
    await enqueueNotice(within, trx, { ...ownerOf(tenant, user), notice, cause: tenant.cause })
    return makePasskeyCodes(within, trx, tenant, user)
  })
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'passkey_not_found') throw error
}
