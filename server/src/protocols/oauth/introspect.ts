import type { Introspection } from '@portico/contract/oauth'
import { AccessTokenClaims } from '@portico/contract/token-claims'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { Deps } from '../../delivery/deps.js'
import { toAcr } from '../../tokens/acr.js'
import { readUserToken } from '../../tokens/access-token.js'
import { issuerOfSignIn, type NamedIssuer } from '../../tokens/issuer.js'
import type { Introspector } from './key-client.js'
import { isTokenLive } from './live-token.js'
import { findActiveFamily, readRefreshToken, repeatableMs } from './refresh-family.js'

/** A token to introspect. */
interface Introspected {
  readonly token: string
  /** The issuer whose endpoint was called; undefined: the service's own. */
  readonly endpoint: NamedIssuer | undefined
}

/** Access tokens that were issued before the claim `scope` existed have only `scp`. */
const ToldClaims = AccessTokenClaims.omit({ scope: true })

const inactive: Introspection = { active: false }

/**
 * Introspects an access token or a refresh token of a user (RFC 7662). An invalid token and a token of another tenant get
 * the same answer: not active.
 */
export async function introspectToken(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  introspector: Introspector,
  { token, endpoint }: Introspected,
): Promise<Introspection> {
  const found = await (readRefreshToken(token) === undefined
    ? introspectAccessToken(deps, introspector, token)
    : introspectRefreshToken(deps, introspector, token))
  if (found === undefined) return inactive
  const { organizationId, domain, answer } = found
  const { accountDomain } = introspector
  const isElsewhere =
    endpoint !== undefined && endpoint.domain !== (endpoint.kind === 'account' ? accountDomain : domain)
  return isElsewhere || !maySee(introspector, organizationId) ? inactive : answer
}

function maySee({ organizationIds }: Introspector, organizationId: string): boolean {
  return organizationIds === null || organizationIds.includes(organizationId)
}

interface Found {
  readonly organizationId: string
  readonly domain: string
  readonly answer: Introspection
}

async function introspectAccessToken(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  introspector: Introspector,
  token: string,
): Promise<Found | undefined> {
  const verified = await readUserToken(deps, introspector, token)
  if (verified === undefined || !(await isTokenLive(deps, introspector, verified))) return undefined
  const { data: claims } = ToldClaims.safeParse(verified.claims)
  if (claims === undefined) return undefined
  const { sub, aud, iss, exp, nbf, iat, jti, sid, dbs, org, acr, auth_time, amr, act, client_id, scp } =
    claims
  const answer = {
    active: true,
    token_type: 'Bearer' as const,
    scope: scp.join(' '),
    ...{ client_id, sub, aud, iss, exp, nbf, iat, jti, sid, dbs, org, acr, auth_time, amr },
    ...(act !== undefined && { act }),
  }
  return { organizationId: verified.organizationId, domain: verified.organizationDomain, answer }
}

async function introspectRefreshToken(
  { config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>,
  introspector: Introspector,
  text: string,
): Promise<Found | undefined> {
  const token = readRefreshToken(text)
  if (token === undefined) return undefined
  const at = now()
  const [family] = await findActiveFamily(db, {
    accountId: introspector.accountId,
    environment: introspector.environment,
    familyHash: hashSecret(token.handle),
    tokenHash: hashSecret(token.secret),
    repeatableSince: new Date(at.getTime() - repeatableMs),
    at,
  })
  if (family === undefined) return undefined
  const answer = {
    active: true,
    scope: family.scope,
    client_id: family.application_id,
    sub: family.user_id,
    aud: family.application_id,
    iss: issuerOfSignIn(config.baseUrl, family),
    exp: toSeconds(family.expires_at),
    iat: toSeconds(family.rotated_at ?? family.inserted_at),
    sid: family.session_id,
    dbs: family.environment,
    org: family.domain,
    acr: toAcr(family.amr, family.claims?.phr),
    auth_time: toSeconds(family.authenticated_at),
    amr: family.amr,
    ...(family.act !== null && { act: family.act }),
  }
  return { organizationId: family.organization_id, domain: family.domain, answer }
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
