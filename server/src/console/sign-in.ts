import { acrValues } from '@portico/contract/authorize'
import { OrganizationPath } from '@portico/contract/fields'
import type { Deps } from '../delivery/deps.js'
import {
  findConsoleOfStaff,
  findStaffOrganizationOf,
  keepSignedInUrl,
  signedInUrl,
  type StaffOrganization,
} from '../operations/staff/staff-organization.js'
import { hashSecret, randomSecret } from '../platform/crypto/secret.js'
import { accountOfPath, toOwnPath } from './own-path.js'
import { findStaff } from './visitor.js'

/** Where a sign-in to the console leads. */
interface Destination {
  /** A path of the console. */
  readonly to: string
  /** Whether a user who is signed in proves anew that they are there. */
  readonly isStepUp?: boolean
  /** The address of who is signed in, so that they need not enter it. */
  readonly email?: string
}

/**
 * The address at which staff sign in to the console of an account. The console has no sign-in of its own: it asks the authorization
 * endpoint of the staff organization, throws the code away, and goes by the session of the browser.
 *
 * @returns Undefined where there is no such account, or it has no staff.
 */
export async function findSignInUrl(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  accountDomain: string,
  destination: Destination,
): Promise<string | undefined> {
  const staff = await findStaffOrganizationOf(deps, accountDomain)
  if (staff === undefined) return undefined
  await keepSignedInUrl(deps, staff)
  return toSignInUrl(deps, staff, destination)
}

function toSignInUrl(
  { config }: Pick<Deps, 'config'>,
  { domain, applicationId }: StaffOrganization,
  { to, isStepUp = false, email }: Destination,
): string {
  const parameters = new URLSearchParams({
    client_id: applicationId,
    redirect_uri: signedInUrl(config.baseUrl),
    response_type: 'code',
    scope: 'openid',
    state: to,
    // Nobody has a verifier, so nobody exchanges the code.
    code_challenge: hashSecret(randomSecret()).toString('base64url'),
    code_challenge_method: 'S256',
    ...(config.isProduction && { acr_values: acrValues.twoFactors }),
    ...(isStepUp && { max_age: '0' }),
    ...(email !== undefined && { login_hint: email }),
  })
  return `/t/${domain}/authorize?${parameters.toString()}`
}

/** What becomes of a browser that comes from a sign-in: it goes on to a path, or is not signed in. */
type Arrived = { readonly to: string } | { readonly refused: 'no_session' | 'error' }

/** The parameters of a sign-in's answer, as they came. */
interface Answer {
  readonly state: unknown
  readonly error: unknown
  readonly iss: unknown
}

/**
 * The end of a sign-in. One that the console has asked for must have left a session: without it the browser would be sent round in
 * circles. One that something else has begun, such as an invitation, leads to the first page of the account.
 */
export async function endSignIn(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  { state, error, iss }: Answer,
  cookie: string | undefined,
): Promise<Arrived> {
  if (error !== undefined) return { refused: 'error' }
  if (state === undefined) return { to: await firstPageOf(deps, iss) }
  const to = toOwnPath(state) ?? '/console'
  const accountDomain = accountOfPath(to)
  if (accountDomain === undefined) return { to }
  const staff = await findStaff(deps, { accountDomain, cookie })
  return staff === undefined ? { refused: 'no_session' } : { to }
}

async function firstPageOf(deps: Pick<Deps, 'config' | 'db'>, iss: unknown): Promise<string> {
  const prefix = `${deps.config.baseUrl}/t/`
  if (typeof iss !== 'string' || !iss.startsWith(prefix)) return '/console'
  const { org_domain: domain } = OrganizationPath.parse({ org_domain: iss.slice(prefix.length) })
  const staff = await findConsoleOfStaff(deps, domain)
  return staff === undefined ? '/console' : homeOf(staff)
}

/** The first page of the console of an account. */
export function homeOf({ accountDomain }: Pick<StaffOrganization, 'accountDomain'>): string {
  return `/console/${accountDomain}/sandbox`
}
