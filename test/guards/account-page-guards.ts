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

const back = (title: string) => protocolTest('account-page', `the way back from the account page ${title}`)
const off = (title: string) =>
  protocolTest('account-page', `an organization that keeps the accounts of its users to itself ${title}`)
const data = (title: string) => protocolTest('account-page', `the data on the account page ${title}`)

const isDownloaded = data(
  'is a file with what is stored of the user and names nobody else, three times a day',
)
const deletion = (title: string) => protocolTest('account-page', `the deletion on the account page ${title}`)
const asked = (title: string) =>
  protocolTest('account-deletion', `a request of deletion on the account page ${title}`)
const isAsked = asked('tells the administrators and the account once, and deletes nobody')
const isDeleted = deletion(
  'deletes the user who types their address, ends their sessions, and is told by mail and event',
)
const isChanged = password('is changed after a fresh sign-in, ends every other session, and is told by mail')
const isSetUp = factor('is set up with its recovery codes, and asked for at the next sign-in')
const isLate = password(
  'is not changed by a form that is sent later than that, nor by a session that has ended',
)

/** The same check before the transaction. */
export const lateForms = {
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
    find: "return amr.includes('mfa') || !(isTotpAsked || isEnrollmentDue)",
    replace: 'return isTotpAsked || !isTotpAsked || isEnrollmentDue || amr.length > 0',
    red: factor('that was enrolled since the sign-in is asked for before anything is changed'),
    green: isChanged,
  }),
  guard({
    name: 'account page: forms of other sites and browsers',
    file: 'server/src/pages/account/router.ts',
    find: 'const secret = secretOfOurForm(req, site, session.sessionId)',
    replace: 'const secret = secretOfOurForm(req, site, session.sessionId) ?? keepFlowSecret(exchange)',
    red: password('is not changed by a form of another site'),
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
    name: 'account page: a first password where nobody has proved the mailbox',
    file: 'server/src/sign-in/own-account/own-password.ts',
    find: "  if (account.password.needsMailbox) return 'needs_mailbox'\n",
    replace: '',
    also: [
      {
        file: 'server/src/sign-in/own-account/own-password.ts',
        find: "    if (now.password.needsMailbox) return 'needs_mailbox'\n",
        replace: '',
      },
    ],
    red: protocolTest(
      'social-takeover',
      'the first proof of a mailbox is one by mail before whoever comes by a passkey sets a first password',
    ),
    green: isChanged,
  }),
  guard({
    name: 'account page: a link back to an address of the application alone',
    file: 'server/src/sign-in/own-account/return-link.ts',
    find: 'sql<boolean>`${returnTo}::text = any(',
    replace: 'sql<boolean>`${returnTo}::text is not null or null = any(',
    red: back('leads to no address of another site'),
    green: back('leads to the application whose allowed URL it is, also after a sign-in and from a section'),
  }),
  guard({
    name: 'account page: a link back to an application that is there',
    file: 'server/src/sign-in/own-account/return-link.ts',
    find: '    .where(isUsableBy(organizationIdOf(tenant)))\n',
    replace: '',
    also: [
      {
        file: 'server/src/sign-in/own-account/return-link.ts',
        find: "    .where('applications.id', '=', ClientId.parse(clientId))\n",
        replace: '',
      },
    ],
    red: back('leads to no address of nothing'),
    green: back('leads to the application whose allowed URL it is, also after a sign-in and from a section'),
  }),
  guard({
    name: 'account page: self-service that is switched off',
    file: 'server/src/sign-in/own-account/own-account.ts',
    find: 'row.is_profile_managed || !row.is_self_service',
    replace: 'row.is_profile_managed',
    red: off('has them change no profile and download no data'),
    green: isDownloaded,
  }),
  guard({
    name: 'account page: data of an organization that does not offer it',
    file: 'server/src/sign-in/own-account/own-data.ts',
    find: "    if (account?.isSelfService !== true) return 'switched_off'",
    replace: "    if (account === undefined) return 'switched_off'",
    red: off('has them change no profile and download no data'),
    green: isDownloaded,
  }),
  guard({
    name: 'account page: data without what names others',
    file: 'server/src/operations/purge/own-data.ts',
    find: '(ofOthers.test(name) ? undefined : member)',
    replace: "(ofOthers.test('') ? name : member)",
    red: isDownloaded,
    green: data('is not given to a session that is not fresh, nor to a form of another site'),
  }),
  guard({
    name: 'account page: a deletion that the organization does not allow',
    file: 'server/src/sign-in/own-account/own-deletion.ts',
    find: "    if (account?.isDeletionOffered !== true) return 'not_offered'",
    replace: "    if (account === undefined) return 'not_offered'",
    red: deletion('is nothing where the organization does not allow it, which is how it begins'),
    green: isDeleted,
  }),
  guard({
    name: 'account page: a request of deletion that the organization does not ask for',
    file: 'server/src/sign-in/own-account/own-deletion.ts',
    find: "    if (account?.isDeletionRequestOffered !== true) return 'not_offered'",
    replace: "    if (account === undefined) return 'not_offered'",
    red: asked('is nothing where the organization does not ask for one, nor of a session that is not fresh'),
    green: isAsked,
  }),
  guard({
    name: 'account page: one request of deletion at a time',
    file: 'server/src/sign-in/own-account/own-deletion.ts',
    find: '          .where(sql<boolean>`deletion_requests.expires_at <= ${at}`),',
    replace: '          .where(sql<boolean>`${at}::timestamptz is not null`),',
    red: isAsked,
    green: asked('can be made again after thirty days'),
  }),
  guard({
    name: 'account page: a deletion of who is kept by a directory',
    file: 'server/src/sign-in/own-account/own-account.ts',
    find: ' and not ${isKeptByDirectory()}',
    replace: '',
    red: deletion('is not that of a user whom a directory keeps, nor of a session that is not fresh'),
    green: isDeleted,
  }),
  guard({
    name: 'account page: the address that is typed before a deletion',
    file: 'server/src/sign-in/own-account/own-deletion.ts',
    find: "if (normalizeEmail(typedAddress) !== normalizeEmail(email)) return 'wrong_address'",
    replace: "if (typedAddress === '') return 'wrong_address'",
    red: isDeleted,
    green: deletion('is nothing where the organization does not allow it, which is how it begins'),
  }),
  guard({
    name: 'account page: three downloads a day',
    file: 'server/src/sign-in/own-account/own-data.ts',
    find: 'most: () => 3 }',
    replace: 'most: () => 9 }',
    red: isDownloaded,
    green: data('is not given to a session that is not fresh, nor to a form of another site'),
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
      "  if (typeof text !== 'string') return undefined\n  if (!form.test(text.split('?', 1)[0] ?? '')) return { domain: 'acme', section: undefined, environment: 'sandbox', locale: undefined }\n",
    red: page('is left for no other page after a sign-in: "https://evil.example/"'),
    green: page('begins a sign-in where there is no session, and is where it ends'),
  }),
]
