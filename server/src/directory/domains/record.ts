import type { Domain, DomainResult, DomainState } from '@portico/contract/domains'
import type { Environment } from '@portico/contract/fields'
import type { Selectable } from 'kysely'
import type { Domains } from '../../platform/db/schema.js'

export const domainColumns = [
  'domains.organization_id',
  'domains.id',
  'domains.domain',
  'domains.token',
  'domains.state',
  'domains.declared',
  'domains.include_subdomains',
  'domains.sso_required',
  'domains.verified_at',
  'domains.checked_at',
  'domains.last_result',
  'domains.checks',
  'domains.negatives',
  'domains.negative_at',
  'domains.expires_at',
  'domains.next_check_at',
  'domains.version',
  'domains.inserted_at',
  'domains.updated_at',
] as const

export type DomainRow = Omit<Selectable<Domains>, 'account_id' | 'environment'> & {
  readonly sso_exempt_emails: string[]
}

interface Place {
  /** Of the organization. */
  readonly domain: string
  readonly environment: Environment
  /** DOMAIN_CHALLENGE_LABEL. */
  readonly label: string
}

export function toDomain(row: DomainRow, { domain, environment, label }: Place): Domain {
  return {
    __type__: 'Domain',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    domain: row.domain,
    // Checks of the table allow nothing else in these.
    state: row.state as DomainState,
    declared: row.declared,
    include_subdomains: row.include_subdomains,
    sso_required: row.sso_required,
    sso_exempt_emails: row.sso_exempt_emails,
    record: { type: 'TXT', name: recordName(row, label), value: recordValue(row) },
    verified_at: row.verified_at?.toISOString() ?? null,
    checked_at: row.checked_at?.toISOString() ?? null,
    last_result: row.last_result as DomainResult | null,
    expires_at: row.expires_at?.toISOString() ?? null,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** The name of the record that proves a domain. */
export function recordName({ domain }: Pick<DomainRow, 'domain'>, label: string): string {
  return `_${label}-challenge.${domain}`
}

/** Its text. */
export function recordValue({ token }: Pick<DomainRow, 'token'>): string {
  return `token=${token}`
}

/** The token of a record as it is shown. */
export function tokenOf({ record }: Pick<Domain, 'record'>): string {
  return record.value.slice('token='.length)
}

/** A row with its columns of closed lists, for the rules of states.ts. */
export function toStanding(row: DomainRow) {
  const { declared, verified_at, checked_at, checks, negatives, negative_at, expires_at, next_check_at } = row
  return {
    ...{ declared, verified_at, checked_at, checks, negatives, negative_at, expires_at, next_check_at },
    // Checks of the table allow nothing else in these.
    state: row.state as DomainState,
    last_result: row.last_result as DomainResult | null,
  }
}
