import { UsedCredential } from '@portico/contract/passkey-credentials'
import type { RefusalReason } from '@portico/contract/log-events'
import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment, ofOwner } from '../../platform/db/tenant-predicate.js'
import { takeAccountAttempt, type AccountFlow } from '../account-flows/account-flow.js'
import type { Flow } from '../flows/flow.js'
import { challengesOf, expectedOf, readCredential, toRequestOptions, type Ceremony } from './ceremony.js'
import { verifyUsedKey, type Expected } from './webauthn.js'

/** A passkey of the organization of a flow that was used on its page. */
export interface ProvedPasskey {
  readonly passkeyId: string
  readonly organizationId: string
  readonly userId: string
  readonly email: string
  readonly emailNormalized: string
  readonly isVerified: boolean
  readonly isBackedUp: boolean
  readonly signCount: number
}

export type PasskeyProof = { readonly proved: ProvedPasskey } | { readonly refused: RefusalReason }

/** The answer of an authenticator, as a page has sent it. */
interface SentUse {
  readonly credential: string
  readonly isVerificationRequired: boolean
}

/**
 * Verifies the use of a passkey on the page of a flow, whoever it is of. Each answer counts as an attempt of the flow, so that none
 * counts twice. What may have changed since is asked again by what signs its user in.
 */
export async function provePasskey(
  deps: Deps,
  flow: Flow,
  { csrf, purpose, ...sent }: SentUse & Pick<Ceremony, 'csrf' | 'purpose'>,
): Promise<PasskeyProof> {
  const attempt = await takeAttempt(deps, flow)
  if (attempt === undefined) return { refused: 'flow_over' }
  const { organizationId, flowId } = flow
  return provePasskeyOf(deps, flow, { purpose, organizationId, id: flowId, csrf, attempt }, sent)
}

/** The same on any page, whose attempt was counted. */
export async function provePasskeyOf(
  deps: Deps,
  place: Pick<Flow, 'accountId' | 'environment'>,
  ceremony: Ceremony,
  { credential: text, isVerificationRequired }: SentUse,
): Promise<PasskeyProof> {
  const { purpose, organizationId } = ceremony
  const expected = expectedOf(deps, ceremony, isVerificationRequired)
  if (expected === undefined) return { refused: 'passkeys_inactive' }
  const credential = readCredential(UsedCredential, text)
  if (credential === undefined) return { refused: 'passkey_wrong' }
  const whose = purpose === 'passkey_account_sign_in' ? null : organizationId
  return proveUse(deps, { ...place, organizationId: whose }, expected, credential)
}

/** The same with what the answer has to be of; without an organization, of any of the account. */
export async function proveUse(
  { db }: Pick<Deps, 'db'>,
  place: Pick<Flow, 'accountId' | 'environment'> & { readonly organizationId: string | null },
  expected: Expected,
  credential: UsedCredential,
): Promise<PasskeyProof> {
  const passkey = await findPasskey(db, place, { rpId: expected.rpId, credentialId: credential.id })
  if (passkey === undefined) return { refused: 'passkey_unknown' }
  const used = await verifyUsedKey(credential, passkey.public_key, expected)
  if (used === undefined || used.isSynced !== passkey.synced) return { refused: 'passkey_wrong' }
  // Its holder has proved it, and may know.
  const isOwn = place.organizationId === null || passkey.organization_id === place.organizationId
  if (!isOwn) return { refused: 'passkey_of_other_organization' }
  const { userHandle } = credential.response
  const handle = userHandle == null ? undefined : Buffer.from(userHandle, 'base64url')
  if (handle === undefined ? expected.isVerificationRequired : !handle.equals(passkey.user_handle))
    return { refused: 'passkey_wrong' }
  const { isVerified, isBackedUp, signCount } = used
  const { id: passkeyId, user_id: userId, email, email_normalized: emailNormalized } = passkey
  const whose = { organizationId: passkey.organization_id, userId, email, emailNormalized }
  return { proved: { passkeyId, ...whose, isVerified, isBackedUp, signCount } }
}

/** What the first page of a flow asks of a browser; undefined where the service has no passkeys. */
export function findRequestOptions(
  deps: Pick<Deps, 'config' | 'keys'>,
  { organizationId, flowId, passkeyAttempt: attempt }: Flow,
  csrf: string,
): object | undefined {
  const { passkeyRpId: rpId } = deps.config
  if (rpId === undefined) return undefined
  return toOptions(deps, rpId, { purpose: 'passkey_sign_in', organizationId, id: flowId, csrf, attempt })
}

/** The same of the first page of an account. */
export function findAccountRequestOptions(
  deps: Pick<Deps, 'config' | 'keys'>,
  flow: AccountFlow,
  csrf: string,
): object | undefined {
  const { passkeyRpId: rpId } = deps.config
  return rpId === undefined
    ? undefined
    : toOptions(deps, rpId, accountCeremonyOf(flow, csrf, flow.passkeyAttempt))
}

function toOptions(deps: Pick<Deps, 'keys'>, rpId: string, ceremony: Ceremony): object {
  const [challenge] = challengesOf(deps, ceremony)
  // No list of passkeys: it would tell who has some.
  return toRequestOptions({ challenge, rpId, known: [], isVerificationRequired: true })
}

function accountCeremonyOf({ accountId, flowId: id }: AccountFlow, csrf: string, attempt: number): Ceremony {
  return { purpose: 'passkey_account_sign_in', organizationId: accountId, id, csrf, attempt }
}

/** Verifies the use of a passkey on the first page of an account, which organization it is of. */
export async function proveAccountPasskey(
  deps: Deps,
  flow: AccountFlow,
  { credential, csrf }: Pick<SentUse, 'credential'> & Pick<Ceremony, 'csrf'>,
): Promise<PasskeyProof> {
  const attempt = await takeAccountAttempt(deps, flow)
  if (attempt === undefined) return { refused: 'flow_over' }
  const sent = { credential, isVerificationRequired: true }
  return provePasskeyOf(deps, flow, accountCeremonyOf(flow, csrf, attempt), sent)
}

/** Counts an answer before it is looked at. @returns The attempt that its challenge is made of. */
export async function takeAttempt(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  flow: Flow,
): Promise<number | undefined> {
  const row = await db
    .updateTable('sign_in_flows')
    .where(ofOwner(flow))
    .where('id', '=', flow.flowId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now())
    .set({ passkey_attempt: sql`passkey_attempt + 1` })
    .returning('passkey_attempt')
    .executeTakeFirst()
  return row && row.passkey_attempt - 1
}

/** Looks in every organization of the account, so that the holder of a passkey of another one is told which it is. */
function findPasskey(
  db: Kysely<DB>,
  { accountId, environment }: Pick<Flow, 'accountId' | 'environment'>,
  { rpId, credentialId }: { readonly rpId: string; readonly credentialId: string },
) {
  return db
    .selectFrom('passkeys')
    .innerJoin('users', (join) =>
      join
        .onRef('users.account_id', '=', 'passkeys.account_id')
        .onRef('users.environment', '=', 'passkeys.environment')
        .onRef('users.organization_id', '=', 'passkeys.organization_id')
        .onRef('users.id', '=', 'passkeys.user_id'),
    )
    .where(ofEnvironment({ accountId, environment }, 'passkeys'))
    .where('passkeys.rp_id', '=', rpId)
    .where('passkeys.credential_id', '=', credentialId)
    .where('users.deleted_at', 'is', null)
    .select([
      'passkeys.organization_id',
      'passkeys.id',
      'passkeys.user_id',
      'passkeys.public_key',
      'passkeys.user_handle',
      'passkeys.synced',
      'users.email',
      'users.email_normalized',
    ])
    .executeTakeFirst()
}
