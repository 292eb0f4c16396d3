import { guard, guardTest } from './guard.js'
const apiToken = 'server/src/tokens/api-keys/api-token.ts'
const credentials = 'server/src/tokens/api-keys/credentials.ts'

const endpoint = (title: string) => guardTest('api-keys', `the token endpoint ${title}`)
const token = (title: string) => guardTest('api-keys', `an API token ${title}`)
const resigned = (title: string) =>
  guardTest('api-keys', `a token signed with the account’s own key ${title}`)

const givesToken = endpoint('gives a token for the credentials of a key')
const isAccepted = resigned('is accepted as it was')

/** Who calls, and what the key may do. */
export const apiKeyGuards = [
  guard({
    name: 'typ of an API token',
    file: apiToken,
    find: "if (decoded?.header.typ !== 'at+jwt') return undefined",
    replace: 'if (decoded === undefined) return undefined',
    red: resigned('is refused as another type of token'),
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
    name: 'age of what is known of a key',
    file: apiToken,
    find: 'at - known.at < maxAgeMs && at >= known.at',
    replace: 'true',
    red: token('ends within five seconds of the revocation of its key'),
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
]
