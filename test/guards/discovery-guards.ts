import { contractTest, guard, protocolTest } from './guard.js'

const discovery = 'server/src/protocols/discoveries/discovery.ts'
const enter = 'server/src/protocols/discoveries/enter.ts'
const challenge = 'server/src/protocols/discoveries/challenge.ts'
const exchange = 'server/src/protocols/discoveries/exchange.ts'
const pages = 'server/src/pages/account-sign-in/discovery-pages.ts'
const decision = 'server/src/protocols/oauth/organization-decision.ts'
const contract = 'contract/src/resources/discovery.ts'
const organizations = 'server/src/directory/organizations/organizations.ts'
const attack = (title: string) => protocolTest('discovery-attacks', title)
const journey = (title: string) => protocolTest('discovery', title)
const member = (title: string) => contractTest('organizations', `member_email ${title}`)

const works = journey('a discovery leads from an address to its organizations, and to a code of one of them')
const once = (what: string) => attack(`each secret works once, for its own step and time ${what}`)
const others = attack('a token is worth nothing while those of others with other addresses go on')

/** A condition of a keyed secret, in the statement that finds it and in the one that takes it. */
function inBoth(replace: string) {
  const owner = ".where(ofEnvironment(key, 'discovery'))\n    .where(isWaitingFor(key))\n    "
  const rest = replace === '' ? '.where(isWaitingFor(key))\n    ' : owner.replace(/^.*\n/, `${replace}\n`)
  return {
    find: `${owner}.where('applications`,
    replace: `${rest}.where('applications`,
    also: [{ file: discovery, find: `${owner}.returning`, replace: `${rest}.returning` }],
  }
}

/** A condition of a page, in the statement that shows it and in the one that takes its secret. */
const accountOfPage = ".where('accounts.domain', '=', key.accountDomain)\n    "

const flowBegins = '  const { record: flowId } = await change(deps, caller.cause, async (trx) => {\n'

/** Guards of discoveries: secrets, redirects, and what an address may tell. */
export const discoveryGuards = [
  guard({
    name: 'account: secrets of a discovery',
    file: discovery,
    ...inBoth(".where('discovery.environment', '=', key.environment)"),
    red: attack('a key of another account has no code and no token of this one'),
    green: works,
  }),
  guard({
    name: 'environment: secrets of a discovery',
    file: discovery,
    ...inBoth(".where('discovery.account_id', '=', key.accountId)"),
    red: attack('a key of the other environment has no code and no token of this one'),
    green: works,
  }),
  guard({
    name: 'account: pages of a discovery',
    file: discovery,
    find: `${accountOfPage}.where(isWaitingFor`,
    replace: '.where(isWaitingFor',
    also: [{ file: discovery, find: `${accountOfPage}.whereRef`, replace: '.whereRef' }],
    red: attack('a page of another account takes no link and no continue_url'),
    green: works,
  }),
  guard({
    name: 'limit: links of a discovery, of requests at once',
    file: challenge,
    find: '    await lockLinks(trx, { accountId, environment, applicationId, emailNormalized })\n',
    replace: '',
    red: journey('at most three are open, too, of ten that are asked for at once'),
    green: works,
  }),
  guard({
    name: 'state: the step of a secret of a discovery',
    file: discovery,
    find: 'discovery.step = ${step}\n    and ',
    replace: '',
    also: [
      {
        file: discovery,
        find: 'function isWaitingFor({ step, secretHash, at }',
        replace: 'function isWaitingFor({ secretHash, at }',
      },
    ],
    red: once('one of them in the place of another is none'),
    green: works,
  }),
  guard({
    name: 'expiry: secrets of a discovery',
    file: discovery,
    find: '\n    and discovery.expires_at > ${at}',
    replace: '',
    red: once('a discovery_token'),
    green: works,
  }),
  guard({
    name: 'redirect: of a discovery, that the application lists no more',
    file: discovery,
    find: 'discovery.redirect_uri = any(applications.allowed_redirect_urls)',
    replace: 'true',
    red: attack(
      'a redirect goes to an address that the application lists, and to no other also where the application lists it no more',
    ),
    green: works,
  }),
  guard({
    name: 'redirect: of a discovery, that the application does not list',
    file: 'server/src/protocols/discoveries/application.ts',
    find: 'if (allowed.includes(redirectUri)) return',
    replace: 'if (allowed.length > 0) return',
    red: attack(
      'a redirect goes to an address that the application lists, and to no other 422: any other, also one that begins like it',
    ),
    green: works,
  }),
  guard({
    name: 'PKCE: of a discovery, that the application demands',
    file: enter,
    find: '  checkCodeChallenge(input, application)\n',
    replace: '',
    red: attack(
      'a redirect goes to an address that the application lists, and to no other 422: an application that demands PKCE gets no code without a challenge',
    ),
    green: works,
  }),
  guard({
    name: 'single use: discovery_code',
    file: exchange,
    find: "    if (taken === undefined) throw new ApiError('discovery_not_found')\n",
    replace: '',
    red: once('a discovery_code'),
    green: works,
  }),
  guard({
    name: 'single use: discovery_token',
    file: enter,
    find: "    if (taken === undefined) throw new ApiError('discovery_not_found')\n",
    replace: '',
    red: once('a discovery_token'),
    green: works,
  }),
  guard({
    name: 'single use: continue_url',
    file: 'server/src/protocols/discoveries/continue.ts',
    find: "      if (taken === undefined) throw new ApiError('discovery_not_found')\n",
    replace: '',
    red: once('a continue_url'),
    green: works,
  }),
  guard({
    name: 'single use: continue_url, where a session answers',
    file: decision,
    find: '    await place.entering?.consume?.(deps.db)\n',
    replace: '',
    red: once('a continue_url in a browser that is signed in there, which gets a code at once'),
    green: works,
  }),
  guard({
    name: 'revocation: the sign-in of a continue_url, begun as the sessions are ended',
    file: decision,
    find: `${flowBegins}    await entering?.consume?.(trx)\n`,
    replace: `  await entering?.consume?.(deps.db)\n${flowBegins}`,
    red: attack('a token is worth nothing and so is the sign-in that a continue_url begins just then'),
    green: works,
  }),
  guard({
    name: 'eligibility: the organization of a discovery is one of its list',
    file: enter,
    find: 'listOffered(deps, caller, found, input.org_domain)',
    replace: 'listOffered(deps, caller, found, null)',
    red: attack(
      'an organization that is not in the list is answered as one that there is not, and the token stays good',
    ),
    green: others,
  }),
  guard({
    name: 'second factor: of a user who enters by a discovery',
    file: enter,
    find: '  if (user.is_sso_required === true || isFactorMissing(next)) return undefined\n',
    replace: "  if (user.is_sso_required === true || next === 'enroll') return undefined\n",
    red: journey('what is missing is passed on our pages a second factor'),
    green: works,
  }),
  guard({
    name: 'way: an identity provider decides for its addresses, whatever a discovery has proved',
    file: enter,
    find: 'way.connectionId === undefined && way.methods.hasLink',
    replace: 'way.methods.hasLink',
    red: journey('what is missing is passed on our pages the identity provider of the domain'),
    green: works,
  }),
  guard({
    name: 'way: a discovery is enough only where links sign in',
    file: enter,
    find: 'way.connectionId === undefined && way.methods.hasLink',
    replace: 'way.connectionId === undefined',
    red: journey(
      'what is missing is passed on our pages a password: the page names the address and the organization, and its button begins',
    ),
    green: works,
  }),
  guard({
    name: 'revocation: discoveries of the address, with the sessions of its user',
    file: 'server/src/directory/end-sessions.ts',
    find: '  await endDiscoveriesOf(trx, { ...tenant, userId })\n',
    replace: '',
    red: attack('a token is worth nothing after the sessions of a user of the address were ended'),
    green: others,
  }),
  guard({
    name: 'browser: the form of a discovery’s link',
    file: pages,
    find: 'if (secretOfOurForm(req, site, token) === undefined)',
    replace: "if (token === '')",
    red: attack('a page takes the form of its own browser alone, and of none of another site'),
    green: works,
  }),
  guard({
    name: 'browser: the form of a continue_url',
    file: pages,
    find: 'const browserSecret = secretOfOurForm(req, site, token)',
    replace: "const browserSecret = secretOfOurForm(req, site, token) ?? 'x'.repeat(43)",
    red: attack('a page takes the form of its own browser alone, and of none of another site'),
    green: works,
  }),
  guard({
    name: 'limit: mails of discoveries',
    file: challenge,
    find: 'await deps.limits.take(mails, { accountId, environment, address: emailNormalized })',
    replace: 'await Promise.resolve(undefined)',
    red: journey(
      'three mails in a quarter of an hour, counted with those of the account’s pages and apart from organizations’',
    ),
    green: works,
  }),
  guard({
    name: 'limit: open links of discoveries',
    file: challenge,
    find: '    await voidOlderLinks(trx, caller, { applicationId, emailNormalized })\n',
    replace: '',
    red: journey('at most three links of an address and application are open'),
    green: works,
  }),
  guard({
    name: 'reach: discoveries are of the whole account',
    file: contract,
    find: "reach: 'account',\n        limited: 'mail',",
    replace: "reach: 'caller',\n        limited: 'mail',",
    red: attack('a key that is limited to organizations discovers none'),
    green: works,
  }),
  guard({
    name: 'scope: member_email looks for users',
    file: organizations,
    find: 'if (memberEmail !== undefined && !mayReadUsers(caller))',
    replace: 'if (memberEmail !== undefined && !caller.scopes.length)',
    red: member('403: to a key that may not read users, whatever the address'),
    green: member('finds the organizations that have a user of the address, in one request'),
  }),
  guard({
    name: 'environment: member_email',
    file: organizations,
    find: "${ofEnvironment({ accountId, environment }, 'users')}",
    replace: "(users.account_id = ${accountId} and ${environment} <> '')",
    red: member('finds none by what is no address, in the other environment and in another account'),
    green: member('finds the organizations that have a user of the address, in one request'),
  }),
  guard({
    name: 'account: log events of an account',
    file: 'server/src/delivery/log-events/log-events.ts',
    find: ".where(ofEnvironment({ accountId, environment }, 'log_events'))\n  const filtered",
    replace: ".where('log_events.environment', '=', accountId === '' ? '' : environment)\n  const filtered",
    red: contractTest(
      'log-events',
      'the log events of the account are listed with those of its organizations, filtered by code, application and address',
    ),
    green: contractTest(
      'log-events',
      'the log events of the account tell what API keys did, to keys of the whole account',
    ),
  }),
]
