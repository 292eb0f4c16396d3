import { guard } from './guard.js'

const refresh = 'server/src/protocols/oauth/refresh-token.ts'

const refreshTest = (title: string) => ({ file: 'test/protocols/refresh.test.ts', title })

const isRefreshed = refreshTest(
  'a refresh 200: of a code with offline_access answers new tokens of the same sign-in, and another refresh token',
)
const halfMinute = refreshTest(
  'a refresh for half a minute the same token gets the same successor; after that it ends all of its family',
)

/** Guards of refresh tokens: exchange, and end of the family. */
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
]
