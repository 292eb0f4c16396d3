import { guard } from './guard.js'
import { forged, isDecrypted, isTaken, twoTexts } from './saml-response-tests.js'

const presumed = 'server/src/sso/saml/presumed-signature.ts'
const proof = 'server/src/sso/saml/proof.ts'

/** Guards of the signature and encryption that authenticate an assertion. */
export const samlProofGuards = [
  guard({
    name: 'saml: what was encrypted is signed by a key of the metadata, also in a signed response',
    file: proof,
    find: 'if (!isSignedItself(plain.root)) return isSigned',
    replace: 'if (isSigned || !isSignedItself(plain.root)) return isSigned',
    red: twoTexts('is verified inside, too, where the response is signed'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: by a key of the metadata',
    file: presumed,
    find: 'return certificates.filter((pem) => verify(method.hash, signed, { key: createPublicKey(pem), ...(method.isPss ? pss : {}) }, value), )',
    replace: 'return [...certificates]',
    also: [
      {
        file: proof,
        find: 'return isTime ? { assertionXml: undefined } : undefined',
        replace: 'return { assertionXml: /<saml:Assertion.*<\\/saml:Assertion>/s.exec(xml)?.[0] }',
      },
    ],
    red: forged('signed by a stranger, whose certificate it carries, is refused by signature'),
    green: isTaken,
  }),
  guard({
    name: 'saml: every signature that is there',
    file: proof,
    find: 'const owners = [isSigned ? root : undefined, isSignedItself(assertion) ? assertion : undefined].filter(isThere)',
    replace:
      'const owners = [isSignedItself(assertion) ? assertion : isSigned ? root : undefined].filter(isThere)',
    also: [
      { file: proof, find: 'wantAuthnResponseSigned: isSigned,', replace: 'wantAuthnResponseSigned: false,' },
    ],
    red: forged(
      'signed by a stranger as a whole, around an assertion of the identity provider, is refused by signature',
    ),
    green: isTaken,
  }),
  guard({
    name: 'saml: of the digest that is signed',
    file: presumed,
    find: 'if (!isDigestRight(owner, signature, info)) return []',
    replace: '',
    also: [
      {
        file: proof,
        find: 'return isTime ? { assertionXml: undefined } : undefined',
        replace: 'return { assertionXml: /<saml:Assertion.*<\\/saml:Assertion>/s.exec(xml)?.[0] }',
      },
    ],
    red: forged('with another name than was signed, is refused by signature'),
    green: isTaken,
  }),
]
