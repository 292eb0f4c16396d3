import { guard } from './guard.js'
import { content, isTaken } from './saml-response-tests.js'

const tree = 'server/src/sso/saml/xml-tree.ts'
const validation = 'server/src/sso/saml/validate-response.ts'
const assertion = 'server/src/sso/saml/assertion.ts'

/** A check on what the signed assertion says: each alone. */
function contentGuard(name: string, find: string, replace: string, title: string, file = assertion) {
  return guard({ name: `saml: ${name}`, file, find, replace, red: content(title), green: isTaken })
}

/** What a proved assertion, and the response around it, must say. */
export const samlAssertionGuards = [
  contentGuard(
    'issuer of the response',
    'if (issuer !== undefined) checkAssertionIssuer(issuer, identityProvider.entityId)',
    '',
    'whose envelope is from another issuer, is refused by response_issuer',
    validation,
  ),
  contentGuard(
    'destination',
    'if (received !== acsUrl) throw new CheckRefusal(received ?? ',
    'if (received === undefined) throw new CheckRefusal(received ?? ',
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
    'times in UTC',
    '(Z|\\+00:00)$/',
    '(Z|[+-]\\d\\d:\\d\\d)$/',
    'issued at a time of another zone, is refused by issued_at',
  ),
  contentGuard(
    'one NameID',
    "if (names.length > 1) throw new CheckRefusal(`${names.length} NameIDs`, 'one')",
    '',
    'with two NameIDs, is refused by subject',
  ),
  contentGuard(
    'not from the future',
    'age < -samlClockSkewMs || ',
    '',
    'issued in two minutes and a second, is refused by issued_at',
  ),
  contentGuard(
    'not from long ago',
    ' || age > maxAgeMs + samlClockSkewMs',
    '',
    'issued an hour, two minutes and a second ago, is refused by issued_at',
  ),
  contentGuard(
    'not before',
    'if (NotBefore !== undefined && toTime(NotBefore, at).getTime() > at.getTime() + samlClockSkewMs)',
    'if (false)',
    'good in two minutes and a second, is refused by conditions',
  ),
  contentGuard(
    'not on or after',
    'if (isPast(notOnOrAfter, at)) throw new CheckRefusal(`NotOnOrAfter ${NotOnOrAfter}`, around(at))',
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
]
