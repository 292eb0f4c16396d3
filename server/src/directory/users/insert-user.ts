import type { PhoneNumber } from '@portico/contract/profile'
import type { NewUser } from '@portico/contract/user-input'
import { randomBytes } from '../../platform/crypto/random.js'
import type { Json } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import type { Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { toUser, toUserRow, unwritten, writtenPartOf, type IdentityRow, type MetaDataRow } from './record.js'

/** A new user; no telephone number is verified. */
interface UserToInsert {
  readonly id: string
  readonly input: NewUser
  readonly emailVerified: boolean
  readonly phoneNumbers: readonly PhoneNumber[]
}

/** The parameters of a statement that inserts a user. */
export type UserInsertion = ReturnType<typeof userInsertion>

export function userInsertion({ now }: Pick<Deps, 'now'>, tenant: Tenant, user: UserToInsert) {
  const { accountId, environment, domain, organizationIds } = tenant
  return {
    ...{ accountId, environment, domain, organizationIds },
    ...toUserRow(unwritten, user.input, user.phoneNumbers),
    id: user.id,
    emailNormalized: normalizeEmail(user.input.email),
    emailVerified: user.emailVerified,
    // Only a door that holds the lock of the seats and the invitation of the address knows otherwise.
    isHeld: false,
    avatarHexaColor: `#${randomBytes(3).toString('hex')}`,
    at: now(),
  }
}

/** The columns of a new user that the parameters know, for the statement and for the record alike. */
export function knownColumns(user: UserInsertion) {
  return {
    ...writtenPartOf(user),
    id: user.id,
    email_verified: user.emailVerified,
    phone_number_verified: false,
    avatar_hexa_color: user.avatarHexaColor,
    version: 1,
    inserted_at: user.at,
    updated_at: user.at,
  }
}

/** The event of a user whom a statement with these parameters creates, for create(). */
export function emissionOfNewUser(
  user: UserInsertion,
  tenant: Pick<Tenant, 'domain' | 'environment'>,
  {
    identities = [],
    metadata = [],
  }: { readonly identities?: readonly IdentityRow[]; readonly metadata?: readonly MetaDataRow[] } = {},
) {
  const columns = knownColumns(user)
  const row = {
    ...columns,
    phone_numbers: parsed(columns.phone_numbers),
    profile: parsed(columns.profile),
    address: parsed(columns.address),
    ...{ metadata, identities, groups: [] },
  }
  const { id: subjectId, version, email } = row
  return { code: 'user.user.create.success', record: toUser(row, tenant), version, subjectId, email } as const
}

/** A jsonb column as it will be read, of the text that is written. */
function parsed(column: Json): Json {
  return typeof column === 'string' ? (JSON.parse(column) as Json) : column
}
