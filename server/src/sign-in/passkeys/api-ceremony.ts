import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { newId } from '../../platform/crypto/random.js'
import { insertFound } from '../../platform/db/insert-if.js'
import { isOrganizationOf, ofEnvironment, tenantColumns } from '../../platform/db/tenant-predicate.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { timeoutMs, type Ceremony } from './ceremony.js'

/** What an answer of a page of an application is good for. */
export type Purpose = 'registration' | 'sign_in' | 'second_factor'

export interface NewCeremony {
  readonly purpose: Purpose
  readonly applicationId: string
  /** Undefined where the passkey names its user. */
  readonly userId?: string
  readonly pendingSignInId?: string
  /** Of the code of a sign-in. */
  readonly code?: {
    readonly redirectUri: string
    readonly state: string | null
    readonly nonce: string | null
    readonly codeChallenge: string | null
    readonly scope: string
  }
}

/** Stores that a page of an application asks for a passkey: its challenge is made of the id of the row, which is good for one answer. */
export async function insertCeremony(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  { purpose, applicationId, userId, pendingSignInId, code }: NewCeremony,
): Promise<{ readonly ceremony: Ceremony; readonly expiresAt: Date }> {
  const at = now()
  const { organization_id, id, expires_at } = await insertFound(db, 'passkey_ceremonies', {
    ...tenantColumns(tenant),
    id: newId(),
    purpose,
    user_id: userId ?? null,
    application_id: applicationId,
    pending_sign_in_id: pendingSignInId ?? null,
    redirect_uri: code?.redirectUri ?? null,
    state: code?.state ?? null,
    nonce: code?.nonce ?? null,
    code_challenge: code?.codeChallenge ?? null,
    scope: code?.scope ?? null,
    expires_at: new Date(at.getTime() + timeoutMs),
    inserted_at: at,
  })
    .returning(['organization_id', 'id', 'expires_at'])
    .executeTakeFirstOrThrow()
  return { ceremony: ceremonyOf(organization_id, id), expiresAt: expires_at }
}

function ceremonyOf(organizationId: string, id: string): Ceremony {
  return { purpose: 'passkey_api', organizationId, id, csrf: '', attempt: 0 }
}

/**
 * Takes a ceremony away before its answer is looked at: of any number of answers one finds it.
 *
 * @returns Undefined where there is none, or not for the caller.
 */
export async function takeCeremony(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  caller: Pick<Caller, 'accountId' | 'environment' | 'organizationIds'>,
  {
    id,
    purposes,
    domain,
  }: { readonly id: string; readonly purposes: readonly Purpose[]; readonly domain?: string },
) {
  const { organizationIds } = caller
  const row = await db
    .deleteFrom('passkey_ceremonies')
    .using('organizations')
    .where(ofEnvironment(caller, 'passkey_ceremonies'))
    .where('passkey_ceremonies.id', '=', id)
    .where('passkey_ceremonies.purpose', 'in', purposes)
    .where('passkey_ceremonies.expires_at', '>', now())
    .where(isOrganizationOf('organizations', 'passkey_ceremonies'))
    .where('organizations.deleted_at', 'is', null)
    .where(
      sql<boolean>`(${organizationIds}::uuid[] is null or organizations.id = any(${organizationIds}::uuid[]))`,
    )
    .$if(domain !== undefined, (query) => query.where('organizations.domain', '=', domain ?? ''))
    .returning([
      'organizations.domain',
      'passkey_ceremonies.organization_id',
      'passkey_ceremonies.user_id',
      'passkey_ceremonies.application_id',
      'passkey_ceremonies.pending_sign_in_id',
      'passkey_ceremonies.redirect_uri',
      'passkey_ceremonies.state',
      'passkey_ceremonies.nonce',
      'passkey_ceremonies.code_challenge',
      'passkey_ceremonies.scope',
    ])
    .executeTakeFirst()
  return row && { ...row, ceremony: ceremonyOf(row.organization_id, id) }
}

export type TakenCeremony = NonNullable<Awaited<ReturnType<typeof takeCeremony>>>
