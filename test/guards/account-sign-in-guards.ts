import { guard, protocolTest } from './guard.js'
import type { NamedTest } from './vitest-run.js'

const folder = 'server/src/sign-in/account-flows'
const accountFlow = `${folder}/account-flow.ts`
const emailSession = `${folder}/email-session.ts`
const openLink = `${folder}/open-email-link.ts`
const requestLink = `${folder}/request-email-link.ts`
const endSession = 'server/src/protocols/oidc/end-session.ts'
const ending = 'server/src/directory/end-sessions.ts'
const finish = 'server/src/sign-in/flows/finish.ts'
const provedEmail = 'server/src/directory/users/proved-email.ts'
const logoutPage = 'server/src/pages/logout/router.ts'

const signIn = (title: string) => protocolTest('account-sign-in', title)
const entering = (title: string) => protocolTest('account-entering', title)
const mailbox = (title: string) => protocolTest('account-mailbox', title)
const attack = (title: string) => protocolTest('account-attacks', title)
const firstVisit = (title: string) => protocolTest('account-first-visit', title)
const logout = (title: string) => protocolTest('account-logout', title)
const begun = (title: string) => signIn(`a sign-in that names no organization ${title}`)
const entered = (title: string) => entering(`entering an organization ${title}`)
const link = (title: string) => mailbox(`the link of a mailbox ${title}`)
const proof = (title: string) => mailbox(`the proof of a mailbox ${title}`)
const typed = (title: string) => attack(`an address that is typed ${title}`)
const known = (title: string) =>
  logout(`a sign-out of an account in a browser that only knows an address ${title}`)
const revoked = (title: string) =>
  logout(`a sign-out after the application has ended its session by the refresh token ${title}`)

const signsIn = begun('proves the mailbox, lists its organizations, and signs in to the chosen one')
const provedBySignIn = firstVisit(
  'a sign-in by the password that began with the proof of the mailbox has its organization entered at once from then on',
)
const signsOut = revoked(
  '303: asks nothing with client_id and logout_hint, and ends what else the browser has',
)

/** A condition of a statement. */
function condition(name: string, file: string, find: string, red: NamedTest, green = signsIn) {
  return guard({ name: `account sign-in: ${name}`, file, find, replace: '', red, green })
}

/** Guards of a sign-in that finds its organization, of the mailbox that it proves, and of the sign-out. */
export const accountSignInGuards = [
  condition(
    'the browser of its flow',
    accountFlow,
    "    .where('flow.browser_hash', '=', key.browserHash)\n",
    attack('a flow and its list are of one browser: another one gets nothing, whatever it sends'),
  ),
  condition(
    'the account of its flow',
    accountFlow,
    "    .where('accounts.domain', '=', key.accountDomain)\n",
    attack('a flow and its list are of one browser: another one gets nothing, whatever it sends'),
  ),
  guard({
    name: 'account sign-in: the form of its own page',
    file: 'server/src/pages/account-sign-in/router.ts',
    find: 'const secret = secretOfOurForm(req, site, flowIdOf(req))',
    replace: 'const secret = findFlowSecret(req.headers.cookie, site.isHttps)',
    red: link('at another account there is none, and a form of another site changes nothing'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: the flow entered before',
    file: accountFlow,
    find: "from.includes('entered') && round !== 0",
    replace: "!from.includes('entered')",
    red: entered('ends the flow of an organization that was entered before'),
    green: signsIn,
  }),
  condition(
    'a proof that has ended since',
    finish,
    '      .where(isEntryStillOpen())\n',
    proof('that has ended finishes no sign-in at another organization'),
  ),
  guard({
    name: 'account sign-in: a choice that was given up before its flow began',
    file: 'server/src/sign-in/flows/account-flow-of.ts',
    find: "account_flows.step <> 'entered' or proof.ended_at is not null",
    replace: 'proof.ended_at is not null',
    red: proof('leaves none behind either that begins while sign_out_here gives it up'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: the proof of a session that is renewed',
    file: 'server/src/sign-in/flows/keep-session.ts',
    find: '...(signIn.emailSessionId != null && { email_session_id: signIn.emailSessionId }),',
    replace: 'email_session_id: signIn.emailSessionId ?? null,',
    red: proof('is over so, too, when its user has signed in to the organization again meanwhile'),
    green: signsIn,
  }),
  condition(
    'no second factor by a proof of before',
    `${folder}/enter.ts`,
    '    if (await leadsToEnrolment(deps, trx, of, { isMfaRequired, isPasskeyRequired })) return\n',
    entered(
      'enrolls a second factor by a proof of this sign-in, and of an earlier one only after another mail',
    ),
  ),
  guard({
    name: 'account sign-in: the proof of an address before',
    file: 'server/src/directory/users/change-user.ts',
    find: 'case when users.email_normalized = ${user.email_normalized} then users.email_proved_at end',
    replace: 'users.email_proved_at',
    red: entered('another address of a user is not proved by the one before'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: a returned link proves no mailbox',
    file: provedEmail,
    find: 'if (isLinkReturned || user.email_proved_at !== null) return',
    replace: 'if (user.email_proved_at !== null) return',
    red: firstVisit(
      'a sign-in link that the API has returned verifies the address, and its organization is chosen still',
    ),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: nor does a password that it has set',
    file: 'server/src/sign-in/password/consume-code.ts',
    find: 'return sql<boolean>`exists (${returned})`',
    replace: 'return sql<boolean>`(false and exists (${returned}))`',
    red: firstVisit(
      'a password that was set by a link that the API has returned signs in, and its organization is chosen still',
    ),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: a link is consumed once',
    file: openLink,
    find: "    .where('used_at', 'is', null)\n    .where('voided_at', 'is', null)\n    .returning('id')",
    replace: "    .returning('id')",
    also: [
      { file: accountFlow, find: "    .where('step', 'in', [...from])\n", replace: '' },
      { file: openLink, find: "openLink(db, key).forNoKeyUpdate('flow')", replace: 'openLink(db, key)' },
    ],
    red: link('opened many times at once it proves the mailbox once'),
    green: link('shows a code in another browser, proves nothing there, and lists nothing'),
  }),
  guard({
    name: 'account sign-in: the browser of a link',
    file: openLink,
    find: 'if (open.isOtherBrowser) {',
    replace: "if (open.isOtherBrowser && open.email === '') {",
    red: link('shows a code in another browser, proves nothing there, and lists nothing'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: the newest link',
    file: requestLink,
    find: '.set({ voided_at: at })',
    replace: '.set({ voided_at: null })',
    red: link('works no more after another one was asked for'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: tries of a code',
    file: openLink,
    find: "    .where('link_code_failures', '<', maxCodeFailures)\n",
    replace: '',
    also: [
      {
        file: openLink,
        find: "if (tried.failures < maxCodeFailures) return 'wrong'",
        replace: "return 'wrong'",
      },
    ],
    red: link('five guesses end the code'),
    green: link('shows a code in another browser, proves nothing there, and lists nothing'),
  }),
  guard({
    name: 'account sign-in: a link locks its flow first',
    file: openLink,
    find: "openLink(db, key).forNoKeyUpdate('flow')",
    replace: 'openLink(db, key)',
    red: link(
      'takes nothing before its flow, as a request for another link does: neither ends the other one',
    ),
    green: signsIn,
  }),
  condition(
    'mails to an address',
    requestLink,
    '  await deps.limits.take(mails, { accountId, environment, address: email })\n',
    typed('429: gets the same page once its mails are used up, with the time, whoever has it'),
  ),
  guard({
    name: 'account sign-in: no mail without an organization',
    file: `${folder}/proving-mail.ts`,
    find: 'if (entries.length === 0) {',
    replace: 'if (entries.length < 0) {',
    red: typed(
      'gets the same answers by the same statements as any other, and a mail only where there is something to offer',
    ),
    green: signsIn,
  }),
  condition(
    'use of a proof',
    emailSession,
    "    .where('last_used_at', '>', key.idleSince)\n",
    begun('shows the list without a mail to a browser that has proved the mailbox, for an hour without use'),
  ),
  condition(
    'lifetime of a proof',
    emailSession,
    "    .where('expires_at', '>', key.at)\n",
    begun('counts a proof for eight hours at most, however it is used'),
  ),
  guard({
    name: 'account sign-in: end of a proof',
    file: emailSession,
    find: "    .where('ended_at', 'is', null)\n    .where('expires_at', '>', key.at)",
    replace: "    .where('expires_at', '>', key.at)",
    red: proof('is over when the sessions were ended in an organization of the account'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: account and environment of a proof',
    file: emailSession,
    find: "    .selectFrom('email_sessions')\n    .where(ofEnvironment(key))\n",
    replace: "    .selectFrom('email_sessions')\n",
    also: [
      {
        file: emailSession,
        find: '.set({ last_used_at: key.at })\n        .where(ofEnvironment(key))\n',
        replace: '.set({ last_used_at: key.at })\n',
      },
    ],
    red: attack('the proof of a mailbox is none at another account, under whatever name its cookie is sent'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: a proof of this sign-in, for prompt=login',
    file: emailSession,
    find: '    return false\n',
    replace: '    return true\n',
    red: begun('asks for a new mail where the proof is older than prompt=login allows'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: age of a proof, for max_age',
    file: emailSession,
    find: 'return maxAge === undefined || at.getTime() - provedAt.getTime() <= maxAge * 1000',
    replace: 'return true',
    red: begun('asks for a new mail where the proof is older than max_age allows'),
    green: signsIn,
  }),
  condition(
    'end of sessions ends proofs of the address',
    ending,
    '  await endEmailSessionsOf(trx, { ...tenant, userId, at: deps.now() })\n',
    proof('is over when a user of the address gets another password'),
  ),
  guard({
    name: 'account sign-in: end of a session ends its proof',
    file: ending,
    find: 'proof.id = ended.email_session_id',
    replace: 'proof.id = ended.user_id',
    red: proof('is over when the session that came from it is ended'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: the address of a proof before a sign-in',
    file: finish,
    find: '[provedBefore, provedHere].includes(user.email_normalized)',
    replace: '(provedBefore ?? provedHere) !== null',
    red: firstVisit('the proof of another address proves nothing of the user who signs in'),
    green: provedBySignIn,
  }),
  guard({
    name: 'account sign-in: a proof before a sign-in ends what was begun with the address',
    file: provedEmail,
    find: 'if (provedAt !== null) return\n  await endEarlierSignIns(deps, trx, tenant, userId)\n',
    replace: 'if (provedAt !== null) return\n',
    red: firstVisit(
      'the same sign-in ends what an administrator has begun as the user, and is the only one that goes on',
    ),
    green: provedBySignIn,
  }),
  guard({
    name: 'account sign-in: the first proof ends what was begun with the address',
    file: provedEmail,
    find: '  await endSignInsOf(deps, trx, tenant, userId)\n',
    replace: '',
    red: entered('ends what was begun with the address before its owner first proved it'),
    green: signsIn,
  }),
  guard({
    name: 'account sign-in: a sign-out without a question, of a session of the browser',
    file: logoutPage,
    find: 'if (plan.isOfBrowser) await',
    replace: 'if (plan.isHinted) await',
    red: logout(
      'a sign-out by the ID token of a session that no browser has ends that session at an organization, and not what another browser has proved',
    ),
    green: proof('is over with a sign-out of the organization that was entered'),
  }),
  guard({
    name: 'account sign-in: an address is forgotten after a question',
    file: logoutPage,
    find: 'if (proofs.length > 0 || (plan.sessions',
    replace: 'if ((plan.sessions',
    red: known('asks whether to forget it, names it, and says only then that its user is signed out'),
    green: signsOut,
  }),
  guard({
    name: 'account sign-in: the address that a question has named',
    file: logoutPage,
    find: 'return `forget:${proofs.map(({ emailSessionId }) => emailSessionId).join()}`',
    replace: "return 'forget:'",
    red: known('is not pressed by another site, nor for another address than the page has named'),
    green: signsOut,
  }),
  guard({
    name: 'account sign-in: addresses of the other environment',
    file: logoutPage,
    find: '(named === undefined ? environments : [named]).map',
    replace: 'environments.map',
    red: known('asks of the environment of the application alone'),
    green: signsOut,
  }),
  guard({
    name: 'account sign-in: an ID token is no question of an address',
    file: logoutPage,
    find: 'sent.id_token_hint === undefined ? await findProofs(exchange, place, plan) : []',
    replace: 'await findProofs(exchange, place, plan)',
    red: logout(
      'a sign-out by the ID token of a session that no browser has asks nothing at the account where it has ended already, and ends as little',
    ),
    green: signsOut,
  }),
  condition(
    'the cookie of a session that was revoked',
    endSession,
    "    .where('sessions.id', '=', logoutHint ?? '')\n    .where('sessions.secret_hash', '=', sql<Buffer>`any(${hashes}::bytea[])`)\n",
    revoked('asks in another browser'),
    signsOut,
  ),
  condition(
    'the end of a session that was revoked',
    endSession,
    "    .where('sessions.ended_at', '>', since)\n",
    revoked('asks where the session was ended otherwise, or goes on'),
    signsOut,
  ),
  condition(
    'the application that has revoked',
    endSession,
    "    .where('family.application_id', '=', clientId)\n",
    revoked('asks with a hint with another application'),
    signsOut,
  ),
  condition(
    'the refresh token that has revoked',
    endSession,
    "    .where('family.ended_at', '>', since)\n",
    revoked('asks where the session was ended otherwise, or goes on'),
    signsOut,
  ),
  guard({
    name: 'account sign-in: the time of a revocation',
    file: endSession,
    find: 'const revocationCountsMs = 5 * 60 * 1000',
    replace: 'const revocationCountsMs = 24 * 60 * 60 * 1000',
    red: revoked('asks with a hint five minutes later'),
    green: signsOut,
  }),
]
