import { guard, guardTest } from './guard.js'

const exchange = 'server/src/protocols/oauth/authorization-code.ts'
const pkce = 'server/src/tokens/pkce.ts'

const code = (title: string) => guardTest('authorization-code', `an authorization code ${title}`)
const challenged = (title: string) => code(`with a challenge ${title}`)

const isExchanged = code('is exchanged for tokens of its user')
const isVerified = challenged('is exchanged with its verifier')

const sessionHeld = {
  file: 'server/src/protocols/oauth/session-client.ts',
  find: '\n        and sessions.ended_at is null',
  replace: '',
}
const sessionEnded = { file: exchange, find: ".where('sessions.ended_at', 'is', null)", replace: '' }

/** Guards of the code exchange. The end of a session is guarded twice: by the session, and by the row whose change ended it. */
export const codeGuards = [
  guard({
    ...sessionEnded,
    name: 'organization: of the application of a code, with the session',
    also: [
      sessionHeld,
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
]
