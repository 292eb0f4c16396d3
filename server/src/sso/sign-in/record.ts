import type { Environment } from '@portico/contract/fields'
import { ssoChecks, type SsoCheck } from '@portico/contract/sso-checks'
import type { SsoLoginTrace, SsoSamlChallenge } from '@portico/contract/sso-records'
import type { Selectable } from 'kysely'
import type { SsoChallenges, SsoLoginTraces } from '../../platform/db/schema.js'

export const loginAttemptColumns = [
  'sso_login_traces.id',
  'sso_login_traces.kind',
  'sso_login_traces.outcome',
  'sso_login_traces.checks',
  'sso_login_traces.failed_check',
  'sso_login_traces.name_id',
  'sso_login_traces.email',
  'sso_login_traces.attributes',
  'sso_login_traces.user_id',
  'sso_login_traces.request_id',
  'sso_login_traces.inserted_at',
] as const

type Column<Name> = Name extends `sso_login_traces.${infer Bare extends keyof Selectable<SsoLoginTraces>}`
  ? Bare
  : never

type AttemptRow = Pick<Selectable<SsoLoginTraces>, Column<(typeof loginAttemptColumns)[number]>>

/** The connection of a login attempt, and its organization. */
interface AttemptOwner {
  readonly domain: string
  readonly environment: Environment
  readonly idpId: string
}

export function toSsoLoginTrace(
  row: AttemptRow,
  { domain, environment, idpId }: AttemptOwner,
): SsoLoginTrace {
  // Written by login-attempts.ts only, from the names of the contract; the table's checks allow no other kind and outcome.
  const failed = row.failed_check as SsoCheck | null
  return {
    __type__: 'SsoLoginTrace',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    idp_id: idpId,
    kind: row.kind as SsoLoginTrace['kind'],
    outcome: row.outcome as SsoLoginTrace['outcome'],
    failed_check: failed,
    mender: failed === null ? null : ssoChecks[failed].mender,
    remedy: failed === null ? null : ssoChecks[failed].remedy,
    checks: row.checks as unknown as SsoLoginTrace['checks'],
    name_id: row.name_id,
    email: row.email,
    attributes: row.attributes as SsoLoginTrace['attributes'],
    user_id: row.user_id,
    request_id: row.request_id,
    inserted_at: row.inserted_at.toISOString(),
  }
}

/** A challenge of either protocol, without the address that begins its sign-in, as its event has it. */
export function toChallengeData(
  row: Pick<Selectable<SsoChallenges>, 'id' | 'expires_at'>,
  { domain, environment, idpId }: AttemptOwner,
): Omit<SsoSamlChallenge, '__type__' | 'authorization_url'> {
  return {
    __domain__: domain,
    __environment__: environment,
    idp_id: idpId,
    request_id: row.id,
    expired_at: row.expires_at.toISOString(),
  }
}
