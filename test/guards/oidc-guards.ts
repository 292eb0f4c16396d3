import { guard } from './guard.js'

const folder = 'server/src/sso/oidc'
const request = `${folder}/request.ts`
const receive = `${folder}/receive-answer.ts`
const prove = `${folder}/validate-answer.ts`
const library = `${folder}/openid-client.ts`
const provider = 'server/src/platform/openid/provider.ts'
const providers = 'server/src/platform/openid/providers.ts'
const token = `${folder}/id-token.ts`
const claims = `${folder}/claims.ts`
const start = `${folder}/start-request.ts`
const complete = 'server/src/sso/sign-in/complete.ts'
const admission = 'server/src/sso/sign-in/admission.ts'
const arrive = 'server/src/sso/sign-in/arrive.ts'
const settings = 'server/src/sso/connections/oidc-settings.ts'
const pages = 'server/src/pages/sso/router.ts'

const test = (name: string) => (title: string) => ({ file: `test/protocols/oidc-${name}.test.ts`, title })
const signsIn = test('sign-in')
const attacks = test('attacks')
const links = test('linking')
const hostile = test('hostile-provider')
const contract = (title: string) => ({ file: 'test/api/sso-oidc-clients.test.ts', title })

const state = (title: string) => attacks(`a state ${title}`)
const code = (title: string) => attacks(`a code ${title}`)
const idToken = (title: string) => attacks(`an ID token ${title}`)
const known = (title: string) => links(`a user who is there already ${title}`)
const issuer = (title: string) => contract(`an issuer ${title}`)

const ends = signsIn(
  'a sign-in by OpenID Connect ends at the application with a code for tokens that say sso',
)
const isRight = idToken('that is right signs in, as those above are')
const isLinked = known(
  'is linked by their address where the connection may speak for it and the provider has verified it',
)
const isMade = contract(
  'a connection of OpenID Connect is made with its client, which is current at once, and whose secret nobody is told',
)

/** Who comes in by an OpenID provider: by whose answer, in which browser, proved by whom, as whom. */
export const oidcGuards = [
  guard({
    name: 'oidc: the connection of a state',
    file: request,
    find: ".where(isOfConnection('oidc_requests', request))\n      .where('state_hash'",
    replace: ".where('state_hash'",
    red: state('is of one connection, whose address alone takes it'),
    green: ends,
  }),
  guard({
    name: 'oidc: the end of a state',
    file: request,
    find: ".where('expires_at', '>', request.at)",
    replace: '',
    red: state('is over after ten minutes'),
    green: ends,
  }),
  guard({
    name: 'oidc: the browser of an answer',
    file: receive,
    find: "assertCheck(checks, 'oidc_browser', isOwn)",
    replace: '',
    also: [
      {
        file: complete,
        find: 'assertCheckStill(checks, checkNames.browser, lockedFlow.is_own_browser)',
        replace: '',
      },
    ],
    red: state('of another browser signs nobody in, neither there nor here'),
    green: ends,
  }),
  guard({
    name: 'oidc: the step of a flow that is answered',
    file: complete,
    find: "{ steps: ['identity_provider'],",
    replace: "{ steps: ['identity_provider', 'enroll'],",
    red: signsIn('a sign-in by OpenID Connect takes no second answer while a second factor is asked for'),
    green: ends,
  }),
  guard({
    name: 'oidc: who has answered',
    file: prove,
    find: "assertCheck(checks, 'oidc_issuer_parameter', isSameIssuer, {",
    replace: "assertCheck(checks, 'oidc_issuer_parameter', true, {",
    red: code('of another provider is not sent to this one, where the provider says who it is'),
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
        find: '      authorization_response_iss_parameter_supported: provider.isIssuerSent,\n',
        replace: '',
      },
    ],
    red: code('without iss is refused where the provider always sends it'),
    green: ends,
  }),
  guard({
    name: 'oidc: the nonce',
    file: library,
    find: '      expectedNonce: nonce,\n',
    replace: '',
    red: idToken('without a nonce signs nobody in'),
    green: state('is over after ten minutes'),
  }),
  guard({
    name: 'oidc: the signature of an ID token',
    file: library,
    find: '  enableNonRepudiationChecks(configuration)\n',
    replace: '',
    red: idToken('signed by a key of a stranger signs nobody in'),
    green: isRight,
  }),
  guard({
    name: 'oidc: the type of an ID token',
    file: token,
    find: 'if (typ !== undefined && !isJwt(typ))',
    replace: 'if (typ === null)',
    red: idToken('that is a logout token is refused: oidc_token_type'),
    green: isRight,
  }),
  guard({
    name: 'oidc: the authorized party of an ID token',
    file: token,
    find: 'if (azp !== undefined && azp !== clientId)',
    replace: 'if (azp === null)',
    red: idToken('whose azp is another client is refused: oidc_authorized_party'),
    green: isRight,
  }),
  guard({
    name: 'oidc: an ID token of the future',
    file: token,
    find: ' || issuedAt > latest',
    replace: '',
    red: idToken('of the future is refused: oidc_issued_at'),
    green: isRight,
  }),
  guard({
    name: 'oidc: an ID token from before the sign-in',
    file: token,
    find: ' || issuedAt < earliest',
    replace: '',
    red: idToken('from before any open sign-in is refused: oidc_issued_at'),
    green: isRight,
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
    name: 'oidc: how a user has signed in, of the token alone',
    file: library,
    find: '.filter(([name]) => !ofTheSignIn.has(name))',
    replace: '',
    red: hostile(
      'the UserInfo endpoint does not say how and when its user has signed in, which is not signed there',
    ),
    green: isRight,
  }),
  guard({
    name: 'oidc: an address and that it is verified, of one place',
    file: library,
    find: '    ...Object.fromEntries(ofTheAddress.map((name) => [name, said[name]])),\n',
    replace: '',
    red: hostile(
      'the UserInfo endpoint says what the address is and whether it is verified: the token says neither of another address',
    ),
    green: isRight,
  }),
  guard({
    name: 'oidc: secrets that a provider repeats',
    file: library,
    find: "text.replaceAll(secret, '…')",
    replace: 'secret && text',
    red: hostile(
      'what a trace quotes of a provider is neither the secret nor the code, which a provider may repeat',
    ),
    green: isRight,
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
    name: 'oidc: the subject',
    file: claims,
    find: 'subject.length <= 255',
    replace: 'true',
    red: idToken('whose sub cannot be kept is refused: 1'),
    green: isRight,
  }),
  guard({
    name: 'oidc: the protocol of a connection whose callback is called',
    file: receive,
    find: "if (live?.protocol !== 'oidc') return { to: 'nowhere' }",
    replace: "if (live === undefined) return { to: 'nowhere' }",
    red: attacks('a provider speaks to the address of its own protocol'),
    green: ends,
  }),
  guard({
    name: 'oidc: the protocol of a connection to which a response is posted',
    file: arrive,
    find: "    .where('connection.protocol', '=', 'saml')\n",
    replace: '',
    red: attacks('a provider speaks to the address of its own protocol'),
    green: ends,
  }),
  guard({
    name: 'oidc: an address that was verified',
    file: admission,
    find: "authority === 'trusted' && asserted.isEmailVerified",
    replace: "authority === 'trusted'",
    red: known('is not linked where email_verified is false'),
    green: isLinked,
  }),
  guard({
    name: 'oidc: one subject for a user of an issuer',
    file: admission,
    find: 'isEmailTrusted && !(user.email_verified && (await isOtherSubject(trx, tenant, user, identity)))',
    replace: 'isEmailTrusted',
    red: known('is not linked to another subject of their issuer that says their address (nOAuth)'),
    green: isLinked,
  }),
  guard({
    name: 'oidc: an address that Entra has proved',
    file: claims,
    find: "if (providerType === 'entra_id' || isEntra(issuer)) return isTrue(claims['xms_edov'])",
    replace: '',
    red: links('Entra is believed an address whose domain it has proved, and nothing else'),
    green: isLinked,
  }),
  guard({
    name: 'oidc: the Workspace of an account of Google',
    file: claims,
    find: "return typeof hd === 'string' && domains.includes(hd.toLowerCase())",
    replace: "return typeof hd === 'string'",
    red: links('Google is believed of the accounts of a Workspace whose domain is the organization’s'),
    green: isLinked,
  }),
  guard({
    name: 'oidc: the client in use',
    file: receive,
    find: 'passed: current?.version === version,',
    replace: 'passed: true,',
    red: links('a client that was replaced while somebody was at the provider signs them in no more'),
    green: ends,
  }),
  guard({
    name: 'oidc: refused answers by network',
    file: receive,
    find: "if (error.check !== 'oidc_answer' && (await deps.limits.note(failedResponses, sender)))",
    replace: 'if (false as boolean)',
    red: attacks(
      'an answer that is refused 429: is counted by network and connection, but for what the provider has refused in a sign-in of this browser',
    ),
    green: ends,
  }),
  guard({
    name: 'oidc: a fresh sign-in',
    file: complete,
    find: 'if (lockedFlow.is_sign_in_forced) assertFresh(signIn, lockedFlow)',
    replace: 'void assertFresh',
    red: signsIn(
      'a sign-in by OpenID Connect asks for a fresh sign-in where the application does, and sees to it',
    ),
    green: ends,
  }),
  guard({
    name: 'oidc: an inactive connection at the beginning',
    file: start,
    find: ' || (isFlow && !live.active)',
    replace: '',
    red: signsIn('a sign-in by OpenID Connect is not begun by a connection that was disabled meanwhile'),
    green: ends,
  }),
  guard({
    name: 'oidc: what a browser loads ahead',
    file: pages,
    find: 'visit: takeAnswer',
    replace: 'get: takeAnswer',
    red: state('is not spent by what a browser loads ahead'),
    green: ends,
  }),
  guard({
    name: 'oidc: an issuer that names itself',
    file: provider,
    find: "if (document['issuer'] !== issuer) {",
    replace: "if (typeof document['issuer'] !== 'string') {",
    red: issuer('is refused with what its discovery document says'),
    green: isMade,
  }),
  guard({
    name: 'oidc: a discovery document to its end',
    file: providers,
    find: "  if (!answer.isWhole) throw unreachable('it does not end within 5 seconds and 256 kB')\n",
    replace: '',
    red: issuer('is refused where its document is huge, cut off, a redirect, an error, or no JSON'),
    green: isMade,
  }),
  guard({
    name: 'oidc: an issuer that all tenants of Entra share',
    file: settings,
    find: 'sharedByTenants.includes(tenant.toLowerCase())',
    replace: 'false',
    red: issuer('of Entra names one tenant, and not common'),
    green: isMade,
  }),
  guard({
    name: 'oidc: the issuer that a secret was entered for',
    file: settings,
    find: 'clientSecret ?? (isSame ? current?.clientSecret : undefined)',
    replace: 'clientSecret ?? current?.clientSecret',
    red: contract(
      'a connection of OpenID Connect sends a secret to no other issuer, and with no other id, than it was entered for',
    ),
    green: isMade,
  }),
]
