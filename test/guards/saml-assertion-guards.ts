import { guard } from './guard.js'
import { content, isTaken } from './saml-response-tests.js'

const tree = 'server/src/sso/saml/xml-tree.ts'
const assertion = 'server/src/sso/saml/assertion.ts'

/** A single check of the signed assertion's content. */
function contentGuard(name: string, find: string, replace: string, title: string, file = assertion) {
  return guard({ name: `saml: ${name}`, file, find, replace, red: content(title), green: isTaken })
}

/** Guards of the content of a validated assertion and its response. */
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
