import { guard, protocolTest } from './guard.js'

const folder = 'server/src/sso/sign-in'
const live = `${folder}/live-connection.ts`
const arrive = `${folder}/arrive.ts`
const arrival = `${folder}/arrival.ts`
const proceed = `${folder}/continue.ts`
const complete = `${folder}/complete.ts`
const unsolicited = `${folder}/unsolicited.ts`
const attempts = `${folder}/login-attempts.ts`
const pages = 'server/src/pages/sso/router.ts'
const finish = 'server/src/sign-in/flows/finish.ts'

const signsIn = (title: string) => protocolTest('saml-sign-in', title)
const attacks = (title: string) => protocolTest('saml-attacks', title)
const unasked = (title: string) => protocolTest('saml-idp-initiated', title)

const strangers = (title: string) => protocolTest('saml-strangers', `what strangers post ${title}`)
const switchedOff = (title: string) =>
  protocolTest('saml-changes', `a connection that is switched off ${title}`)
const outdated = (title: string) => protocolTest('saml-changes', `a response is refused ${title}`)
const testLogin = (title: string) => protocolTest('saml-test-login', `the test of an administrator ${title}`)

const ends = signsIn('a sign-in by SSO ends at the application with a code for tokens that say sso')

const isRefused = (title: string) => attacks(`a response is refused ${title}`)
const usedOnce = (title: string) => attacks(`an assertion is used once ${title}`)
const nobodyAsked = (title: string) => unasked(`a response that nobody asked for ${title}`)

const altered = isRefused('whose NameID was altered')
const isAccepted = nobodyAsked('signs in where the connection accepts it, with a code that needs no verifier')

/** Which response of an identity provider counts: to whose request, how often, in which browser. */
export const samlArrivalGuards = [
  guard({
    name: 'saml: connections that are switched off while a response is decided about',
    file: live,
    find: "state === 'tested' ? await shareByKey(trx, key) : await lockByKey(trx, key)",
    replace: "state === 'tested' ? await selectByKey(trx, key) : await selectByKey(trx, key)",
    red: isRefused('by a connection that is being switched off'),
    green: ends,
  }),
  guard({
    name: 'saml: connections that are switched off before the end of a sign-in',
    file: finish,
    find: '.where(isConnectionStillActive())',
    replace: '.where(isConnectionStillActive() && sql<boolean>`true`)',
    red: switchedOff('does not let a sign-in end that has passed the identity provider and waits'),
    green: switchedOff('leaves the sessions as they are, also for a second factor more'),
  }),
  guard({
    name: 'saml: what was proved by metadata that are not in use any more',
    file: proceed,
    find: 'passed: currentVersion === version,',
    replace: 'passed: currentVersion !== null,',
    red: outdated('by metadata that are replaced before the browser is back'),
    green: ends,
  }),
  guard({
    name: 'saml: addresses at partners, of whom an identity provider alone has said them',
    file: 'server/src/sign-in/relays/consume.ts',
    find: "and identity.kind in ('saml', 'oidc')",
    replace: 'and false',
    red: protocolTest(
      'saml-relay',
      'an address that an identity provider says of somebody is not verified at a partner, where its owner ends what others have with it',
    ),
    green: protocolTest(
      'saml-relay',
      'an address that an identity provider says of somebody is verified at a partner where its domain is the organization’s, or the connection’s',
    ),
  }),
  guard({
    name: 'saml: unasked responses, no longer than two minutes',
    file: arrive,
    find: 'passed: now().getTime() - issuedAt.getTime() <= acceptedForMs,',
    replace: 'passed: now().getTime() - issuedAt.getTime() <= acceptedForMs || true,',
    red: nobodyAsked('is accepted for two minutes, and once'),
    green: isAccepted,
  }),
  guard({
    name: 'saml: unasked responses name nobody where they are bounced',
    file: unsolicited,
    find: "if (live.idpInitiated === 'accept') {",
    replace: "if (live.idpInitiated !== 'reject') {",
    red: nobodyAsked('begins a sign-in, whose answer signs in: nobody comes in by the first one'),
    green: isAccepted,
  }),
  guard({
    name: 'saml: replay, when it is decided',
    file: proceed,
    find: "assertCheck(checks, 'replay', isFirstUse, { received: assertion.id })",
    replace: '',
    also: [{ file: arrival, find: 'and exists (select from used)', replace: '' }],
    red: usedOnce('also where it is posted again while the first one signs in'),
    green: ends,
  }),
  guard({
    name: 'saml: replay, when it is posted',
    file: arrival,
    find: 'and assertion_hash = ${arrival.assertionHash}',
    replace: 'and false',
    red: usedOnce('and is called a replay the second time, also by another process after a restart'),
    green: ends,
  }),
  guard({
    name: 'saml: requests of one connection are not answered at another',
    file: arrival,
    find: "where ${isOfConnection('saml_requests', use)}\n        and ${isAwaited(use)}",
    replace: 'where ${isAwaited(use)}',
    also: [
      {
        file: complete,
        find: 'const isOpen = lockedFlow?.connection_id === live.connectionId',
        replace: 'const isOpen = lockedFlow?.connection_id !== undefined',
      },
      {
        file: complete,
        find: 'completeRequested(deps, trx, signIn, request.flowId)',
        replace: 'completeRequested(deps, trx, signIn, request)',
      },
      { file: complete, find: '{ ...live, flowId },', replace: '{ ...live, ...flowId },' },
      {
        file: arrival,
        find: 'returning flow_id, admin_session_id, metadata_version',
        replace: 'returning flow_id, admin_session_id, metadata_version, organization_id',
      },
      {
        file: arrival,
        find: 'request.flow_id, request.admin_session_id, request.metadata_version',
        replace:
          'request.flow_id, request.admin_session_id, request.metadata_version, request.organization_id',
      },
      {
        file: arrival,
        find: '{ ...toAnsweredRequest(row), metadataVersion: version }',
        replace:
          '{ ...toAnsweredRequest(row), metadataVersion: version, organizationId: row.organization_id }',
      },
      {
        file: arrival,
        find: 'interface UseRow {',
        replace: 'interface UseRow {\n  readonly organization_id: string',
      },
    ],
    red: attacks(
      'connections do not mix a request of one is not answered at another, though both have the same identity provider',
    ),
    green: altered,
  }),
  guard({
    name: 'saml: the browser that has asked',
    file: complete,
    find: 'assertCheckStill(checks, checkNames.browser, lockedFlow.is_own_browser)',
    replace: "assertCheckStill(checks, checkNames.browser, lockedFlow.redirect_uri !== '')",
    red: isRefused(
      'in another browser than the one that asked, where the answer of a stranger would sign somebody in',
    ),
    green: ends,
  }),
  guard({
    name: 'saml: sign-ins that went another way',
    file: complete,
    find: "{ steps: ['identity_provider'], browserHash",
    replace: "{ steps: ['identity_provider', 'identifier'], browserHash",
    also: [
      {
        file: complete,
        find: 'const isOpen = lockedFlow?.connection_id === live.connectionId',
        replace: 'const isOpen = lockedFlow !== undefined',
      },
    ],
    red: isRefused('for a sign-in that went another way meanwhile'),
    green: ends,
  }),
  guard({
    name: 'saml: traces of what a key has proved, apart from those of strangers',
    file: attempts,
    find: 'refusedChecks.find((checks) => failed !== undefined && checks.includes(failed))',
    replace: 'refusedChecks.flat()',
    red: strangers('hides nothing that a key has proved: its page has a reference that finds the reason'),
    green: altered,
  }),
  guard({
    name: 'saml: traces of signed responses that name nobody',
    file: attempts,
    find: 'sso_login_traces.name_id is not distinct from ${attempt.nameId}',
    replace: 'sso_login_traces.name_id = ${attempt.nameId}',
    red: strangers('that is signed and names nobody leaves 20 traces a day'),
    green: altered,
  }),
  guard({
    name: 'saml: traces of old responses, apart from what else is signed',
    file: attempts,
    find: '.filter((check) => !keptChecks.includes(check))',
    replace: '',
    also: [{ file: attempts, find: '  keptChecks,\n', replace: '' }],
    red: strangers(
      'of old responses that somebody has kept, however many, hides nothing else that a key has proved',
    ),
    green: altered,
  }),
  guard({
    name: 'saml: what pages have posted behind somebody’s back',
    file: pages,
    find: 'if (!isNavigation(req)) {',
    replace: 'if (!isNavigation(req) && req.path === "") {',
    red: strangers('is not looked at where a page has sent it behind somebody’s back'),
    green: altered,
  }),
  guard({
    name: 'saml: handles and those who only look',
    file: pages,
    find: 'visit: continueAfterResponse',
    replace: 'get: continueAfterResponse',
    red: usedOnce('and not by who only looks'),
    green: ends,
  }),
  guard({
    name: 'saml: tests of other administrators',
    file: complete,
    find: 'assertCheckStill(checks, checkNames.browser, browser.adminSessionId === adminSessionId)',
    replace: "assertCheckStill(checks, checkNames.browser, adminSessionId !== '')",
    red: testLogin('is of the administrator’s browser alone'),
    green: testLogin('leads to the page that says what was wrong, whichever check refuses'),
  }),
]
