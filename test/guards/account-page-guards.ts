import { guard, protocolTest } from './guard.js'

const ownSession = 'server/src/sign-in/own-account/own-session.ts'
const secondFactor = 'server/src/sign-in/own-account/own-second-factor.ts'
const accountPath = 'server/src/pages/frame/account-path.ts'

const page = (title: string) => protocolTest('account-page', `the account page ${title}`)
const name = (title: string) => protocolTest('account-page', `the name on the account page ${title}`)
const password = (title: string) => protocolTest('account-page', `the password on the account page ${title}`)
const typed = (title: string) => protocolTest('account-page', `what is typed on the account page ${title}`)
const factor = (title: string) =>
  protocolTest('account-page', `the second factor on the account page ${title}`)

const isChanged = password('is changed after a fresh sign-in, ends every other session, and is told by mail')
const isSetUp = factor('is set up with its recovery codes, and asked for at the next sign-in')
const isLate = password(
  'is not changed by a form that is sent later than that, nor by a session that has ended',
)

const lateForms = {
  file: 'server/src/pages/account/router.ts',
  find: '    section?.needsFresh === true &&\n    section.actionsAnytime',
  replace: '    section?.needsFresh === undefined &&\n    section?.actionsAnytime',
}

/** Guards of the page on which users manage their own account. */
export const accountPageGuards = [
  guard({
    name: 'account page: a fresh session, in the transaction of the change',
    file: ownSession,
    find: "  if (row === undefined || needed === 'session') return row !== undefined",
    replace: '  if (at !== undefined) return row !== undefined',
    also: [lateForms],
    red: isLate,
    green: isChanged,
  }),
  guard({
    name: 'account page: the factors that are asked of the user now',
    file: ownSession,
    find: "return amr.includes('mfa') || amr.includes('sso') || !(isTotpAsked || isEnrollmentDue)",
    replace: 'return isTotpAsked || !isTotpAsked || isEnrollmentDue || amr.length > 0',
    red: factor('that was enrolled since the sign-in is asked for before anything is changed'),
    green: isChanged,
  }),
  guard({
    name: 'account page: what a session that is not fresh is shown of a form that is sent again',
    ...lateForms,
    red: factor('shows the key of an enrolment to no session that is not fresh, whatever the form says'),
    green: isChanged,
  }),
  guard({
    name: 'account page: a password of who comes by single sign-on',
    file: 'server/src/sign-in/own-account/own-account.ts',
    find: ' && !row.is_sso_user',
    replace: ' && row.is_sso_user !== undefined',
    red: password(
      'is not offered to who comes by the organization’s single sign-on, which ends where that ends',
    ),
    green: isChanged,
  }),
  guard({
    name: 'account page: a text that is longer than what a field is read to',
    file: 'server/src/pages/account/router.ts',
    find: 'textOf(fields[name], maxFormBytes)',
    replace: 'textOf(fields[name], 5_000)',
    red: typed('clears nothing where it is longer than the service reads'),
    green: name('is changed by its user, with an event in their name, however long ago they signed in'),
  }),
  guard({
    name: 'account page: an address as one text beside other parts',
    file: 'server/src/sign-in/own-account/own-profile.ts',
    find: 'address && { ...address, formatted: null }',
    replace: 'address',
    red: typed('is the profile and the address, of which what is not touched stays as it was'),
    green: name('is changed by its user, with an event in their name, however long ago they signed in'),
  }),
  guard({
    name: 'account page: the enrolment that the page has begun',
    file: secondFactor,
    find: '      id: enrollmentId,\n      kept',
    replace: '      kept',
    red: factor('takes no code for an enrolment that somebody else has begun, and counts wrong ones'),
    green: isSetUp,
  }),
  guard({
    name: 'account page: a second factor that the organization demands',
    file: secondFactor,
    find: "    if (account?.isSecondFactorDemanded !== false) return 'demanded'",
    replace: "    if (account === undefined) return 'demanded'",
    red: factor('is turned off, unless the organization demands one'),
    green: isSetUp,
  }),
  guard({
    name: 'account page: names that a directory writes',
    file: 'server/src/sign-in/own-account/own-profile.ts',
    find: "    if (account?.isProfileManaged !== false) return 'managed'",
    replace: "    if (account === undefined) return 'managed'",
    red: name(
      'is not changed where a directory writes it: the page offers nothing, and a form has no effect',
    ),
    green: name('is changed by its user, with an event in their name, however long ago they signed in'),
  }),
  guard({
    name: 'account page: a password where the organization has them',
    file: 'server/src/sign-in/own-account/own-password.ts',
    find: "  if (owner === undefined || account?.password.isOffered !== true) return 'not_offered'",
    replace: "  if (owner === undefined || account === undefined) return 'not_offered'",
    also: [
      {
        file: 'server/src/sign-in/own-account/own-password.ts',
        find: "if (user?.id !== session.userId || now?.password.isOffered !== true) return 'not_offered'",
        replace: "if (user?.id !== session.userId || now === undefined) return 'not_offered'",
      },
    ],
    red: password('is not offered where the organization signs in without'),
    green: isChanged,
  }),
  guard({
    name: 'account page: the tombstone of its client',
    file: 'server/src/directory/applications/applications.ts',
    find: "    .where(sql<boolean>`applications.deleted_at is distinct from 'infinity'`)\n",
    replace: '',
    red: page(
      'has a client that is in no list and no total, that no key reads, and whose code nobody can exchange',
    ),
    green: page('begins a sign-in where there is no session, and is where it ends'),
  }),
  guard({
    name: 'account page: where a sign-in leads',
    file: accountPath,
    find: "  if (typeof text !== 'string') return undefined\n",
    replace:
      "  if (typeof text !== 'string') return undefined\n  if (!form.test(text)) return { domain: 'acme', section: undefined, environment: 'sandbox', locale: undefined }\n",
    red: page('is left for no other page after a sign-in: "https://evil.example/"'),
    green: page('begins a sign-in where there is no session, and is where it ends'),
  }),
]
