import { guard } from './guard.js'
import { content, isTaken } from './saml-response-tests.js'

const tree = 'server/src/sso/saml/xml-tree.ts'
const assertion = 'server/src/sso/saml/assertion.ts'

/** A check on what the signed assertion says: each alone. */
function contentGuard(name: string, find: string, replace: string, title: string, file = assertion) {
  return guard({ name: `saml: ${name}`, file, find, replace, red: content(title), green: isTaken })
}

/** What a proved assertion, and the response around it, must say. */
export const samlAssertionGuards = [
  contentGuard(
    'times in UTC',
    '(Z|\\+00:00)$/',
    '(Z|[+-]\\d\\d:\\d\\d)$/',
    'issued at a time of another zone, is refused by issued_at',
  ),
  contentGuard(
    'letters of a name',
    'trimmed(element.text)',
    'element.text.trim()',
    'keeps the spaces of a name that are none of XML',
    tree,
  ),
]
