import { guard } from './guard.js'
import { forged, isDecrypted, isTaken, twoTexts } from './saml-response-tests.js'

const presumed = 'server/src/sso/saml/presumed-signature.ts'
const proof = 'server/src/sso/saml/proof.ts'
const covered = 'server/src/sso/saml/covered-bytes.ts'

/** Guards of the signature and encryption that authenticate an assertion. */
export const samlProofGuards = [
  guard({
    name: 'saml: what was encrypted is signed by a key of the metadata, also in a signed response',
    file: proof,
    find: 'if (!isSignedItself(decrypted)) return isSigned',
    replace: 'if (isSigned || !isSignedItself(decrypted)) return isSigned',
    red: twoTexts('is verified inside, too, where the response is signed'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: by a key of the metadata',
    file: presumed,
    find: 'return certificates.filter((pem) => verify(method.hash, signed, { key: publicKeyOf(pem), ...(method.isPss ? pss : {}) }, value), )',
    replace: 'return [...certificates]',
    also: [
      { file: covered, find: 'return signers.some(isSigner) ? bytes : undefined', replace: 'return bytes' },
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
      {
        file: covered,
        find: '...(signed.isSigned ? [root] : []),',
        replace: '...(signed.isSigned && !signed.isAssertionSigned ? [root] : []),',
      },
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
        file: covered,
        find: 'if (!digestOf(verifier, reference, bytes).equals(said)) return undefined',
        replace: '',
      },
    ],
    red: forged('with another name than was signed, is refused by signature'),
    green: isTaken,
  }),
]
