import { guard } from './guard.js'

const folder = 'server/src/sso-sign-in'
const live = `${folder}/live-connection.ts`
const request = `${folder}/start-request.ts`
const arrive = `${folder}/arrive.ts`
const arrival = `${folder}/arrival.ts`
const proceed = `${folder}/continue.ts`
const admission = `${folder}/admission.ts`
const writeUser = `${folder}/sign-in-user.ts`
const asserted = `${folder}/asserted-identity.ts`
const destination = `${folder}/destination.ts`
const spend = `${folder}/spend.ts`
const awaited = `${folder}/awaited-request.ts`
const traces = `${folder}/traces.ts`
const challenge = `${folder}/challenge.ts`
const address = `${folder}/connection-of-address.ts`
const pages = 'server/src/pages/sso/router.ts'
const identifier = 'server/src/pages/steps/identifier.ts'
const totpAsked = 'server/src/sessions/totp-asked.ts'
const finish = 'server/src/flows/finish.ts'

const test = (name: string) => (title: string) => ({ file: `test/protocol/saml-${name}.test.ts`, title })
const signsIn = test('sign-in')
const attacks = test('attacks')
const unasked = test('idp-initiated')
const links = test('linking')
const seats = test('seats')
const challenges = test('challenges')
const strangers = (title: string) => test('strangers')(`what strangers post ${title}`)
const switchedOff = (title: string) => test('changes')(`a connection that is switched off ${title}`)
const outdated = (title: string) => test('changes')(`a response is refused ${title}`)
const fresh = (title: string) => test('fresh')(`a fresh sign-in ${title}`)
const requests = (title: string) => test('fresh')(`a request to an identity provider ${title}`)
const twice = requests(
  'may be made twice, as by a double click: the answer to either signs in, and to one of them',
)
const testLogin = (title: string) => test('test-login')(`the test of an administrator ${title}`)

const ends = signsIn('a sign-in by SSO ends at the application with a code for tokens that say sso')
const isRefused = (title: string) => attacks(`a response is refused ${title}`)
const usedOnce = (title: string) => attacks(`an assertion is used once ${title}`)
const nobodyAsked = (title: string) => unasked(`a response that nobody asked for ${title}`)
const knownUser = (title: string) => links(`a user who is there already ${title}`)
const letsIn = (title: string) => links(`whom a connection lets in ${title}`)
const asked = (title: string) => challenges(`a challenge ${title}`)
const opened = (title: string) => challenges(`the address of a challenge ${title}`)
const begins = (title: string) => signsIn(`where a sign-in by SSO begins ${title}`)
const factor = (title: string) => signsIn(`the second factor after SSO ${title}`)

const altered = isRefused('whose NameID was altered')
const isLinked = knownUser('is linked where the connection is the only one of the organization')
const isAccepted = nobodyAsked('signs in where the connection accepts it, with a code that needs no verifier')
const isOpened = asked(
  'by the organization leads its browser to the application, with a code that the API key’s caller exchanges',
)

/** Who comes in by an identity provider: whose assertion, how often, in which browser, as whom. */
export const samlSignInGuards = [
  guard({
    name: 'saml: connections of deleted organizations',
    file: live,
    find: ".where('organizations.deleted_at', 'is', null)",
    replace: '',
    red: attacks('connections do not mix 404: of an organization that is deleted nothing is left'),
    green: altered,
  }),
  guard({
    name: 'saml: requests of inactive connections',
    file: request,
    find: "const isOpen = live !== undefined && ('adminSessionId' in purpose || live.active)",
    replace: 'const isOpen = live !== undefined',
    red: begins('a connection that is switched off meanwhile asks no identity provider'),
    green: ends,
  }),
  guard({
    name: 'saml: responses of before the connection was switched off',
    file: proceed,
    find: "demand(checks, 'connection_active', live.active)\n  const admission",
    replace: 'const admission',
    red: isRefused('by a connection that is not active'),
    green: ends,
  }),
  guard({
    name: 'saml: responses that nobody asked for, of a connection that is switched off',
    file: proceed,
    find: "demand(checks, 'connection_active', live.active)\n  await demandNoLoop",
    replace: 'await demandNoLoop',
    red: isRefused('by a connection that is not active'),
    green: ends,
  }),
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
    find: "demandStill(checks, 'signature', currentVersion === metadataVersion, {",
    replace: "demandStill(checks, 'signature', currentVersion !== null, {",
    red: outdated('by metadata that are replaced before the browser is back'),
    green: ends,
  }),
  guard({
    name: 'saml: requests by metadata that are not in use any more',
    file: proceed,
    find: "demandStill(checks, 'request', request.metadataVersion === metadataVersion, {",
    replace: "demandStill(checks, 'request', true, {",
    red: outdated('to a request that was made by other metadata'),
    green: ends,
  }),
  guard({
    name: 'saml: tested, by the metadata that have proved it',
    file: proceed,
    find: 'and metadata.version = ${metadataVersion}',
    replace: '',
    red: testLogin('shows nothing of the metadata in use, where others are tested'),
    green: testLogin('leads to the page that says what was wrong, whichever check refuses'),
  }),
  guard({
    name: 'saml: fresh sign-ins, asked for',
    file: 'server/src/oauth/session-fit.ts',
    find: "return prompt.includes('login') || maxAge !== undefined",
    replace: "return prompt.includes('create') && maxAge !== undefined",
    red: fresh('is asked of the identity provider, whose users may be signed in there for long'),
    green: ends,
  }),
  guard({
    name: 'saml: fresh sign-ins, passed on',
    file: request,
    find: "const forceAuthn = 'flowId' in purpose && purpose.isForced",
    replace: "const forceAuthn = 'flowId' in purpose && purpose.isForced && purpose.ip === ''",
    red: fresh('is asked of the identity provider, whose users may be signed in there for long'),
    green: ends,
  }),
  guard({
    name: 'saml: fresh sign-ins, made',
    file: proceed,
    find: 'if (held.is_sign_in_forced) demandFresh(checks, assertion, held)',
    replace: 'void demandFresh',
    red: fresh('is refused where the identity provider has not asked its user anew'),
    green: ends,
  }),
  guard({
    name: 'saml: the last request of a flow',
    file: request,
    find: '.doUpdateSet({ ...written, ...previousOf(at, written) })',
    replace: '.doUpdateSet({ expires_at: written.expires_at })',
    red: twice,
    green: ends,
  }),
  guard({
    name: 'saml: the request of a flow before the last',
    file: request,
    find: '.doUpdateSet({ ...written, ...previousOf(at, written) })',
    replace: '.doUpdateSet(written)',
    also: [{ file: request, find: 'function previousOf(', replace: 'export function previousOf(' }],
    red: twice,
    green: ends,
  }),
  guard({
    name: 'saml: the request of a flow before the last, no longer than ten minutes',
    file: awaited,
    find: 'and saml_requests.previous_expires_at > ${request.at}',
    replace: '',
    red: requests('is waited for no longer because there was another one'),
    green: ends,
  }),
  guard({
    name: 'saml: the request of a flow before the last, by the same metadata',
    file: request,
    find: 'and saml_requests.metadata_version = ${written.metadata_version}',
    replace: '',
    red: requests('is not waited for any more once the metadata are others'),
    green: ends,
  }),
  guard({
    name: 'saml: requests by network',
    file: request,
    find: 'await deps.limits.takeSamlRequestFrom(purpose.ip)',
    replace: '',
    red: requests('429: goes out as often as sign-ins may begin'),
    green: ends,
  }),
  guard({
    name: 'flows begun, by network',
    file: 'server/src/oauth/authorize.ts',
    find: 'await deps.limits.takeFlowFrom(ip)',
    replace: 'void ip',
    red: {
      file: 'test/protocol/attempts-per-ip.test.ts',
      title: '429: one IP address begins so many sign-ins in a quarter of an hour, wherever',
    },
    green: ends,
  }),
  guard({
    name: 'flows begun, by who goes there',
    file: 'server/src/oauth/authorize.ts',
    find: 'if (!authorization.isNavigation) return { fault: noPageShown }',
    replace: 'void noPageShown',
    red: {
      file: 'test/protocol/attempts-per-ip.test.ts',
      title: 'what a page has its visitors load behind their backs begins no sign-in, and is not counted',
    },
    green: ends,
  }),
  guard({
    name: 'saml: what is proved, by network and connection',
    file: 'server/src/sso-sign-in/arrive.ts',
    find: 'await deps.limits.provedResponses.count(sender)',
    replace: '',
    red: strangers('429: fills no table where it is right, either: also what is proved is counted'),
    green: ends,
  }),
  guard({
    name: 'saml: addresses at partners, of whom an identity provider alone has said them',
    file: 'server/src/relays/consume.ts',
    find: "and identity.kind = 'saml'",
    replace: 'and false',
    red: test('relay')(
      'an address that an identity provider says of somebody is not verified at a partner, where its owner ends what others have with it',
    ),
    green: test('relay')(
      'an address that an identity provider says of somebody is verified at a partner where its domain is the organization’s, or the connection’s',
    ),
  }),
  guard({
    name: 'saml: names that users choose are no addresses',
    file: asserted,
    find: "const fallbackNames = [`${claims}/upn`, 'upn', `${claims}/name`]",
    replace: "const fallbackNames = [`${claims}/upn`, 'upn', 'name', `${claims}/name`]",
    red: {
      file: 'server/src/sso-sign-in/asserted-identity.test.ts',
      title: 'a name that users give themselves is no address',
    },
    green: {
      file: 'server/src/sso-sign-in/asserted-identity.test.ts',
      title: 'an address is found under the names that products have for it',
    },
  }),
  guard({
    name: 'saml: names that everybody knows before those that somebody has made up',
    file: asserted,
    find: '...[...standardNames, ...addressNames].map((name) => whole.get(name)?.[0]),',
    replace: '',
    red: {
      file: 'server/src/sso-sign-in/asserted-identity.test.ts',
      title: 'a known name is believed before one that only ends like it',
    },
    green: {
      file: 'server/src/sso-sign-in/asserted-identity.test.ts',
      title: 'an address is found under the names that products have for it',
    },
  }),
  guard({
    name: 'saml: what was not proved',
    file: arrive,
    find: 'if (metadata === undefined || assertion === undefined || failedCheckOf(checks) !== undefined) {',
    replace: 'if (metadata === undefined || assertion === undefined) {',
    red: nobodyAsked('is refused where the connection says so'),
    green: isAccepted,
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
    file: proceed,
    find: "if (live.idpInitiated === 'accept') {",
    replace: "if (live.idpInitiated !== 'reject') {",
    red: nobodyAsked('begins a sign-in, whose answer signs in: nobody comes in by the first one'),
    green: isAccepted,
  }),
  guard({
    name: 'saml: bounced in circles',
    file: proceed,
    find: 'await demandNoLoop(deps, trx, attempt)',
    replace: 'void demandNoLoop',
    red: nobodyAsked('is not gone on with when the identity provider never answers what it is asked'),
    green: isAccepted,
  }),
  guard({
    name: 'saml: replay, when it is decided',
    file: proceed,
    find: "demand(checks, 'replay', spent.isFirstUse, { received: assertion.id })",
    replace: '',
    also: [{ file: spend, find: 'and exists (select from used)', replace: '' }],
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
    name: 'saml: assertions of one connection are not another’s',
    file: arrival,
    find: "where ${isOfConnection('saml_seen_assertions', arrival)}\n          and assertion_hash",
    replace: 'where assertion_hash',
    red: usedOnce('of one identity provider, whatever another’s are called'),
    green: ends,
  }),
  guard({
    name: 'saml: handles of one connection are not another’s',
    file: arrival,
    find: ".where(isOfConnection('saml_arrivals', arrival))",
    replace: '',
    red: attacks(
      'connections do not mix a response to one is refused by another, and its handle is good there alone',
    ),
    green: altered,
  }),
  guard({
    name: 'saml: handles, no longer than a minute',
    file: arrival,
    find: ".where('expires_at', '>', arrival.at)",
    replace: '',
    red: usedOnce('and so is its handle, by whoever has it, for a minute'),
    green: ends,
  }),
  guard({
    name: 'saml: requests of one connection are not answered at another',
    file: spend,
    find: "where ${isOfConnection('saml_requests', spending)}\n        and ${isAwaited(spending)}",
    replace: 'where ${isAwaited(spending)}',
    also: [
      {
        file: proceed,
        find: 'const isOpen = held?.connection_id === live.connectionId',
        replace: 'const isOpen = held?.connection_id !== undefined',
      },
      {
        file: proceed,
        find: "{ ...live, flowId: request.flowId ?? '' },",
        replace: "{ ...live, organizationId: request.organizationId, flowId: request.flowId ?? '' },",
      },
      {
        file: spend,
        find: 'returning flow_id, admin_session_id, metadata_version',
        replace: 'returning flow_id, admin_session_id, metadata_version, organization_id',
      },
      {
        file: spend,
        find: 'request.flow_id, request.admin_session_id, request.metadata_version',
        replace:
          'request.flow_id, request.admin_session_id, request.metadata_version, request.organization_id',
      },
      {
        file: spend,
        find: 'return { flowId: row.flow_id,',
        replace: 'return { organizationId: row.organization_id, flowId: row.flow_id,',
      },
      {
        file: spend,
        find: 'export interface SpentRequest {',
        replace: 'export interface SpentRequest {\n  readonly organizationId: string',
      },
      {
        file: spend,
        find: 'interface RequestRow {',
        replace: 'interface RequestRow {\n  readonly organization_id: string',
      },
    ],
    red: attacks(
      'connections do not mix a request of one is not answered at another, though both have the same identity provider',
    ),
    green: altered,
  }),
  guard({
    name: 'saml: requests, no longer than ten minutes',
    file: awaited,
    find: 'and saml_requests.expires_at > ${request.at}',
    replace: '',
    red: isRefused('that answers a request which nobody has made, or has waited for too long'),
    green: ends,
  }),
  guard({
    name: 'saml: the browser that has asked',
    file: proceed,
    find: "demand(checks, 'browser', held.is_own_browser)",
    replace: "demand(checks, 'browser', held.redirect_uri !== '')",
    red: isRefused(
      'in another browser than the one that asked, where the answer of a stranger would sign somebody in',
    ),
    green: ends,
  }),
  guard({
    name: 'saml: sign-ins that went another way',
    file: proceed,
    find: "{ steps: ['identity_provider'], browserHash",
    replace: "{ steps: ['identity_provider', 'identifier'], browserHash",
    also: [
      {
        file: proceed,
        find: 'const isOpen = held?.connection_id === live.connectionId',
        replace: 'const isOpen = held !== undefined',
      },
    ],
    red: isRefused('for a sign-in that went another way meanwhile'),
    green: ends,
  }),
  guard({
    name: 'saml: e-mail domains of the organization',
    file: admission,
    find: "demand(checks, 'email_domain', isEmailDomainAllowed(allowedEmailDomains, email), {",
    replace: "demand(checks, 'email_domain', true, {",
    red: letsIn('no address of a domain that the organization does not allow'),
    green: isLinked,
  }),
  guard({
    name: 'saml: linking by an address that no domain vouches for',
    file: admission,
    find: "speaksFor === 'vouched' ||",
    replace: "speaksFor !== 'claimed' ||",
    red: knownUser('is not linked by one of several connections to whose organization no domain belongs'),
    green: isLinked,
  }),
  guard({
    name: 'saml: addresses of another connection’s domains',
    file: admission,
    find: "if (owners.length > 0 && !isOwner) return 'claimed'",
    replace: '',
    red: knownUser('is not linked, nor made beforehand, by a connection whose domains are others'),
    green: isLinked,
  }),
  guard({
    name: 'saml: whoever claimed the address before',
    file: writeUser,
    find: 'if (!user.email_verified) await markEmailVerified(deps, trx, tenant, user.id)',
    replace: 'void markEmailVerified',
    red: knownUser('keeps nothing of who had claimed the address before: no password, no session'),
    green: isLinked,
  }),
  guard({
    name: 'saml: users who must be in the directory',
    file: admission,
    find: "userPolicy === 'none' ||\n    (user !== undefined &&",
    replace: "userPolicy === 'none' ||\n    userPolicy === 'user_registered' ||\n    (user !== undefined &&",
    red: letsIn('whoever is in the directory, where the policy is user_registered'),
    green: isLinked,
  }),
  guard({
    name: 'saml: users whom directory sync has brought',
    file: admission,
    find: "and identity.kind = 'scim'",
    replace: '',
    also: [
      {
        file: admission,
        find: "(userPolicy === 'user_registered' || (await isFromDirectorySync",
        replace: '(true || (await isFromDirectorySync',
      },
    ],
    red: letsIn('nobody whom directory sync has not brought, where the policy is user_provisionned'),
    green: isLinked,
  }),
  guard({
    name: 'saml: seats',
    file: admission,
    find: 'if (user === undefined) await checkSeats(trx, live, tenant, checks)',
    replace: 'void checkSeats',
    red: seats(
      'the seats of an organization are freed by deleting a user, who is somebody new at the next sign-in',
    ),
    green: seats('the seats of an organization are not asked of users who have one'),
  }),
  guard({
    name: 'saml: seats of many at once',
    file: admission,
    find: 'await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)',
    replace: 'void name',
    red: seats(
      'the seats of an organization of 40 new users at once 5 come in where there are 5, and the others are told nothing',
    ),
    green: seats('the seats of an organization are not asked of users who have one'),
  }),
  guard({
    name: 'saml: inactive users',
    file: admission,
    find: "demand(checks, 'user_active', user?.active ?? true)",
    replace: '',
    red: letsIn('no inactive user, whatever the policy'),
    green: isLinked,
  }),
  guard({
    name: 'saml: redirect URLs that are allowed at the end',
    file: destination,
    find: '.where(sql<boolean>`${key.redirectUri} = any(applications.allowed_redirect_urls)`)',
    replace: '.where(sql<boolean>`${key.redirectUri}::text is not null`)',
    red: letsIn('nobody for an application that does not allow the address any more'),
    green: isLinked,
  }),
  guard({
    name: 'saml: TOTP of who comes from an identity provider, where the application demands two factors',
    file: totpAsked,
    find: "return isMfaRequired || (isTotpAsked && !amr.includes('sso'))",
    replace: "return !amr.includes('sso') && (isMfaRequired || isTotpAsked)",
    red: factor('is asked where the application demands it and the identity provider has not'),
    green: factor('is not asked of a user who has one here, nor of their session afterwards'),
  }),
  guard({
    name: 'saml: TOTP of everybody else at the end of a flow',
    file: finish,
    find: "flow.amr && array['mfa', 'sso'] or not",
    replace: 'true or not',
    red: {
      file: 'test/protocol/flow-second-factor.test.ts',
      title:
        'a sign-in that waits after one factor does not end once the organization asks for the second factor',
    },
    green: factor('is not asked of a user who has one here, nor of their session afterwards'),
  }),
  guard({
    name: 'saml: traces that strangers cause',
    file: traces,
    find: 'if (Number(count) >= strangersTracesADay) return undefined',
    replace: 'void count',
    red: strangers('leaves no more than 200 traces of a connection a day, and hides nobody’s sign-in'),
    green: altered,
  }),
  guard({
    name: 'saml: posts of strangers by network',
    file: arrive,
    find: 'await deps.limits.failedResponses.count(sender)',
    replace: '',
    red: strangers('429: is counted by network and connection, where it is refused, and of nothing else'),
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
    name: 'saml: old responses that strangers have kept',
    file: traces,
    find: "ssoCheckNames.indexOf('replay') + 1",
    replace: "ssoCheckNames.indexOf('signature') + 1",
    red: strangers('is no more than one old response that somebody has kept'),
    green: altered,
  }),
  guard({
    name: 'saml: handles and those who only look',
    file: pages,
    find: 'router.get(continuePath, async (req, res) => {\n    if (isOnlyLooking(req)) {',
    replace:
      "router.get(continuePath, async (req, res) => {\n    if (isOnlyLooking(req) && req.path === '') {",
    red: usedOnce('and not by who only looks'),
    green: ends,
  }),
  guard({
    name: 'saml: challenges and those who only look',
    file: pages,
    find: 'router.get(challengePath, async (req, res) => {\n    if (isOnlyLooking(req)) {',
    replace:
      "router.get(challengePath, async (req, res) => {\n    if (isOnlyLooking(req) && req.path === '') {",
    red: opened('is not used up by who only looks'),
    green: opened('is good once'),
  }),
  guard({
    name: 'saml: challenges, once',
    file: challenge,
    find: ".where('challenge.used_at', 'is', null)",
    replace: '',
    red: opened('is good once'),
    green: isOpened,
  }),
  guard({
    name: 'saml: challenges, no longer than ten minutes',
    file: challenge,
    find: ".where('challenge.expires_at', '>', key.at)",
    replace: '',
    red: opened('is good for ten minutes, at its own organization, and while the connection is active'),
    green: isOpened,
  }),
  guard({
    name: 'saml: challenges at another organization',
    file: challenge,
    find: ".where('organizations.domain', '=', key.organizationDomain)",
    replace: '',
    red: opened('is good for ten minutes, at its own organization, and while the connection is active'),
    green: isOpened,
  }),
  guard({
    name: 'saml: challenges of connections that were switched off',
    file: challenge,
    find: ".where('connection.active', '=', true)",
    replace: '',
    red: opened('is good for ten minutes, at its own organization, and while the connection is active'),
    green: isOpened,
  }),
  guard({
    name: 'saml: challenges count apart from passwords',
    file: challenge,
    find: "address: `sso ${email ?? ''}`",
    replace: "address: email ?? ''",
    red: challenges(
      '429: challenges of one address are counted, and its password stays as open or locked as it was',
    ),
    green: isOpened,
  }),
  guard({
    name: 'saml: buttons of other organizations',
    file: identifier,
    find: "chosen.find(({ idpId }) => idpId === scene.field('idp_id'))",
    replace: 'chosen[0]',
    red: begins('a button leads there where no domain decides, and to no other connection'),
    green: begins('an address of a domain of the connection leads to its identity provider, and comes back'),
  }),
  guard({
    name: 'saml: connections that are switched off are no way in',
    file: address,
    find: ".where('connection.active', '=', true)",
    replace: '',
    red: begins('a connection that is switched off, or another organization’s, is no way in'),
    green: ends,
  }),
  guard({
    name: 'saml: tests of other administrators',
    file: proceed,
    find: "demand(checks, 'browser', admin?.sessionId === request.adminSessionId)",
    replace: "demand(checks, 'browser', admin?.sessionId !== request.flowId)",
    red: testLogin('is of the administrator’s browser alone'),
    green: testLogin('leads to the page that says what was wrong, whichever check refuses'),
  }),
]
