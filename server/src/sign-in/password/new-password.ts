import { standardClaimNames, standardClaims } from '@portico/contract/profile'
import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { endSessionsOf, type KeptSignIn } from '../../directory/end-sessions.js'
import type { Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import type { SigningInUser } from '../../directory/users/signing-in-user.js'
import { markEmailProved } from '../../directory/users/proved-email.js'
import { voidPasswordRequests } from '../../directory/forget-password.js'
import { findPasswordFault, knownPasswordFault, type PasswordFault, type PasswordLengths } from './policy.js'
import { toPassword } from './record.js'
import { writePassword } from './stored-password.js'

/** Texts about the owner of a new password, which must not consist of them. */
interface PasswordOwnerTexts {
  readonly email: string
  /** As it is stored. */
  readonly profile: unknown
  /** Of the organization. */
  readonly name: string
  readonly domain: string
  /** Of the account; null: as the operator calls the service. */
  readonly product_name: string | null
}

/** The fault of a new password; undefined when it is acceptable. */
export async function findNewPasswordFault(
  { config, knownPasswords }: Pick<Deps, 'config' | 'knownPasswords'>,
  plainText: string,
  lengths: PasswordLengths,
  { email, profile, name, domain, product_name }: PasswordOwnerTexts,
): Promise<PasswordFault | undefined> {
  const ownTexts = [email, ...textsOf(profile), name, domain, product_name ?? config.productName]
  const fault = findPasswordFault(plainText, lengths, ownTexts)
  if (fault !== undefined) return fault
  return (await knownPasswords.isKnown(plainText)) ? knownPasswordFault : undefined
}

/** The names in a profile, as it is stored. */
function textsOf(profile: unknown): string[] {
  if (typeof profile !== 'object' || profile === null) return []
  const named: Record<string, unknown> = { ...profile }
  return standardClaimNames.flatMap((name) => {
    const text = named[name]
    return standardClaims[name].isName && typeof text === 'string' ? [text] : []
  })
}

/** An acceptable password, and its user. */
interface Replacement {
  readonly organizationId: string
  readonly applicationId: string
  readonly user: SigningInUser
  /** The user has opened a link to the page. */
  readonly isLinkOpened: boolean
  /** The API has returned such a link. */
  readonly isLinkReturned: boolean
  readonly hash: string
  /** The sign-in in which the user sets it. */
  readonly kept?: KeptSignIn
}

/**
 * Replaces the password of a user whom the transaction has locked; ends their sessions and pending sign-ins.
 *
 * @returns The password's id.
 */
export async function replacePassword(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { organizationId, applicationId, user, isLinkOpened, isLinkReturned, hash, kept }: Replacement,
): Promise<number> {
  const { accountId, environment } = tenant
  const owner = { accountId, environment, organizationId, userId: user.id }
  await endSessionsOf(deps, trx, tenant, user.id, kept)
  // The flow in which the user sets it goes on.
  if (isLinkOpened) await markEmailProved(deps, trx, tenant, user, { isLinkReturned, haveSignInsEnded: true })
  await voidPasswordRequests(deps, trx, tenant, normalizeEmail(user.email))
  const id = await writePassword(deps, trx, owner, hash)
  await emit(deps, trx, tenant, {
    code: 'password.password.set.success',
    record: toPassword({ id, userId: user.id, code: null }, tenant),
    organizationId,
    subjectId: user.id,
  })
  await logEvent(deps, trx, {
    ...tenant,
    ...owner,
    code: 'PASSWORD_SET',
    clientId: applicationId,
    email: user.email,
  })
  await enqueueNotice(deps, trx, { notice: 'password_set', ...owner, environment, cause: tenant.cause })
  return id
}
