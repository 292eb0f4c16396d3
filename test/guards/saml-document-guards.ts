import { guard } from './guard.js'
import { content, forged, isTaken, wrapped } from './saml-response-tests.js'

const tree = 'server/src/sso/saml/xml-tree.ts'
const document = 'server/src/sso/saml/response-document.ts'
const responseForm = 'server/src/sso/saml/response-form.ts'

function formGuard(name: string, file: string, find: string, replace: string, red = forged(name)) {
  return guard({ name: `saml: ${name}`, file, find, replace, red, green: isTaken })
}

/** How the document of a SAML response has to be made before anything in it is believed. */
export const samlDocumentGuards = [
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
    'status',
    responseForm,
    'if (codes.length === 1 && codes[0] === success) return',
    'return',
    content('of an identity provider that has refused, is refused by status, in its words'),
  ),
]
