import { guard } from './guard.js'

const claims = 'sdk/src/verified-claims.ts'
const keySets = 'sdk/src/key-sets.ts'

const verifierTest = (title: string) => ({ file: 'sdk/src/verifier-organizations.test.ts', title })
const refusal = (title: string) => ({ file: 'sdk/src/verifier-refused-issuers.test.ts', title })

const areAccepted = verifierTest(
  'tokens of fifty organizations are accepted, and one request for the keys of each',
)

/** Guards of the SDK's verifier of an account: what is checked before keys are asked for, and how often they are. */
export const verifierGuards = [
  guard({
    name: 'verifier: the form of the domain in an issuer',
    file: 'sdk/src/issuers.ts',
    find: 'return isSlug(domain) ? domain : undefined',
    replace: 'return domain',
    red: refusal('a logout token of no other issuer is accepted, and none causes a request'),
    green: areAccepted,
  }),
  guard({
    name: 'verifier: the prefix of an issuer',
    file: 'sdk/src/issuers.ts',
    find: '|| !issuer.startsWith(organizationPrefix)',
    replace: '',
    red: refusal('no other issuer is accepted, and none causes a request'),
    green: areAccepted,
  }),
  guard({
    name: 'verifier: org and tnt are the organization of the issuer',
    file: claims,
    find: 'if (use !== undefined) source.checkOrganization(claims)',
    replace: '',
    red: refusal(
      'a token whose org and tnt are another organization is refused before its keys are asked for',
    ),
    green: areAccepted,
  }),
  guard({
    name: 'verifier: the signature of a token whose claims choose the key',
    file: claims,
    find: 'if (source.keyWithId === undefined) await checkSignature(parsed, keyWithId)',
    replace: '',
    red: refusal(
      'a token that another issuer’s key has signed is refused: another organization’s, or the account’s',
    ),
    green: verifierTest('verifyAccessToken() takes an account, too'),
  }),
  guard({
    name: 'verifier: the issuer that an ID token is demanded of',
    file: claims,
    find: ' || (issuer !== undefined && iss !== issuer)',
    replace: '',
    red: verifierTest(
      'an ID token can be demanded of one issuer, and is refused of the others before their keys are asked for',
    ),
    green: areAccepted,
  }),
  guard({
    name: 'verifier: the rate of requests for new organizations',
    file: keySets,
    find: 'if (level < 1) return false',
    replace: '',
    red: verifierTest(
      'made-up organizations cause twenty requests at once, and then two a second; those whose keys are held notice nothing',
    ),
    green: areAccepted,
  }),
  guard({
    name: 'verifier: an unknown organization is remembered',
    file: keySets,
    find: 'if (refusal !== undefined && now() < refusal.until) throw toError(refusal)',
    replace: '',
    red: verifierTest('an organization that the service does not have is not asked for again for a minute'),
    green: areAccepted,
  }),
  guard({
    name: 'verifier: the most organizations that are held',
    file: keySets,
    find: 'if (entries.size <= most) return',
    replace: 'return',
    red: verifierTest('the keys that were used last stay, and the others are asked for again'),
    green: areAccepted,
  }),
]
