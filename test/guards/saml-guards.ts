import { guard, samlTest, unitTest } from './guard.js'

const tree = 'server/src/saml/xml-tree.ts'
const document = 'server/src/saml/response-document.ts'
const responseForm = 'server/src/saml/response-form.ts'
const signatureForm = 'server/src/saml/signature-form.ts'
const encryptionForm = 'server/src/saml/encryption-form.ts'
const presumed = 'server/src/saml/presumed-signature.ts'
const proof = 'server/src/saml/proof.ts'
const validation = 'server/src/saml/validate-response.ts'
const assertion = 'server/src/saml/assertion.ts'
const metadata = 'server/src/saml/metadata.ts'

const forged = (title: string) => samlTest('forged', `a forged response ${title}`)
const wrapped = (title: string) => samlTest('wrapping', `a wrapped response ${title}`)
const content = (title: string) => samlTest('content', `a response with a right signature ${title}`)
const encrypted = (title: string) => samlTest('encrypted', `an encrypted assertion ${title}`)
const twoTexts = (title: string) =>
  samlTest('two-plain-texts', `an encrypted assertion in which another reader finds another text ${title}`)
const taken = (title: string) => samlTest('accepted', `a response signed by xmlsec1 is taken ${title}`)
const ofMetadata = (title: string) => unitTest(metadata, `metadata of an identity provider ${title}`)

const isTaken = taken('whose assertion is signed, and tells all that it says')
const isDecrypted = taken('encrypted by AES (gcm)')

/** A check on what the signed assertion says: each alone. */
function contentGuard(name: string, find: string, replace: string, title: string, file = assertion) {
  return guard({ name: `saml: ${name}`, file, find, replace, red: content(title), green: isTaken })
}

function formGuard(name: string, file: string, find: string, replace: string, red = forged(name)) {
  return guard({ name: `saml: ${name}`, file, find, replace, red, green: isTaken })
}

/** What a SAML response goes through before it is somebody's word, and what is taken as an identity provider's metadata. */
export const samlGuards = [
  formGuard(
    'no document type',
    tree,
    "if (/<!(?!--)/.test(text)) refuse('markup', 'a document type or CDATA')",
    '',
    forged('with a document type, is refused by document'),
  ),
  formGuard(
    'no comment',
    tree,
    "if (!limits.comments && text.includes('<!--')) refuse('markup', 'a comment')",
    '',
    forged('with a comment in the name, is refused by document'),
  ),
  guard({
    name: 'saml: no processing instruction',
    file: tree,
    find: "if (!limits.comments && text.includes('<?')) refuse('markup', 'a processing instruction')",
    replace: '',
    also: [
      {
        file: tree,
        find: "parser.on('processinginstruction', () => refuse('markup', 'a processing instruction'))",
        replace: '',
      },
    ],
    red: forged('with a processing instruction in the name, is refused by document'),
    green: isTaken,
  }),
  formGuard(
    'no name that every object has',
    tree,
    'name in Object.prototype || ',
    '',
    forged('with an unusual name of a prefix, is refused by document'),
  ),
  formGuard(
    'so many elements',
    tree,
    "if (elements > limits.elements) refuse('size', `more than ${limits.elements} elements`)",
    '',
    forged('with 601 elements, is refused by document'),
  ),
  formGuard(
    'so many levels',
    tree,
    "if (depth > limits.depth) refuse('size', `more than ${limits.depth} levels`)",
    '',
    forged('with 21 levels, is refused by document'),
  ),
  formGuard(
    'so many attributes',
    tree,
    'if (attributes > limits.attributes)',
    'if (false)',
    forged('with 21 attributes of one element, is refused by document'),
  ),
  formGuard(
    'so many attributes in all',
    tree,
    "if (allAttributes > limits.allAttributes) refuse('size', `more than ${limits.allAttributes} attributes`)",
    '',
    forged('with 2,001 attributes, is refused by document'),
  ),
  formGuard(
    'so much that is not encrypted',
    document,
    'if (document.xml.length - cipherLengthOf(document.root) > maxPlainLength)',
    'if (false)',
    forged('with more than 112 kB, is refused by document'),
  ),
  formGuard(
    'so many bytes',
    document,
    "if (bytes.length > maxBytes) throw new Refusal('more than 256 kB')",
    '',
    forged('whose form field is longer than 256 kB, is refused by encoding'),
  ),
  formGuard(
    'UTF-8',
    document,
    "new TextDecoder('utf-8', { fatal: true })",
    "new TextDecoder('utf-8')",
    forged('in bytes that are not UTF-8, is refused by document'),
  ),

  guard({
    name: 'saml: one assertion',
    file: responseForm,
    find: 'if (assertions.length > 1)',
    replace: 'if (false)',
    also: [{ file: responseForm, find: 'if (isAssertion && element !== assertion)', replace: 'if (false)' }],
    red: wrapped('beside an encrypted one, is refused by response'),
    green: isTaken,
  }),
  formGuard(
    'no assertion in another',
    responseForm,
    'if (isAssertion && element !== assertion)',
    'if (false)',
    wrapped('4: the signed assertion as advice to another one, is refused by response'),
  ),
  formGuard(
    'no response in another',
    responseForm,
    "if (element.name === 'Response' && element !== root)",
    'if (false)',
    wrapped('7: the signed response as an extension of another one, is refused by response'),
  ),
  formGuard(
    'nothing else in a response',
    responseForm,
    'for (const child of root.children) checkChild(child)',
    '',
    content('whose envelope has a child that nobody here knows, is refused by response'),
  ),
  formGuard(
    'status',
    responseForm,
    'if (codes.length === 1 && codes[0] === success) return',
    'return',
    content('of an identity provider that has refused, is refused by status, in its words'),
  ),

  formGuard(
    'each ID once',
    signatureForm,
    "if (ids.has(value)) throw new Refusal('two elements with one ID')",
    '',
    wrapped('with an ID that is there twice, is refused by signature_form'),
  ),
  formGuard(
    'each signature in its place',
    signatureForm,
    'if (owner === undefined || (owner !== root && owner !== assertion))',
    'if (owner === undefined)',
    wrapped('with a signature of the subject, in the subject, is refused by signature_form'),
  ),
  formGuard(
    'one signature each',
    signatureForm,
    "if (childrenOf(owner, ns.signature, 'Signature').length > 1)",
    'if (false)',
    wrapped('with two signatures of the assertion, is refused by signature_form'),
  ),
  formGuard(
    'a signature covers what it stands in',
    signatureForm,
    'if (uri !== `#${id}`)',
    'if (false)',
    wrapped('with a signature of the response that covers the assertion alone, is refused by signature_form'),
  ),
  formGuard(
    'algorithm of a signature',
    signatureForm,
    'if (!allowed.includes(received))',
    'if (false)',
    forged('by RSA with SHA-1, is refused by signature_form'),
  ),
  formGuard(
    'parts of a signature',
    signatureForm,
    'if (!isRight)',
    'if (false)',
    forged('with an Object in its signature, is refused by signature_form'),
  ),
  formGuard(
    'parameters of an algorithm',
    signatureForm,
    'if (!element.children.every(isPrefixList))',
    'if (false)',
    forged('with parameters of its signature method, is refused by signature_form'),
  ),

  guard({
    name: 'saml: cipher',
    file: encryptionForm,
    find: "if (!ciphers.includes(cipher)) throw new Refusal(cipher, ciphers.join(' or '))",
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
    find: "throw new Refusal('no signature', 'a signature of the assertion, or of the response')",
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

  contentGuard(
    'issuer of the response',
    'if (issuer !== undefined) checkIssuer(issuer, identityProvider.entityId)',
    '',
    'whose envelope is from another issuer, is refused by response_issuer',
    validation,
  ),
  contentGuard(
    'destination',
    'if (received !== acsUrl) throw new Refusal(received ?? ',
    'if (received === undefined) throw new Refusal(received ?? ',
    'whose envelope is for another destination, is refused by destination',
    validation,
  ),
  contentGuard(
    'destination of a signed response',
    'if (received === undefined && !isSigned) return',
    'if (received === undefined) return',
    'that is signed itself and names no destination, is refused by destination',
    validation,
  ),
  contentGuard(
    'issuer',
    'if (received !== entityId)',
    'if (false)',
    'issued by another, is refused by issuer',
  ),
  contentGuard(
    'not from the future',
    'age < -skewMs || ',
    '',
    'issued in two minutes and a second, is refused by issued_at',
  ),
  contentGuard(
    'not from long ago',
    ' || age > maxAgeMs + skewMs',
    '',
    'issued an hour, two minutes and a second ago, is refused by issued_at',
  ),
  contentGuard(
    'not before',
    'if (NotBefore !== undefined && toTime(NotBefore, at).getTime() > at.getTime() + skewMs)',
    'if (false)',
    'good in two minutes and a second, is refused by conditions',
  ),
  contentGuard(
    'not on or after',
    'if (isPast(notOnOrAfter, at)) throw new Refusal(`NotOnOrAfter ${NotOnOrAfter}`, around(at))',
    '',
    'good until two minutes ago, is refused by conditions',
  ),
  contentGuard(
    'no condition that is not known',
    'if (!known.some((name) => isElement(child, ns.assertion, name)))',
    'if (false)',
    'with a condition that nobody here knows, is refused by conditions',
  ),
  contentGuard(
    'audience',
    'if (!audiences.includes(entityId))',
    'if (false)',
    'for another audience, is refused by audience',
  ),
  contentGuard(
    'an audience at all',
    'if (restrictions.length === 0)',
    'if (false)',
    'for nobody in particular, is refused by audience',
  ),
  contentGuard('recipient', 'Recipient !== acsUrl || ', '', 'for another recipient, is refused by recipient'),
  contentGuard(
    'bearer',
    ".filter(({ attributes }) => attributes.Method === 'urn:oasis:names:tc:SAML:2.0:cm:bearer')",
    '',
    'confirmed by the holder of a key, is refused by recipient',
  ),
  contentGuard(
    'confirmed until',
    'if (!isPast(notOnOrAfter, at)) return {',
    'return {',
    'confirmed until two minutes ago, is refused by recipient',
  ),
  contentGuard(
    'no confirmation from a time on',
    ' || NotBefore !== undefined',
    '',
    'confirmed from a time on, is refused by recipient',
  ),
  contentGuard(
    'length of a NameID',
    'if (nameId.length > maxNameIdLength)',
    'if (false)',
    'with a NameID of 513 characters, is refused by subject',
  ),
  contentGuard(
    'no name that is another each time',
    'if (format === transient)',
    'if (false)',
    'with a NameID that is another at each sign-in, is refused by subject',
  ),
  contentGuard(
    'end of a session',
    'if (end !== undefined && isPast(toTime(end, at), at))',
    'if (false)',
    'of a session that has ended two minutes ago, is refused by conditions',
  ),
  contentGuard(
    'signed in before now',
    'return claimed < at ? claimed : at',
    'return claimed',
    'signed in later than now, was signed in now',
  ),
  contentGuard(
    'letters of a name',
    'trimmed(element.text)',
    'element.text.trim()',
    'keeps the spaces of a name that are none of XML',
    tree,
  ),
  contentGuard(
    'in response to, in both places',
    'if ((outside ?? null) !== inResponseTo)',
    'if (false)',
    'whose envelope answers another request outside, is refused by in_response_to',
    validation,
  ),

  guard({
    name: 'saml: metadata of one identity provider',
    file: metadata,
    find: "if (others.length > 0) throw new MetadataFault('several_identity_providers')",
    replace: '',
    red: ofMetadata('of two identity providers are refused as several_identity_providers'),
    green: ofMetadata('give its entity ID, its addresses and its certificates'),
  }),
  guard({
    name: 'saml: how many certificates in metadata are read',
    file: metadata,
    find: 'if (count > maxListed)',
    replace: 'if (false)',
    red: ofMetadata('with as many certificates as a file holds are refused without comparing each with each'),
    green: ofMetadata('give its entity ID, its addresses and its certificates'),
  }),
  guard({
    name: 'saml: length of a key in metadata',
    file: metadata,
    find: "if (ofRsa.some(isShort)) throw new MetadataFault('key_too_short')",
    replace: '',
    red: ofMetadata('with a key of 1,024 bits are refused as key_too_short'),
    green: ofMetadata('give its entity ID, its addresses and its certificates'),
  }),
  guard({
    name: 'saml: address in metadata',
    file: metadata,
    find: "protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))",
    replace: 'true',
    red: ofMetadata('with an address that is a script are refused as address_not_https'),
    green: ofMetadata('give its entity ID, its addresses and its certificates'),
  }),
]
