import type { AuthorizationRequest } from '@portico/contract/authorize'
import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { ProvedAddress } from '../../sign-in/account-flows/email-session.js'
import { linkLifetimeMs } from '../../sign-in/magic-link/insert-link.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { statement } from '../../platform/db/statement.js'
import { ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'

/**
 * The step of a discovery, which has one secret at a time:
 *
 * - `link`: a link to the mailbox; opening it sends the browser to the application with a code;
 * - `code`: the application's back end exchanges it for a token and the organizations;
 * - `token`: enters one of them;
 * - `continue`: the address of our page where the user passes what is missing;
 * - `over`: no secret is left.
 */
type SecretStep = 'link' | 'code' | 'token' | 'continue'

/** How long the secret of a step works. */
export const lifetimesMs: Readonly<Record<SecretStep, number>> = {
  link: linkLifetimeMs,
  code: 60 * 1000,
  token: 60 * 60 * 1000,
  continue: 10 * 60 * 1000,
}

/** The secret of a step: its text is told once, and its digest is stored. */
interface StepSecret {
  readonly step: SecretStep
  readonly secret: string
  readonly secretHash: Buffer
  readonly expiresAt: Date
}

export function makeSecret(step: SecretStep, at: Date): StepSecret {
  const secret = randomSecret()
  return {
    step,
    secret,
    secretHash: hashSecret(secret),
    expiresAt: new Date(at.getTime() + lifetimesMs[step]),
  }
}

/** What takes the place of the secret of a step. */
export interface NextStep {
  readonly toStep: SecretStep | 'over'
  readonly nextHash: Buffer | null
  readonly expiresAt: Date
}

/** The last step. */
export function overAt(expiresAt: Date): NextStep {
  return { toStep: 'over', nextHash: null, expiresAt }
}

export function stepTo({ step, secretHash, expiresAt }: StepSecret): NextStep {
  return { toStep: step, nextHash: secretHash, expiresAt }
}

/** A secret as a caller of the API sends it, with the owner of their key. */
export interface KeyedSecret {
  readonly accountId: string
  readonly environment: Environment
  readonly step: SecretStep
  readonly secretHash: Buffer
  readonly at: Date
}

const discoveryColumns = [
  'discovery.account_id',
  // The table's check constraint allows nothing else.
  sql<Environment>`discovery.environment`.as('environment'),
  'discovery.id',
  'discovery.application_id',
  'applications.name as application_name',
  'discovery.email',
  'discovery.email_normalized',
  'discovery.redirect_uri',
  'discovery.is_link_returned',
  // Only written by enterDiscovery().
  sql<AuthorizationRequest | null>`discovery.request`.as('request'),
  // Written when the link is opened, before any other secret is made.
  sql<Date>`discovery.proved_at`.as('proved_at'),
] as const

/** The discovery that waits for a secret of the caller's account; nothing changes. */
export const findDiscovery = statement((db, key: KeyedSecret) =>
  db
    .selectFrom('discoveries as discovery')
    .innerJoin('applications', (join) =>
      join
        .on(sameEnvironment('applications', 'discovery'))
        .onRef('applications.id', '=', 'discovery.application_id'),
    )
    .where(ofEnvironment(key, 'discovery'))
    .where(isWaitingFor(key))
    .where('applications.deleted_at', 'is', null)
    .select(discoveryColumns),
)

export type DiscoveryRow = Awaited<ReturnType<typeof findDiscovery>>[number]

/** The address of a discovery whose link was opened. */
export function toProof(row: DiscoveryRow): ProvedAddress {
  return {
    email: row.email,
    emailNormalized: row.email_normalized,
    provedAt: row.proved_at,
    isLinkReturned: row.is_link_returned,
  }
}

/** Takes such a secret: of many concurrent requests, one gets the row. */
export const takeDiscovery = statement((db, key: KeyedSecret & NextStep) =>
  db
    .updateTable('discoveries as discovery')
    .set({ step: key.toStep, secret_hash: key.nextHash, expires_at: key.expiresAt })
    .where(ofEnvironment(key, 'discovery'))
    .where(isWaitingFor(key))
    .returning('discovery.id'),
)

/** A secret as a browser brings it to a page of an account. */
export interface ArrivedSecret {
  readonly accountDomain: string
  readonly step: SecretStep
  readonly secretHash: Buffer
  readonly at: Date
}

/** The discovery that waits for a secret of a page, as long as the application allows where the browser goes then. */
export const findArrived = statement((db, key: ArrivedSecret) =>
  db
    .selectFrom('discoveries as discovery')
    .innerJoin('accounts', 'accounts.id', 'discovery.account_id')
    .innerJoin('applications', (join) =>
      join
        .on(sameEnvironment('applications', 'discovery'))
        .onRef('applications.id', '=', 'discovery.application_id'),
    )
    .where('accounts.domain', '=', key.accountDomain)
    .where(isWaitingFor(key))
    .where('applications.deleted_at', 'is', null)
    .where(isRedirectAllowed())
    .select(discoveryColumns),
)

/** Takes such a secret, once. The first one is the link, whose time is that of the proof. */
export const takeArrived = statement((db, key: ArrivedSecret & NextStep) =>
  db
    .updateTable('discoveries as discovery')
    .set({
      step: key.toStep,
      secret_hash: key.nextHash,
      expires_at: key.expiresAt,
      proved_at: sql`coalesce(discovery.proved_at, ${key.at})`,
    })
    .from(['accounts', 'applications'])
    .where('accounts.domain', '=', key.accountDomain)
    .whereRef('accounts.id', '=', 'discovery.account_id')
    .where(isWaitingFor(key))
    .where(sameEnvironment('applications', 'discovery'))
    .whereRef('applications.id', '=', 'discovery.application_id')
    .where('applications.deleted_at', 'is', null)
    .where(isRedirectAllowed())
    .returning(discoveryColumns),
)

function isWaitingFor({ step, secretHash, at }: Pick<KeyedSecret, 'step' | 'secretHash' | 'at'>) {
  return sql<boolean>`(
    discovery.step = ${step}
    and discovery.secret_hash = ${secretHash}
    and discovery.expires_at > ${at}
  )`
}

function isRedirectAllowed() {
  return sql<boolean>`discovery.redirect_uri = any(applications.allowed_redirect_urls)`
}
