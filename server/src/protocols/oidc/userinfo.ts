import { environments } from '@portico/contract/fields'
import type { UserInfo } from '@portico/contract/oidc'
import { decodeJwt } from '../../platform/crypto/jwt.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { verifyUserToken } from '../../tokens/access-token.js'
import type { NamedIssuer } from '../../tokens/issuer.js'
import { toToldRoles } from '../../tokens/role-claims.js'
import { toUserClaims } from '../../tokens/user-claims.js'
import { isTokenLive } from '../oauth/live-token.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import { findUserOfToken } from '../../directory/users/users.js'
import { causeBy } from '../../platform/tenant.js'

/** A request to the UserInfo endpoint of an organization, or of an account for any of its organizations. */
interface UserInfoRequest {
  readonly issuer: NamedIssuer
  /** The Authorization header. */
  readonly authorization: string | undefined
  /** Of the form (RFC 6750 section 2.2); empty counts as omitted. */
  readonly formToken?: string | undefined
  readonly requestId: string
}

/**
 * The claims about the user that the access token's scopes allow, and those that were asked for by name (OpenID Connect Core
 * section 5.3).
 *
 * @throws ApiError `invalid_token`, with the same text for every invalid token and for an unknown issuer;
 *   `malformed_request` for a token in the header and in the form.
 */
export async function getUserInfo(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  { issuer, authorization, formToken = '', requestId }: UserInfoRequest,
): Promise<UserInfo> {
  const refused = refusalAt(issuer)
  if (authorization !== undefined && formToken !== '')
    throw new ApiError('malformed_request', {
      message: 'The access token must be sent in one way: in the header or in the form.',
    })
  if (authorization === undefined && formToken === '')
    throw new ApiError('invalid_token', { message: 'Send Authorization: Bearer <access token of the user>.' })
  const [, token = formToken] = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? '') ?? []
  // Unverified: they select the organization and the environment, whose key then verifies them.
  const { dbs, org } = decodeJwt(token)?.claims ?? {}
  const environment = environments.find((each) => each === dbs)
  if (environment === undefined) throw refused()
  const organization = await findOrganizationAt(deps, issuer, org)
  if (organization === undefined) throw refused()
  const place = { accountId: organization.accountId, environment }
  const verified = await verifyUserToken(deps, place, token, 0).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'access_token_refused' ? refused(error) : error
  })
  if (verified.organizationDomain !== organization.domain) throw refused()
  if (!(await isTokenLive(deps, place, verified))) throw refused()
  const tenant = {
    ...place,
    accountDomain: '',
    domain: organization.domain,
    organizationIds: null,
    cause: causeBy(requestId, 'user', verified.userId),
  }
  const found = await findUserOfToken(deps.db, tenant, verified)
  // Since the token was found to be live, the user or the organization may have been deleted.
  if (found === undefined) throw refused()
  const { user } = found
  const { roles } = toToldRoles(found.roles, found.permissionPrefixes)
  const { scp, userinfo_claims: names } = verified.claims
  const scopes = listOf(scp)
  return {
    sub: user.id,
    ...toUserClaims(user, { scopes, names: listOf(names) }),
    ...(scopes.includes('organization') && { organization: toOrganizationClaim(organization) }),
    ...(roles.length > 0 && { roles: [...roles] }),
  }
}

/** The organization whose user a request is about: that of the issuer, or the claimed one if the account has it. */
async function findOrganizationAt(
  deps: Pick<Deps, 'db'>,
  { kind, domain }: NamedIssuer,
  claimed: unknown,
): Promise<PublicOrganization | undefined> {
  if (kind === 'organization') return findOrganizationByDomain(deps, domain)
  const organization = typeof claimed === 'string' ? await findOrganizationByDomain(deps, claimed) : undefined
  return organization?.accountDomain === domain ? organization : undefined
}

function refusalAt({ kind }: NamedIssuer): (cause?: unknown) => ApiError {
  const message = `The access token is not one of this ${kind} whose user is signed in.`
  return (cause) => new ApiError('invalid_token', { message, cause })
}

function toOrganizationClaim({ domain, name, icon_logo_url, inline_logo_url }: PublicOrganization) {
  return { domain, name, logo_url: icon_logo_url ?? inline_logo_url }
}

function listOf(claim: unknown): readonly unknown[] {
  return Array.isArray(claim) ? claim : []
}
