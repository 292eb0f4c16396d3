import { guard, protocolTest } from './guard.js'

const folder = 'server/src/sso/sign-in'
const live = `${folder}/live-connection.ts`
const request = `${folder}/start-request.ts`
const challenge = `${folder}/challenge.ts`
const address = `${folder}/connection-of-address.ts`
const pages = 'server/src/pages/sso/router.ts'
const identifier = 'server/src/pages/steps/identifier.ts'

const signsIn = (title: string) => protocolTest('saml-sign-in', title)
const attacks = (title: string) => protocolTest('saml-attacks', title)
const challenges = (title: string) => protocolTest('saml-challenges', title)

const fresh = (title: string) => protocolTest('saml-fresh', `a fresh sign-in ${title}`)
const requests = (title: string) => protocolTest('saml-fresh', `a request to an identity provider ${title}`)

const twice = requests(
  'may be made twice, as by a double click: the answer to either signs in, and to one of them',
)
const ends = signsIn('a sign-in by SSO ends at the application with a code for tokens that say sso')

const isRefused = (title: string) => attacks(`a response is refused ${title}`)
const asked = (title: string) => challenges(`a challenge ${title}`)
const opened = (title: string) => challenges(`the address of a challenge ${title}`)
const begins = (title: string) => signsIn(`where a sign-in by SSO begins ${title}`)

const altered = isRefused('whose NameID was altered')
const isOpened = asked(
  'by the organization leads its browser to the application, with a code that the API key’s caller exchanges',
)

/** Who is sent to which identity provider, and how often. */
export const samlRequestGuards = [
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
    find: "const isOpen = live?.protocol === 'saml' && ('adminSessionId' in purpose || live.active)",
    replace: "const isOpen = live?.protocol === 'saml'",
    red: begins('a connection that is switched off meanwhile asks no identity provider'),
    green: ends,
  }),
  guard({
    name: 'saml: fresh sign-ins, asked for',
    file: 'server/src/protocols/oauth/session-fit.ts',
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
    find: 'await deps.limits.take(requestsOfNetwork, networkKey(purpose.ip))',
    replace: '',
    red: requests('429: goes out as often as sign-ins may begin'),
    green: ends,
  }),
  guard({
    name: 'flows begun, by network',
    file: 'server/src/protocols/oauth/authorize.ts',
    find: 'await deps.limits.take(flowsOfNetwork, networkKey(ip))',
    replace: 'void ip',
    red: protocolTest(
      'attempts-per-ip',
      '429: one IP address begins so many sign-ins in a quarter of an hour, wherever',
    ),
    green: ends,
  }),
  guard({
    name: 'saml: challenges and those who only look',
    file: pages,
    find: 'visit: followLink',
    replace: 'get: followLink',
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
]
