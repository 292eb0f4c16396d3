import { guard } from './guard.js'

const family = 'server/src/protocols/oauth/refresh-family.ts'
const refresh = 'server/src/protocols/oauth/refresh-token.ts'
const userTokens = 'server/src/protocols/oauth/user-tokens.ts'
const revoke = 'server/src/protocols/oauth/revoke.ts'
const limits = 'server/src/delivery/limits/limits.ts'

const refreshTest = (title: string) => ({ file: 'test/protocols/refresh.test.ts', title })
const refusedTest = (title: string) => ({ file: 'test/protocols/refresh-refused.test.ts', title })
const revocationTest = (title: string) => ({ file: 'test/protocols/revocation.test.ts', title })

const isRefreshed = refreshTest(
  'a refresh 200: of a code with offline_access answers new tokens of the same sign-in, and another refresh token',
)
const halfMinute = refreshTest(
  'a refresh for half a minute the same token gets the same successor; after that it ends all of its family',
)
const notRight = (title: string) =>
  refusedTest(
    `a refresh that is not right is refused with one text, its reason is logged, and the token stays good 400: ${title}`,
  )
const notGood = (title: string) => refusedTest(`no refresh is good any more 400: ${title}`)
const badKey = refreshTest(
  'the refresh token of an application that demands an API key 400: without the key, with another secret, and with a key that may not sign in',
)
const goodKey = refreshTest(
  'the refresh token of an application that demands an API key 200: with the key, in the form or by HTTP Basic',
)
const rightKey =
  'then family.account_id = ${asker.keyAccountId}::uuid and family.environment = ${asker.keyEnvironment}'

/** Who gets tokens for a refresh token, and who ends its family. */
export const refreshGuards = [
  guard({
    name: 'reuse: of a refresh token',
    file: refresh,
    find: 'const [reused] = await endReused(trx, attempt)',
    replace: 'const [reused] = (await endReused(trx, attempt)).slice(1)',
    also: [
      {
        file: refresh,
        find: 'as family set ended_at = ${attempt.at}',
        replace: 'as family set ended_at = null',
      },
    ],
    red: halfMinute,
    green: isRefreshed,
  }),
  guard({
    name: 'active user: of a refresh token',
    file: family,
    find: 'users.active and users.deleted_at is null',
    replace: 'users.deleted_at is null',
    also: [
      { file: userTokens, find: "'deleted' in record || !record.active", replace: "'deleted' in record" },
    ],
    red: notGood('of a user who was deactivated while the sign-in was on its way'),
    green: isRefreshed,
  }),
  guard({
    name: 'client: of a refresh token',
    file: family,
    find: '${asker.hasSecret}::boolean or family.application_id::text = ${asker.clientId}',
    replace: '${asker.hasSecret}::boolean or ${asker.clientId}::text is not null',
    red: notRight('client_id_mismatch (1)'),
    green: isRefreshed,
  }),
  guard({
    name: 'API key: of a refresh',
    file: family,
    find: "else applications.code_exchange <> 'api_key'",
    replace: 'else true',
    also: [
      {
        file: family,
        find: "applications.code_exchange <> 'api_key' or family.amr && ${asker.keyWays}::text[]",
        replace: '${asker.keyWays}::text[] is not null',
      },
    ],
    red: badKey,
    green: goodKey,
  }),
  guard({
    name: 'account: API key of a refresh',
    file: family,
    find: rightKey,
    replace: 'then ${asker.keyAccountId}::uuid is not null and family.environment = ${asker.keyEnvironment}',
    red: badKey,
    green: goodKey,
  }),
  guard({
    name: 'environment: API key of a refresh',
    file: family,
    find: rightKey,
    replace:
      'then family.account_id = ${asker.keyAccountId}::uuid and ${asker.keyEnvironment}::text is not null',
    red: badKey,
    green: goodKey,
  }),
  guard({
    name: 'scope: API key of a refresh',
    file: family,
    find: "applications.code_exchange <> 'api_key' or family.amr && ${asker.keyWays}::text[]",
    replace: '${asker.keyWays}::text[] is not null',
    red: badKey,
    green: goodKey,
  }),
  guard({
    name: 'credentials: of a revocation',
    file: revoke,
    find: 'if (clientSecret !== undefined && key === undefined)',
    replace: 'if (clientSecret === "" && key === undefined)',
    red: revocationTest('401: credentials that open no API key, whatever the token (RFC 7009 section 2.1)'),
    green: revocationTest('200: a refresh token, and with it all of its family (RFC 7009 section 2.1)'),
  }),
  guard({
    name: 'limit: codes and refresh tokens that are refused',
    file: limits,
    find: 'if (leftMs > 0) {',
    replace: 'if (leftMs > 1e9) {',
    red: refusedTest(
      'failures of codes and refresh tokens 429: sixty in a minute from one address are answered, and then nothing more until it ends; successes are not counted',
    ),
    green: isRefreshed,
  }),
]
