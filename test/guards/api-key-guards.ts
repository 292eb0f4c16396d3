import { guard, guardTest, routeTests } from './guard.js'

const authorize = 'server/src/app/http/authorize.ts'
const apiToken = 'server/src/tokens/api-keys/api-token.ts'
const credentials = 'server/src/tokens/api-keys/credentials.ts'
const clientCredentials = 'server/src/protocols/oauth/client-credentials.ts'

const organizationsCreate = routeTests('organizations.create')
const usersGet = routeTests('users.get')
const outboxList = routeTests('outbox.list')

const endpoint = (title: string) => guardTest('api-keys', `the token endpoint ${title}`)
const token = (title: string) => guardTest('api-keys', `an API token ${title}`)
const resigned = (title: string) =>
  guardTest('api-keys', `a token signed with the account’s own key ${title}`)

const givesToken = endpoint('gives a token for the credentials of a key')
const isAccepted = resigned('is accepted as it was')

/** A claim that a token must have: each alone, because the service signs tokens of several kinds. */
function claimGuard(claim: string, find: string, replace: string) {
  return guard({
    name: `${claim} of an API token`,
    file: apiToken,
    find,
    replace,
    red: resigned(`is refused with another ${claim}`),
    green: isAccepted,
  })
}

/** Who calls, and what the key may do. */
export const apiKeyGuards = [
  guard({
    name: 'scope: of the route',
    file: authorize,
    find: 'if (access.scope !== null && !caller.scopes.includes(access.scope))',
    replace: 'if (false)',
    red: usersGet.refuses('insufficient_scope'),
    green: usersGet.refuses('user_not_found'),
  }),
  guard({
    name: 'sandbox only',
    file: authorize,
    find: "if (access.sandboxOnly && caller.environment !== 'sandbox') throw new ApiError('sandbox_only')",
    replace: '',
    red: outboxList.refuses('sandbox_only'),
    green: outboxList.refuses('key_limited_to_organizations'),
  }),
  guard({
    name: 'reach: the whole account',
    file: authorize,
    find: "if (access.reach === 'account' && caller.organizationIds !== null)",
    replace: 'if (false)',
    red: organizationsCreate.refuses('key_limited_to_organizations'),
    green: organizationsCreate.refuses('plan_limit_reached'),
  }),
  guard({
    name: 'signature of an API token',
    file: apiToken,
    find: 'if (key === undefined || !isJwtSignatureValid(decoded, key.algorithm, key.publicKey)) return undefined',
    replace: 'if (key === undefined) return undefined',
    red: usersGet.demandsToken,
    green: usersGet.succeeds,
  }),
  claimGuard('iss', 'iss === config.baseUrl && ', ''),
  claimGuard('aud', 'aud === apiAudience(config.baseUrl) && ', ''),
  claimGuard('jtt', "&& jtt === 'api_key'", ''),
  claimGuard('dbs', 'dbs === key.environment && ', ''),
  claimGuard('account_id', '&& account_id === key.accountId', ''),
  claimGuard('nbf', '|| fault !== undefined', ''),
  guard({
    name: 'typ of an API token',
    file: apiToken,
    find: "if (decoded?.header.typ !== 'at+jwt') return undefined",
    replace: 'if (decoded === undefined) return undefined',
    red: resigned('is refused as another type of token'),
    green: isAccepted,
  }),
  guard({
    name: 'expiry: longest life of an API token',
    file: apiToken,
    find: '|| exp - iat > apiTokenLifetimeSeconds',
    replace: '',
    red: resigned('is refused when it lasts longer than the service makes any'),
    green: isAccepted,
  }),
  guard({
    name: 'retired_at: signing key of an API token',
    file: apiToken,
    find: "and([eb('state', '=', 'retired'), eb('retired_at', '>', lastUseOfRetired())])",
    replace: "eb('state', '=', 'retired')",
    red: resigned('is refused when that key has retired, and all that it signed until then has ended'),
    green: isAccepted,
  }),
  guard({
    name: 'owner of the key of an API token',
    file: apiToken,
    find: ".where('organization_id', '=', nilId)",
    replace: '',
    red: guardTest('authorization-code', 'a user’s token is none of the API, whatever it says'),
    green: guardTest('authorization-code', 'an authorization code is exchanged for tokens of its user'),
  }),
  guard({
    name: 'expiry: of an API token that is known',
    file: apiToken,
    find: 'if (at >= verified.expiresAtSeconds * 1000) {',
    replace: 'if (false) {',
    red: token('ends with its hour'),
    green: isAccepted,
  }),
  guard({
    name: 'expiry: of an API token that is new',
    file: apiToken,
    find: '|| fault !== undefined',
    replace: '',
    also: [
      { file: apiToken, find: 'if (at >= verified.expiresAtSeconds * 1000) {', replace: 'if (false) {' },
    ],
    red: resigned('is refused with another exp'),
    green: isAccepted,
  }),
  guard({
    name: 'scope: of an API token',
    file: apiToken,
    find: 'bearer.scopes.filter((scope) => verified.scopes.has(scope))',
    replace: 'bearer.scopes',
    red: token('has no scope beside those that were asked for'),
    green: isAccepted,
  }),
  guard({
    name: 'revoked_at: of the key of a token',
    file: apiToken,
    find: ".where('revoked_at', 'is', null)",
    replace: '',
    red: token('ends within five seconds of the revocation of its key'),
    green: isAccepted,
  }),
  guard({
    name: 'age of what is known of a key',
    file: apiToken,
    find: 'at - known.at < maxAgeMs && at >= known.at',
    replace: 'true',
    red: token('ends within five seconds of the revocation of its key'),
    green: isAccepted,
  }),
  guard({
    name: 'expiry: of the key of a token',
    file: apiToken,
    find: '|| (key.expiresAt !== null && at >= key.expiresAt.getTime())',
    replace: '',
    red: token('ends when its key expires'),
    green: isAccepted,
  }),
  guard({
    name: 'secret of an API key',
    file: credentials,
    find: '(isCurrent || (isPrevious && isOverlap))',
    replace: 'key !== undefined',
    red: endpoint('refuses another secret'),
    green: givesToken,
  }),
  guard({
    name: 'domain of an API key',
    file: clientCredentials,
    find: '|| key.domain !== domain',
    replace: '',
    red: endpoint('refuses the domain of another account'),
    green: givesToken,
  }),
  guard({
    name: 'expiry: of the secret before the last rotation',
    file: credentials,
    find: 'isPrevious && isOverlap',
    replace: 'isPrevious',
    red: endpoint('takes the secret before the last rotation until the overlap ends'),
    green: givesToken,
  }),
  guard({
    name: 'revoked_at: of an API key',
    file: credentials,
    find: '&& !isRevoked',
    replace: '',
    red: endpoint('refuses a revoked key'),
    green: givesToken,
  }),
  guard({
    name: 'expiry: of an API key',
    file: credentials,
    find: '&& !isExpired',
    replace: '',
    red: endpoint('refuses a key that has expired'),
    green: givesToken,
  }),
  guard({
    name: 'scope: asked of the token endpoint',
    file: clientCredentials,
    find: 'if (asked !== undefined && asked.some((scope) => !granted.some((allowedScope) => allowedScope === scope)))',
    replace: 'if (false)',
    red: endpoint('grants no scope that the key lacks'),
    green: givesToken,
  }),
  guard({
    name: 'secret in a query string',
    file: 'server/src/app/http/parameters.ts',
    find: "if (isSecretMember(schema, name)) throw invalid(name, 'secret_in_query', 'must be sent in the body')",
    replace: '',
    red: endpoint('takes no secret from the query string'),
    green: givesToken,
  }),
  guard({
    name: 'environment: repeated by the caller',
    file: 'server/src/app/http/parameters.ts',
    find: "if (typeof environment === 'string' && environment.toLowerCase() === caller.environment) return",
    replace: 'if (true) return',
    red: usersGet.refuses('invalid_parameters'),
    green: usersGet.refuses('user_not_found'),
  }),
  guard({
    name: 'rate limit',
    file: 'server/src/app/http/rate-limit.ts',
    find: 'if (count > limit)',
    replace: 'if (false)',
    red: usersGet.refuses('rate_limited'),
    green: usersGet.refuses('user_not_found'),
  }),
  guard({
    name: 'https only',
    file: 'server/src/app/http/https-only.ts',
    find: 'if (config.isHttps && !req.secure)',
    replace: 'if (false)',
    red: usersGet.refuses('https_required'),
    green: usersGet.refuses('user_not_found'),
  }),
]
