import { guard } from './guard.js'
import { content, forged, isTaken, wrapped } from './saml-response-tests.js'

const tree = 'server/src/sso/saml/xml-tree.ts'
const document = 'server/src/sso/saml/response-document.ts'
const responseForm = 'server/src/sso/saml/response-form.ts'
const signatureForm = 'server/src/sso/saml/signature-form.ts'

function formGuard(name: string, file: string, find: string, replace: string, red = forged(name)) {
  return guard({ name: `saml: ${name}`, file, find, replace, red, green: isTaken })
}

/** How the document of a SAML response has to be made before anything in it is believed. */
export const samlDocumentGuards = [
  formGuard(
    'no document type',
    tree,
    "if (/<!(?!--)/.test(text)) refuse('markup', 'a document type or CDATA')",
    '',
    forged('with a document type, is refused by document'),
  ),
  guard({
    name: 'saml: one declaration of XML',
    file: tree,
    find: 'if (/^<\\?xml[ \\t\\r\\n]/.test(text.slice(declaration.length)))',
    replace: 'if (false)',
    also: [
      {
        file: document,
        find: 'import { isElement, readXmlBody, walk,',
        replace: 'import { isElement, readXmlTree as readXmlBody, walk,',
      },
    ],
    red: content('after two declarations, is refused by document, as xmlsec1 refuses it'),
    green: isTaken,
  }),
  formGuard(
    'one byte order mark',
    tree,
    "if (text.startsWith('\\uFEFF')) refuse('form', 'a second byte order mark')",
    '',
    content('after two byte order marks, is refused by document, as xmlsec1 refuses it'),
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
    "if (bytes.length > maxBytes) throw new CheckRefusal('more than 256 kB')",
    '',
    forged('whose form field is longer than 256 kB, is refused by encoding'),
  ),
  formGuard(
    'UTF-8',
    document,
    "new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })",
    "new TextDecoder('utf-8', { ignoreBOM: true })",
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
    "if (ids.has(value)) throw new CheckRefusal('two elements with one ID')",
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
]
