import { guard, type Guard } from './guard.js'

const busyRows = (title: string) => ({
  file: 'test/resilience/busy-rows.test.ts',
  title: `requests that wait for one row ${title}`,
})
const halfForOne = busyRows('have half of the connections: those of another key are answered meanwhile')
const shortWait = busyRows('longer than 2 s are answered 503, and told when to come back')

/** Guards of availability: failures and overload must not affect other callers. */
export const outageGuards: readonly Guard[] = [
  guard({
    name: 'outage: the wait for a row',
    file: 'server/src/platform/db/connect.ts',
    find: `"'2s'"`,
    replace: `'default'`,
    red: shortWait,
    green: halfForOne,
  }),
  guard({
    name: 'outage: a holder by the network of the client',
    file: 'server/src/app/http/connection-shares.ts',
    find: 'if (ownOauth.test(plain))',
    replace: "if (ownOauth.test(''))",
    red: {
      file: 'server/src/app/http/connection-shares.test.ts',
      title:
        'connections are counted: /oauth/token, of all organizations, by the network of the client, whatever header is sent',
    },
    green: {
      file: 'server/src/app/http/connection-shares.test.ts',
      title: 'connections are counted: the API by its key',
    },
  }),
]
