import { guard } from './guard.js'

const folder = 'server/src/sso/oidc'
const prove = `${folder}/validate-answer.ts`
const library = `${folder}/openid-client.ts`
const provider = 'server/src/platform/openid/provider.ts'
const providers = 'server/src/platform/openid/providers.ts'
const complete = 'server/src/sso/sign-in/complete.ts'
const pages = 'server/src/pages/sso/router.ts'

const test = (name: string) => (title: string) => ({ file: `test/protocols/oidc-${name}.test.ts`, title })
const signsIn = test('sign-in')
const attacks = test('attacks')
const hostile = test('hostile-provider')
const contract = (title: string) => ({ file: 'test/api/sso-oidc-clients.test.ts', title })

const state = (title: string) => attacks(`a state ${title}`)
const code = (title: string) => attacks(`a code ${title}`)
const idToken = (title: string) => attacks(`an ID token ${title}`)
const issuer = (title: string) => contract(`an issuer ${title}`)

const ends = signsIn(
  'a sign-in by OpenID Connect ends at the application with a code for tokens that say sso',
)
const isRight = idToken('that is right signs in, as those above are')
const isMade = contract(
  'a connection of OpenID Connect is made with its client, which is current at once, and whose secret nobody is told',
)

/** Guards of sign-ins with an OpenID provider: origin of the answer, browser, ID token, and identified user. */
export const oidcGuards = [
  guard({
    name: 'oidc: the step of a flow that is answered',
    file: complete,
    find: "{ steps: ['identity_provider'],",
    replace: "{ steps: ['identity_provider', 'enroll'],",
    red: signsIn('a sign-in by OpenID Connect takes no second answer while a second factor is asked for'),
    green: ends,
  }),
  guard({
    name: 'oidc: that it says who has answered',
    file: prove,
    find: 'answer.issuer === null ? !provider.isIssuerSent :',
    replace: 'answer.issuer === null ? true :',
    also: [
      {
        file: library,
        find: '    authorization_response_iss_parameter_supported: provider.isIssuerSent,\n',
        replace: '',
      },
    ],
    red: code('without iss is refused where the provider always sends it'),
    green: ends,
  }),
  guard({
    name: 'oidc: asymmetric algorithms alone',
    file: provider,
    find: 'asymmetric.filter((name) => algorithms.includes(name))',
    replace: 'algorithms',
    red: issuer('is refused with what its discovery document says'),
    green: isMade,
  }),
  guard({
    name: 'oidc: what is kept of a provider for others',
    file: providers,
    find: 'keep(issuer, Promise.resolve(await read(issuer)))',
    replace: 'keep(issuer, read(issuer))',
    red: hostile('what is kept of a provider stands where somebody else enters its issuer while it is away'),
    green: isRight,
  }),
  guard({
    name: 'oidc: how often a provider that is away is asked',
    file: providers,
    find: 'kept.set(issuer, { provider, until: now().getTime() + faultKeptMs })',
    replace: 'kept.delete(issuer)',
    red: hostile('what is kept of a provider is for ten seconds that it is away, whoever begins sign-ins'),
    green: isRight,
  }),
  guard({
    name: 'oidc: what a browser loads ahead',
    file: pages,
    find: 'visit: takeAnswer',
    replace: 'get: takeAnswer',
    red: state('is not spent by what a browser loads ahead'),
    green: ends,
  }),
]
