import { minNonceLength } from '@portico/contract/client-authentication'
import type { Kysely } from 'kysely'
import { findApplicationForSignIn } from '../applications/applications.js'
import type { DB } from '../../platform/db/schema.js'
import { invalid } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import { isPkceMet } from '../../tokens/pkce.js'

/** The part of a request that describes its authorization code. */
interface CodeRequest {
  readonly application_id?: string | undefined
  readonly redirect_uri?: string | undefined
  readonly state?: string | undefined
  readonly nonce?: string | undefined
  readonly code_challenge?: string | undefined
  readonly code_challenge_method?: 'S256' | undefined
  readonly scope?: string | undefined
}

/** The application of a code, and the parameters that the code is bound to. */
export interface CodeDestination {
  readonly applicationId: string
  /** Allowed by the application. */
  readonly redirectUri: string
  readonly state: string | null
  readonly nonce: string | null
  readonly codeChallenge: string | null
  /** The requested scopes, separated by spaces; undefined: only those that are always granted. */
  readonly scope?: string | undefined
}

/**
 * Chooses the destination of a sign-in's code.
 *
 * @throws ApiError `organization_not_found`, `application_not_found`, `no_application`, and `invalid_parameters` when
 *   the application demands PKCE and the code_challenge is missing.
 */
export async function chooseDestination(
  db: Kysely<DB>,
  tenant: Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'>,
  request: CodeRequest,
): Promise<CodeDestination> {
  const { application, redirectUri } = await findApplicationForSignIn(db, tenant, {
    applicationId: request.application_id,
    redirectUri: request.redirect_uri,
  })
  checkCodeChallenge(request, application)
  return {
    applicationId: application.id,
    redirectUri,
    state: request.state ?? null,
    nonce: request.nonce ?? null,
    codeChallenge: request.code_challenge ?? null,
    scope: request.scope,
  }
}

/**
 * Refuses a code that could never be exchanged, before the user signs in.
 *
 * @throws ApiError `invalid_parameters`
 */
export function checkCodeChallenge(
  request: Pick<CodeRequest, 'code_challenge' | 'code_challenge_method' | 'nonce'>,
  application: Pick<
    Awaited<ReturnType<typeof findApplicationForSignIn>>['application'],
    'code_exchange' | 'client_authentication' | 'pkce'
  >,
): void {
  const isNeeded = application.code_exchange === 'pkce' || request.code_challenge_method !== undefined
  if (isNeeded && request.code_challenge === undefined)
    throw invalid('code_challenge', 'required', 'is required: the S256 challenge of RFC 7636')
  if (isPkceMet(application, request)) return
  const message = 'is required by this application: the S256 challenge of RFC 7636'
  const nonce = application.pkce === 'or_nonce' ? `, or a nonce of ${minNonceLength} characters or more` : ''
  throw invalid('code_challenge', 'required', message + nonce)
}
