import { guard } from './guard.js'
import { content, isTaken } from './saml-response-tests.js'

const tree = 'server/src/sso/saml/xml-tree.ts'
const document = 'server/src/sso/saml/response-document.ts'

/** Guards of the form of a SAML response, before any of its content is used. */
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
]
