import { guard, protocolTest } from './guard.js'

const folder = 'server/src/sso/sign-in'
const request = `${folder}/start-request.ts`
const challenge = `${folder}/challenge.ts`
const pages = 'server/src/pages/sso/router.ts'

const signsIn = (title: string) => protocolTest('saml-sign-in', title)
const challenges = (title: string) => protocolTest('saml-challenges', title)
const requests = (title: string) => protocolTest('saml-fresh', `a request to an identity provider ${title}`)

const twice = requests(
  'may be made twice, as by a double click: the answer to either signs in, and to one of them',
)
const ends = signsIn('a sign-in by SSO ends at the application with a code for tokens that say sso')
const asked = (title: string) => challenges(`a challenge ${title}`)
const opened = (title: string) => challenges(`the address of a challenge ${title}`)
const isOpened = asked(
  'by the organization leads its browser to the application, with a code that the API key’s caller exchanges',
)

/** Guards of redirects to identity providers, and their limits. */
export const samlRequestGuards = [
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
    name: 'saml: challenges and those who only look',
    file: pages,
    find: 'visit: followLink',
    replace: 'get: followLink',
    red: opened('is not used up by who only looks'),
    green: opened('is good once'),
  }),
  guard({
    name: 'saml: challenges count apart from passwords',
    file: challenge,
    find: 'return `sso ${email}`',
    replace: 'return email',
    red: challenges(
      '429: challenges of one address are counted, and its password stays as open or locked as it was',
    ),
    green: isOpened,
  }),
]
