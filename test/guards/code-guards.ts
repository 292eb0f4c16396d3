import { guard, guardTest } from './guard.js'

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

/** Who gets tokens for a code. What ends a session is guarded twice: by the session, and by what ended it. */
export const codeGuards = [
  ...[
    {
      name: 'browser: whose used code comes again',
      file: exchange,
      find: 'if (!dead.is_of_browser) {',
      replace: 'if (dead.code_id !== "") {',
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
    name: 'PKCE: challenge without a verifier',
    file: pkce,
    find: 'if (verifier === undefined || !verifierForm.test(verifier)) return false',
    replace: 'if (verifier === undefined) return true',
    red: challenged('is refused without a verifier'),
    green: isVerified,
  }),
  guard({
    name: 'secret of the API key of an exchange',
    file: credentials,
    find: '(isCurrent || (isPrevious && isOverlap))',
    replace: 'key !== undefined',
    red: backEnd('is refused with another secret'),
    green: isExchangedByKey,
  }),
]
