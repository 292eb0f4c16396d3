import { guard, guardTest } from './guard.js'

const exchange = 'server/src/protocols/oauth/authorization-code.ts'

const code = (title: string) => guardTest('authorization-code', `an authorization code ${title}`)
const challenged = (title: string) => code(`with a challenge ${title}`)

const isExchanged = code('is exchanged for tokens of its user')
const isVerified = challenged('is exchanged with its verifier')

const sessionHeld = {
  file: 'server/src/protocols/oauth/session-client.ts',
  find: '\n        and sessions.ended_at is null',
  replace: '',
}
const conditions = 'server/src/protocols/oauth/grant-conditions.ts'
const sessionEnded = { file: exchange, find: 'sessions.ended_at is null and ', replace: '' }

/** Guards of the code exchange. The end of a session is guarded twice: by the session, and by the row whose change ended it. */
export const codeGuards = [
  guard({
    ...sessionEnded,
    name: 'organization: of the application of a code, with the session',
    also: [
      sessionHeld,
      {
        file: conditions,
        find: "isUsableBy(sql.ref('granted.organization_id'))",
        replace: 'sql<boolean>`(applications.deleted_at is null)`',
      },
    ],
    red: code('of an application that another organization keeps to itself by now is dead'),
    green: isExchanged,
  }),
  guard({
    name: 'session: that ends while its code is exchanged',
    file: exchange,
    find: "case when client.session_id is null then coalesce(consumed.refusal, 'session_ended') end as reason",
    replace: 'consumed.refusal as reason',
    red: {
      file: 'test/protocols/back-channel-logout.test.ts',
      title: 'a code is refused whose session ends while it is exchanged, so that no application goes untold',
    },
    green: isExchanged,
  }),
  guard({
    name: 'PKCE: challenge without a verifier',
    file: exchange,
    find: 'granted.code_challenge is not distinct from ${presented.codeChallenge}::text',
    replace:
      '(${presented.codeChallenge}::text is null or granted.code_challenge = ${presented.codeChallenge})',
    red: challenged('is refused without a verifier'),
    green: isVerified,
  }),
]
