import { guard } from './guard.js'
import { encrypted, forged, isDecrypted, isTaken, taken, twoTexts } from './saml-response-tests.js'

const signatureForm = 'server/src/sso/saml/signature-form.ts'
const encryptionForm = 'server/src/sso/saml/encryption-form.ts'
const presumed = 'server/src/sso/saml/presumed-signature.ts'
const proof = 'server/src/sso/saml/proof.ts'
const validation = 'server/src/sso/saml/validate-response.ts'

/** By which signature and which encryption the text of an assertion is its identity provider’s. */
export const samlProofGuards = [
  guard({
    name: 'saml: SHA-384 in the library',
    file: 'server/src/sso/saml/enveloped-signature.ts',
    find: "verify('sha384', Buffer.from(signed), key, Buffer.from(value, 'base64'))",
    replace: "value !== ''",
    red: taken('by RSA with SHA-384 by that key alone, over that text alone'),
    green: isTaken,
  }),
  guard({
    name: 'saml: cipher',
    file: encryptionForm,
    find: "if (!ciphers.includes(cipher)) throw new CheckRefusal(cipher, ciphers.join(' or '))",
    replace: '',
    red: encrypted('by 3DES, is refused by encryption_form'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: no CBC in a response that is not signed',
    file: encryptionForm,
    find: 'if (cbc.includes(cipher) && !isSigned && !allowCbcUnsigned)',
    replace: 'if (false)',
    red: encrypted('by AES-CBC, in a response that is not signed, is refused by encryption_form'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: something is signed',
    file: signatureForm,
    find: "throw new CheckRefusal('no signature', 'a signature of the assertion, or of the response')",
    replace: 'return',
    red: forged('without a signature, is refused by signature_form'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: cipher of the key',
    file: encryptionForm,
    find: 'if (algorithm !== algorithms.rsaOaep)',
    replace: 'if (false)',
    red: encrypted('whose key is by RSA 1.5, is refused by encryption_form'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: nothing else is encrypted',
    file: encryptionForm,
    find: 'if (ofEncryption.includes(element.name))',
    replace: 'if (false)',
    red: encrypted('that is a plain one with an encrypted name, is refused by encryption_form'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: one text in an encrypted assertion',
    file: encryptionForm,
    find: 'checkNames(info)',
    replace: '',
    red: twoTexts('one that is signed by RSA with SHA-1, is refused by encryption_form'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: one text in an encrypted assertion, comments',
    file: encryptionForm,
    find: 'checkNames(info)',
    replace: '',
    red: twoTexts('one whose signature keeps comments, is refused by encryption_form'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: one text in an encrypted assertion, size',
    file: encryptionForm,
    find: 'checkNames(info)',
    replace: '',
    red: twoTexts('one of 33,000 elements, is refused by encryption_form in less than 200 ms'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: each part of an encryption in its place',
    file: encryptionForm,
    find: 'if (!isRight)',
    replace: 'if (false)',
    red: twoTexts('with a CipherValue in the value of the key, is refused by encryption_form'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: no part in the method of an encryption',
    file: encryptionForm,
    find: 'childrenExactly(method, [])',
    replace: '',
    red: twoTexts('with a CipherValue in the method of the content, is refused by encryption_form'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: no part of an encryption beside it',
    file: encryptionForm,
    find: 'for (const child of root.children) if (child !== assertion) checkNothingEncrypted(child)',
    replace: '',
    red: twoTexts('with a CipherValue elsewhere in the response, is refused by encryption_form'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: what was encrypted is signed',
    file: proof,
    find: 'if (!isSignedItself(plain.root)) return isSigned ? { assertionXml: plain.xml, decrypted: plain.root } : undefined',
    replace: 'if (!isSignedItself(plain.root)) return { assertionXml: plain.xml, decrypted: plain.root }',
    red: encrypted('that is not signed inside, is refused by signature'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: what was encrypted is signed by a key of the metadata, also in a signed response',
    file: proof,
    find: 'if (!isSignedItself(plain.root)) return isSigned',
    replace: 'if (isSigned || !isSignedItself(plain.root)) return isSigned',
    red: twoTexts('is verified inside, too, where the response is signed'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: form of what was encrypted',
    file: validation,
    find: 'if (decrypted !== undefined) checkPlainForm(decrypted, rules.allowSha1)',
    replace: '',
    red: encrypted('signed by RSA with SHA-1 inside, is refused by assertion'),
    green: isDecrypted,
  }),
  guard({
    name: 'saml: no decryption before the signature of the response',
    file: proof,
    find: 'if (visible.some((signers) => signers.length === 0)) return undefined',
    replace: '',
    also: [
      {
        file: proof,
        find: 'if (isSigned && (around === undefined || !isEnvelopedBy(signers, xml, around))) return undefined',
        replace: '',
      },
    ],
    red: encrypted('in a response with a wrong signature is not decrypted'),
    green: isTaken,
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
