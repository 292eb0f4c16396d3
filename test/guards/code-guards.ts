import { guard, guardTest, without } from './guard.js'

const exchange = 'server/src/protocols/oauth/authorization-code.ts'
const credentials = 'server/src/tokens/api-keys/credentials.ts'
const usable = 'server/src/directory/usable.ts'
const userTokens = 'server/src/protocols/oauth/user-tokens.ts'
const pkce = 'server/src/tokens/pkce.ts'

const code = (title: string) => guardTest('authorization-code', `an authorization code ${title}`)
const attacks = (title: string) => ({ file: 'test/protocols/sign-in-attacks.test.ts', title })
const challenged = (title: string) => code(`with a challenge ${title}`)
const backEnd = (title: string) => code(`of an application whose back end exchanges it ${title}`)

const isExchanged = code('is exchanged for tokens of its user')
const isVerified = challenged('is exchanged with its verifier')
const isExchangedByKey = backEnd('is exchanged with an API key of the account')

const sessionEnded = { file: exchange, find: ".where('sessions.ended_at', 'is', null)", replace: '' }

const keyOfCode = 'ofEnvironment({ accountId: consumed.account_id, environment: consumed.environment })'

/** Who gets tokens for a code. What ends a session is guarded twice: by the session, and by what ended it. */
export const codeGuards = [
  ...[
    {
      name: 'browser: whose used code comes again',
      file: exchange,
      find: 'if (!dead.is_of_browser) {',
      replace: 'if (dead.code_id !== "") {',
    },
    {
      name: 'verifier: of a used code that comes again',
      file: exchange,
      find: 'if (dead.code_challenge !== null && !isVerifierOf(dead.code_challenge, codeVerifier)) return',
      replace: '',
    },
    {
      name: 'refresh tokens: of a used code that comes again, and of no other',
      file: exchange,
      find: ".where('code_id', '=', dead.code_id)",
      replace: '',
    },
  ].map((row) =>
    guard({
      ...row,
      red: attacks(
        'a code of the pages ends, when it comes again, the refresh tokens that were made of it, and no session of the browser',
      ),
      green: attacks(
        'a code of the pages is not exchanged without its verifier, nor with that of another flow (RFC 7636, code injection)',
      ),
    }),
  ),
  guard({
    name: 'used_at: of a code',
    file: exchange,
    find: ".where('code.used_at', 'is', null)",
    replace: '',
    red: code('is exchanged once'),
    green: isExchanged,
  }),
  guard({
    name: 'expiry: of a code',
    file: exchange,
    find: ".where('code.expires_at', '>', at)",
    replace: '',
    red: code('ends after a minute'),
    green: isExchanged,
  }),
  guard({
    ...sessionEnded,
    name: 'ended session of a code',
    red: code('of an ended session is dead, also when its user is active again'),
    green: isExchanged,
  }),
  guard({
    ...sessionEnded,
    name: 'active user of a code, with the session',
    also: [
      { file: exchange, find: "if (!consumed.is_user_active) return 'user_inactive'", replace: '' },
      { file: userTokens, find: "'deleted' in record || !record.active", replace: "'deleted' in record" },
    ],
    red: code('of an inactive user is dead'),
    green: isExchanged,
  }),
  guard({
    ...sessionEnded,
    name: 'deleted_at: application of a code, with the session',
    also: [{ file: usable, find: 'applications.deleted_at is null and ', replace: '' }],
    red: code('of a deleted application is dead'),
    green: isExchanged,
  }),
  guard({
    ...sessionEnded,
    name: 'organization: of the application of a code, with the session',
    also: [
      {
        file: exchange,
        find: "isUsableBy(sql.ref('code.organization_id'))",
        replace: 'sql<boolean>`(applications.deleted_at is null)`',
      },
    ],
    red: code('of an application that another organization keeps to itself by now is dead'),
    green: isExchanged,
  }),
  guard({
    name: 'deleted_at: organization of a code',
    file: exchange,
    find: "if (!consumed.is_organization_there) return 'organization_deleted'",
    replace: '',
    red: code('of a deleted organization is dead'),
    green: isExchanged,
  }),
  guard({
    name: 'allowed e-mail domains of a code',
    file: exchange,
    find: "return isAllowed ? undefined : 'email_domain_not_allowed'",
    replace: 'return undefined',
    red: code('is dead where its address may not sign in any more'),
    green: isExchanged,
  }),
  guard({
    name: 'organization: of a code',
    file: exchange,
    find: "if (organizationDomain !== undefined && organizationDomain !== consumed.domain) return 'wrong_organization'",
    replace: '',
    red: code('is refused at the token endpoint of another organization'),
    green: isExchanged,
  }),
  guard({
    name: 'redirect_uri of a code',
    file: exchange,
    find: "if (redirectUri !== undefined && redirectUri !== consumed.redirect_uri) return 'redirect_uri_mismatch'",
    replace: '',
    red: code('is refused with another redirect_uri'),
    green: isExchanged,
  }),
  guard({
    name: 'Origin of an exchange',
    file: exchange,
    find: "if (origin !== undefined && !consumed.allowed_origins_cors.includes(origin)) return 'origin_not_allowed'",
    replace: '',
    red: code('is refused to a page of an origin that the application does not list'),
    green: isExchanged,
  }),
  guard({
    name: 'application of a code',
    file: exchange,
    find: "if (!isClientOf(consumed, exchange)) return 'client_id_mismatch'",
    replace: '',
    red: code('is refused to another application'),
    green: isExchanged,
  }),
  guard({
    name: 'PKCE: challenge of an application that demands it',
    file: exchange,
    find: "if (consumed.code_exchange === 'pkce' && consumed.code_challenge === null) return 'code_challenge_required'",
    replace: '',
    red: challenged('is what an application demands that came to want it'),
    green: isVerified,
  }),
  guard({
    name: 'PKCE: verifier',
    file: pkce,
    find: 'actual.length === expected.length && timingSafeEqual(actual, expected)',
    replace: 'true',
    red: challenged('is refused with another verifier'),
    green: isVerified,
  }),
  guard({
    name: 'PKCE: challenge without a verifier',
    file: pkce,
    find: 'if (verifier === undefined || !verifierForm.test(verifier)) return false',
    replace: 'if (verifier === undefined) return true',
    red: challenged('is refused without a verifier'),
    green: isVerified,
  }),
  guard({
    name: 'PKCE: verifier without a challenge',
    file: pkce,
    find: 'if (challenge === null) return verifier === undefined',
    replace: 'if (challenge === null) return true',
    red: challenged('is what a verifier demands'),
    green: isVerified,
  }),
  guard({
    name: 'API key of an exchange',
    file: exchange,
    find: "const isDemanded = consumed.code_exchange === 'api_key'",
    replace: 'const isDemanded = false',
    red: backEnd('is refused without a key'),
    green: isExchangedByKey,
  }),
  guard({
    name: 'secret of the API key of an exchange',
    file: credentials,
    find: '(isCurrent || (isPrevious && isOverlap))',
    replace: 'key !== undefined',
    red: backEnd('is refused with another secret'),
    green: isExchangedByKey,
  }),
  guard({
    name: 'account: API key of an exchange',
    file: exchange,
    ...without('account_id', keyOfCode),
    red: backEnd('is refused with a key of another account'),
    green: isExchangedByKey,
  }),
  guard({
    name: 'environment: API key of an exchange',
    file: exchange,
    ...without('environment', keyOfCode),
    red: backEnd('is refused with a key of the other environment'),
    green: isExchangedByKey,
  }),
  guard({
    name: 'organization closed to a limited key: exchange',
    file: exchange,
    find: '.where(sql<boolean>`(organization_ids is null or ${consumed.organization_id} = any(organization_ids))`)',
    replace: '',
    red: backEnd('is refused with a key that is limited to another organization'),
    green: isExchangedByKey,
  }),
  guard({
    name: 'revoked_at: API key of an exchange',
    file: credentials,
    find: '&& !isRevoked',
    replace: '',
    red: backEnd('is refused with a revoked key'),
    green: isExchangedByKey,
  }),
  guard({
    name: 'expiry: API key of an exchange',
    file: credentials,
    find: '&& !isExpired',
    replace: '',
    red: backEnd('is refused with a key that has expired'),
    green: isExchangedByKey,
  }),
  guard({
    name: 'scope: API key of an exchange',
    file: exchange,
    find: 'isDemanded && !maySignIn(scopesOfKey(key), consumed.amr)',
    replace: 'false',
    red: backEnd('is refused with a key that may make no links'),
    green: isExchangedByKey,
  }),
]
