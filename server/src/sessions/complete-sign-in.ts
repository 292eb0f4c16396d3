import type { Environment } from '@portico/contract/fields'
import type { Session } from '@portico/contract/sessions'
import type { Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { hashSecret, randomSecret } from '../crypto/secret.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { emit } from '../events/emit.js'
import type { ActClaim } from '../oauth/claims.js'
import type { Tenant } from '../tenant.js'

const sessionLifetimeMs = 8 * 60 * 60 * 1000

/** A page's redirect arrives at once; a back end that got the code in an answer still has to hand it on. */
export const codeLifetimesMs = { page: 60_000, api: 300_000 }

/** A user who has passed every factor that was asked for, and where the code goes. */
export interface PassedSignIn {
  readonly tenant: Tenant
  readonly organizationId: string
  readonly userId: string
  readonly applicationId: string
  /** One that the application allows: the code is bound to it. */
  readonly redirectUri: string
  /** How the user was authenticated: email, relay, or a name of RFC 8176. */
  readonly amr: readonly string[]
  readonly authenticatedAt: Date
  /** The user in the organization they come from, after a relay. */
  readonly act?: ActClaim
  readonly nonce: string | null
  /** S256 (RFC 7636). */
  readonly codeChallenge: string | null
  /** The granted scopes, a space between. */
  readonly scope: string
  readonly state: string | null
  /** Whether a page redirects with the code, or an answer of the API carries it. */
  readonly via: 'page' | 'api'
}

/**
 * Opens a session and makes an authorization code for it: the one way from any passed factor to either. The caller
 * has checked, in the same transaction, that the user is active and may sign in to the organization.
 *
 * @returns The code, which is stored as a digest.
 */
export async function completeSignIn(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  signIn: PassedSignIn,
): Promise<string> {
  const { tenant } = signIn
  const scope = {
    account_id: tenant.accountId,
    environment: tenant.environment,
    organization_id: signIn.organizationId,
  }
  const at = deps.now()
  const session = {
    ...scope,
    id: uuidv7(),
    user_id: signIn.userId,
    application_id: signIn.applicationId,
    amr: [...signIn.amr],
    authenticated_at: signIn.authenticatedAt,
    expires_at: new Date(at.getTime() + sessionLifetimeMs),
  }
  const code = randomSecret()
  await trx
    .with('session', (db) =>
      db
        .insertInto('sessions')
        .values({ ...session, act: signIn.act === undefined ? null : JSON.stringify(signIn.act) }),
    )
    .insertInto('authorization_codes')
    .values({
      ...scope,
      id: uuidv7(),
      session_id: session.id,
      user_id: signIn.userId,
      application_id: signIn.applicationId,
      redirect_uri: signIn.redirectUri,
      code_hash: hashSecret(code),
      code_challenge: signIn.codeChallenge,
      nonce: signIn.nonce,
      state: signIn.state,
      scope: signIn.scope,
      expires_at: new Date(at.getTime() + codeLifetimesMs[signIn.via]),
    })
    .execute()
  await emit(deps, trx, tenant, {
    code: 'user.session.create.success',
    record: toSession(session, tenant),
    organizationId: signIn.organizationId,
    subjectId: signIn.userId,
  })
  return code
}

function toSession(
  row: {
    id: string
    user_id: string
    application_id: string
    amr: string[]
    authenticated_at: Date
    expires_at: Date
  },
  tenant: { domain: string; environment: Environment },
): Session {
  return {
    __type__: 'Session',
    __domain__: tenant.domain,
    __environment__: tenant.environment,
    id: row.id,
    user_id: row.user_id,
    client_id: row.application_id,
    amr: row.amr,
    authenticated_at: row.authenticated_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}

/** Whether the organization lets an address sign in. No list, or an empty one, lets every address in. */
export function isEmailDomainAllowed(allowed: readonly string[] | null, normalizedEmail: string): boolean {
  if (allowed === null || allowed.length === 0) return true
  return allowed.includes(normalizedEmail.slice(normalizedEmail.lastIndexOf('@') + 1))
}

/**
 * Where the browser is sent with an answer, such as a code (RFC 6749 section 4.1.2). `iss` lets a client of several
 * issuers notice that another one answers (RFC 9207).
 *
 * @param redirectUri Kept to the letter, its own query included: applications compare what they registered.
 */
export function toRedirectUrl(
  redirectUri: string,
  answer: {
    /** What is answered, beside what every answer has. */
    readonly parameters: Readonly<Record<string, string>>
    readonly state: string | null
    readonly issuer: string
  },
): string {
  const parameters = new URLSearchParams({
    ...answer.parameters,
    ...(answer.state !== null && { state: answer.state }),
    iss: answer.issuer,
  })
  const joint = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return `${redirectUri}${joint}${parameters.toString()}`
}
