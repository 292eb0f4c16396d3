import { guard } from './guard.js'

const refresh = 'server/src/protocols/oauth/refresh-token.ts'

const refreshTest = (title: string) => ({ file: 'test/protocols/refresh.test.ts', title })

const isRefreshed = refreshTest(
  'a refresh 200: of a code with offline_access answers new tokens of the same sign-in, and another refresh token',
)
const halfMinute = refreshTest(
  'a refresh for half a minute the same token gets the same successor; after that it ends all of its family',
)

const endedTest = (cause: string) => ({
  file: 'test/protocols/ended-families.test.ts',
  title: `an access token ends at once when ${cause}, and no other one of the session does`,
})

/** Guards of refresh tokens: exchange, and end of the family. */
export const refreshGuards = [
  guard({
    name: 'session: that ends while its refresh token is exchanged',
    file: refresh,
    find: "when used.id is null then 'session_ended'",
    replace: "when false then 'session_ended'",
    red: {
      file: 'test/protocols/refresh-refused.test.ts',
      title: 'a refresh is refused whose session ends while it is exchanged',
    },
    green: isRefreshed,
  }),
  guard({
    name: 'reuse: of a refresh token',
    file: refresh,
    find: 'const [reused] = await endReused(trx, attempt)',
    replace: 'const [reused] = (await endReused(trx, attempt)).slice(1)',
    also: [
      {
        file: refresh,
        find: 'as granted set ended_at = ${attempt.at}',
        replace: 'as granted set ended_at = null',
      },
    ],
    red: halfMinute,
    green: isRefreshed,
  }),
  guard({
    name: 'access tokens: of a family whose refresh token was reused',
    file: refresh,
    find: ", noted as (${insertEndedFamilies('ended', attempt.at)})",
    replace: '',
    red: endedTest('a refresh token of it comes again'),
    green: endedTest('the access token is revoked'),
  }),
  guard({
    name: 'access tokens: of a family whose refresh token was revoked',
    file: 'server/src/protocols/oauth/revoke.ts',
    find: ", noted as (${insertEndedFamilies('ended', attempt.at)})",
    replace: '',
    red: endedTest('its refresh token is revoked'),
    green: endedTest('the access token is revoked'),
  }),
]
