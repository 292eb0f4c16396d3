import {
  signInTemplateId,
  type MagicLinkChallenge,
  type MagicLinkConnection,
} from '@portico/contract/magic-link'
import type { Selectable } from 'kysely'
import type { MagicLinkChallenges, MagicLinkConnections } from '../../platform/db/schema.js'
import type { Tenant } from '../../platform/tenant.js'

export const magicLinkConnectionColumns = [
  'organization_id',
  'id',
  'active',
  'find_or_create_user',
  'version',
  'inserted_at',
  'updated_at',
] as const

export type MagicLinkConnectionRow = Pick<
  Selectable<MagicLinkConnections>,
  (typeof magicLinkConnectionColumns)[number]
>

export function toMagicLinkConnection(
  row: MagicLinkConnectionRow,
  tenant: Pick<Tenant, 'domain' | 'environment'>,
): MagicLinkConnection {
  return {
    __type__: 'MagicLinkConnection',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    id: row.id,
    active: row.active,
    find_or_create_user: row.find_or_create_user,
    sign_in_template_id: signInTemplateId,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export type ChallengeRow = Pick<
  Selectable<MagicLinkChallenges>,
  'id' | 'email' | 'find_or_create_user' | 'expires_at'
>

/** @param link When the caller asked for it; only that answer contains it. */
export function toMagicLinkChallenge(
  row: ChallengeRow,
  tenant: Pick<Tenant, 'domain' | 'environment'>,
  link: string | null,
): MagicLinkChallenge {
  return {
    __type__: 'MagicLinkChallenge',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    code: null,
    email_address: row.email,
    find_or_create_user: row.find_or_create_user,
    magic_link: link,
    request_id: row.id,
    expired_at: row.expires_at.toISOString(),
  }
}
