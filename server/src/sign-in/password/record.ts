import type {
  PassedPasswordChallenge,
  Password,
  PasswordConnection,
  PasswordRequest,
  RefusedPasswordChallenge,
} from '@portico/contract/password'
import type { Selectable } from 'kysely'
import type { PasswordConnections, PasswordRequests } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

export const passwordConnectionColumns = [
  'organization_id',
  'id',
  'active',
  'plain_text_min_length',
  'plain_text_max_length',
  'pepper_rotation_period',
  'version',
  'inserted_at',
  'updated_at',
] as const

export type PasswordConnectionRow = Pick<
  Selectable<PasswordConnections>,
  (typeof passwordConnectionColumns)[number]
>

type Place = Pick<Tenant, 'domain' | 'environment'>

export function toPasswordConnection(row: PasswordConnectionRow, tenant: Place): PasswordConnection {
  return {
    __type__: 'PasswordConnection',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    id: row.id,
    active: row.active,
    plain_text_min_length: row.plain_text_min_length,
    plain_text_max_length: row.plain_text_max_length,
    pepper_rotation_period: row.pepper_rotation_period,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export type RequestRow = Pick<Selectable<PasswordRequests>, 'id' | 'user_id' | 'expires_at'>

export function toPasswordRequest(row: RequestRow, tenant: Place): PasswordRequest {
  return {
    __type__: 'PasswordRequest',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    request_id: row.id,
    user_id: row.user_id,
    expired_at: row.expires_at.toISOString(),
  }
}

/** The password is right, and nothing else is asked for. */
export function toPassedChallenge(
  tenant: Place,
  passed: {
    readonly requestId: string
    readonly code: string
    readonly expiresAt: Date
    readonly userId: string
    readonly passwordId: number
    /** Sets another password, when the present one has to be replaced. */
    readonly renewalCode: string | undefined
  },
): PassedPasswordChallenge {
  return {
    ...challengeOf(tenant, passed.requestId),
    'valid?': true,
    error: null,
    code: passed.code,
    expired_at: passed.expiresAt.toISOString(),
    user_id: passed.userId,
    password_id: passed.passwordId,
    renew_password: passed.renewalCode === undefined ? null : { password_code: passed.renewalCode },
  }
}

/** The password is right, and a second factor is asked for. */
export function toPendingChallenge(
  tenant: Place,
  pending: {
    readonly requestId: string
    readonly error: 'totp_required' | 'passkey_required'
    readonly expiresAt: Date
    readonly userId: string
  },
) {
  return {
    ...challengeOf(tenant, pending.requestId),
    'valid?': false,
    error: pending.error,
    expired_at: pending.expiresAt.toISOString(),
    user_id: pending.userId,
    password_id: null,
    renew_password: null,
  } as const satisfies RefusedPasswordChallenge
}

/** The sign-in is refused; the answer does not contain the reason. */
export function toRefusedChallenge(tenant: Place, requestId: string): RefusedPasswordChallenge {
  return {
    ...challengeOf(tenant, requestId),
    'valid?': false,
    error: 'invalid_credentials',
    expired_at: null,
    user_id: null,
    password_id: null,
    renew_password: null,
  }
}

function challengeOf(tenant: Place, requestId: string) {
  return {
    __type__: 'PasswordChallenge',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    request_id: requestId,
  } as const
}

export function toPassword(
  { id, userId, code }: { readonly id: number; readonly userId: string; readonly code: string | null },
  tenant: Place,
): Password {
  return {
    __type__: 'Password',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    id,
    user_id: userId,
    code,
  }
}
