import { CheckRefusal } from './checks.js'
import { ns } from './saml-names.js'
import { childrenOf, isElement, onlyChildOf, elementText, type XmlElement } from './xml-tree.js'

/** The content of a validated response, read only from signed bytes. */
export interface Assertion {
  readonly id: string
  readonly nameId: string
  readonly nameIdFormat: string | null
  readonly sessionIndex: string | null
  readonly authnContext: string | null
  /** The request that it answers; null for an unsolicited response. */
  readonly inResponseTo: string | null
  readonly issuedAt: Date
  readonly authenticatedAt: Date
  /** Until when a replay of the assertion would pass all other checks. */
  readonly usableUntil: Date
  /** By name; without a prototype. */
  readonly attributes: Readonly<Record<string, readonly string[]>>
}

/** Allowed difference between the clocks of identity providers and ours, in either direction. */
export const samlClockSkewMs = 2 * 60_000

/** Older assertions are refused, whatever their conditions say. */
export const maxAgeMs = 60 * 60_000

/** The root must be an assertion of SAML 2.0, with an ID. */
export function checkAssertion(root: XmlElement): void {
  if (!isElement(root, ns.assertion, 'Assertion'))
    throw new CheckRefusal(`<${root.name}>`, '<saml:Assertion>')
  if (root.attributes.Version !== '2.0')
    throw new CheckRefusal(root.attributes.Version ?? 'no version', '2.0')
  if ((root.attributes.ID ?? '') === '') throw new CheckRefusal('no ID')
}

export function checkAssertionIssuer(issuer: XmlElement | undefined, entityId: string): void {
  const received = elementText(issuer)
  if (received !== entityId) throw new CheckRefusal(received ?? 'no issuer', entityId)
}

export function checkIssuedAt(assertion: XmlElement, at: Date): Date {
  const { IssueInstant: received } = assertion.attributes
  const issuedAt = toTime(received, at)
  const age = at.getTime() - issuedAt.getTime()
  if (age < -samlClockSkewMs || age > maxAgeMs + samlClockSkewMs)
    throw new CheckRefusal(received ?? null, around(at))
  return issuedAt
}

/**
 * The assertion must be within its validity (SAML core section 2.5.1) and that of its session (2.7.2); an unknown condition
 * fails.
 */
export function checkConditions(
  assertion: XmlElement,
  at: Date,
): { readonly notOnOrAfter: Date | undefined } {
  const conditions = onlyChildOf(assertion, ns.assertion, 'Conditions')
  if (conditions === undefined) throw new CheckRefusal('no conditions')
  for (const child of conditions.children)
    if (!known.some((name) => isElement(child, ns.assertion, name)))
      throw new CheckRefusal(`the condition ${child.name}`, known.join(', '))

  for (const { attributes } of childrenOf(assertion, ns.assertion, 'AuthnStatement')) {
    const { SessionNotOnOrAfter: end } = attributes
    if (end !== undefined && isPast(toTime(end, at), at))
      throw new CheckRefusal(`SessionNotOnOrAfter ${end}`, around(at))
  }
  const { NotBefore, NotOnOrAfter } = conditions.attributes
  if (NotBefore !== undefined && toTime(NotBefore, at).getTime() > at.getTime() + samlClockSkewMs)
    throw new CheckRefusal(`NotBefore ${NotBefore}`, around(at))
  if (NotOnOrAfter === undefined) return { notOnOrAfter: undefined }
  const notOnOrAfter = toTime(NotOnOrAfter, at)
  if (isPast(notOnOrAfter, at)) throw new CheckRefusal(`NotOnOrAfter ${NotOnOrAfter}`, around(at))
  return { notOnOrAfter }
}

/** Conditions that stand beside others, in any namespace: another reader could heed others of them. */
export function hasSeveralConditions(assertion: XmlElement): boolean {
  return assertion.children.filter(({ name }) => name === 'Conditions').length > 1
}

/**
 * Whether a time is missing or unreadable: conditions with attributes must end, and so must the first confirmation with
 * data, and the assertion must be issued at a time.
 */
export function lacksTime(assertion: XmlElement): boolean {
  const named = (parents: readonly XmlElement[], of: string) =>
    parents.flatMap(({ children }) => children.filter(({ name }) => name === of))
  const confirmations = named(named([assertion], 'Subject'), 'SubjectConfirmation')
  const data = named(confirmations, 'SubjectConfirmationData').find(({ written }) => written.length > 0)
  const limits = [data, ...named([assertion], 'Conditions').filter(({ written }) => written.length > 0)]
  const times = limits.flatMap((limit) => (limit === undefined ? [] : [limit.attributes.NotOnOrAfter]))
  if (times.length === 0) return false
  return [...times, assertion.attributes.IssueInstant].some((time) => Number.isNaN(Date.parse(time ?? '')))
}

/** Every restriction must be met, each by one of its audiences (SAML core section 2.5.1.4). */
export function checkAudience(assertion: XmlElement, entityId: string): void {
  const conditions = onlyChildOf(assertion, ns.assertion, 'Conditions')
  const restrictions =
    conditions === undefined ? [] : childrenOf(conditions, ns.assertion, 'AudienceRestriction')
  if (restrictions.length === 0) throw new CheckRefusal('no AudienceRestriction', entityId)
  for (const restriction of restrictions) {
    const audiences = childrenOf(restriction, ns.assertion, 'Audience').map((audience) =>
      elementText(audience),
    )
    if (!audiences.includes(entityId)) throw new CheckRefusal(audiences.join(', '), entityId)
  }
}

/** A bearer confirmation: its expiry, and the request that it answers. */
export interface SubjectConfirmation {
  readonly notOnOrAfter: Date
  readonly inResponseTo: string | null
}

/** One matching confirmation is enough (SAML core section 2.4.1.1; profiles section 4.1.4.2). */
export function checkRecipient(assertion: XmlElement, acsUrl: string, at: Date): SubjectConfirmation {
  const subject = onlyChildOf(assertion, ns.assertion, 'Subject')
  const confirmations = subject === undefined ? [] : childrenOf(subject, ns.assertion, 'SubjectConfirmation')
  const bearer = confirmations
    .filter(({ attributes }) => attributes.Method === 'urn:oasis:names:tc:SAML:2.0:cm:bearer')
    .map(
      (confirmation) => onlyChildOf(confirmation, ns.assertion, 'SubjectConfirmationData')?.attributes ?? {},
    )
  for (const { Recipient, NotOnOrAfter, NotBefore, InResponseTo } of bearer) {
    if (Recipient !== acsUrl || NotOnOrAfter === undefined || NotBefore !== undefined) continue
    const notOnOrAfter = toTime(NotOnOrAfter, at)
    if (!isPast(notOnOrAfter, at)) return { notOnOrAfter, inResponseTo: InResponseTo ?? null }
  }
  throw new CheckRefusal(
    bearer.map(toWords).join('; ') || 'no bearer confirmation',
    `Recipient ${acsUrl}, NotOnOrAfter later than ${toInstant(at.getTime() - samlClockSkewMs)}`,
  )
}

/** Reads the subject, and how the user has authenticated. */
export function readSubject(
  assertion: XmlElement,
  at: Date,
): Pick<Assertion, 'nameId' | 'nameIdFormat' | 'sessionIndex' | 'authnContext' | 'authenticatedAt'> {
  const names = namesIn(assertion)
  if (names.length > 1) throw new CheckRefusal(`${names.length} NameIDs`, 'one')
  const [name] = names
  const nameId = elementText(name)
  if (name === undefined || nameId === undefined || nameId === '') throw new CheckRefusal('no NameID')
  if (nameId.length > maxNameIdLength) throw new CheckRefusal(`a NameID of ${nameId.length} characters`)
  const { Format: format } = name.attributes
  if (format === transient)
    throw new CheckRefusal('a NameID of the format transient', 'persistent or emailAddress')
  const [statement] = childrenOf(assertion, ns.assertion, 'AuthnStatement')
  if (statement === undefined) throw new CheckRefusal('no AuthnStatement')
  const context = onlyChildOf(statement, ns.assertion, 'AuthnContext')
  return {
    nameId,
    nameIdFormat: format ?? null,
    sessionIndex: statement.attributes.SessionIndex ?? null,
    authnContext: elementText(onlyChildOf(context, ns.assertion, 'AuthnContextClassRef')) ?? null,
    authenticatedAt: earlier(toTime(statement.attributes.AuthnInstant, at), at),
  }
}

const maxNameIdLength = 512

/** The NameID, without other checks of the subject; undefined where it is unacceptable. */
export function readNameId(assertion: XmlElement): string | undefined {
  const [name, ...others] = namesIn(assertion)
  const nameId = others.length === 0 ? elementText(name) : undefined
  return nameId !== undefined && nameId.length <= maxNameIdLength ? nameId : undefined
}

function namesIn(assertion: XmlElement): XmlElement[] {
  const subject = onlyChildOf(assertion, ns.assertion, 'Subject')
  return subject === undefined ? [] : childrenOf(subject, ns.assertion, 'NameID')
}

/** A NameID that changes at each sign-in (SAML core section 8.3.8), so that each would create another user. */
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'

/** All attributes of the assertion; empty values, and values that are not text, are left out. */
export function readAttributes(assertion: XmlElement): Assertion['attributes'] {
  const attributes: Record<string, string[]> = Object.create(null) as Record<string, string[]>
  const statements = childrenOf(assertion, ns.assertion, 'AttributeStatement')
  for (const attribute of statements.flatMap((statement) =>
    childrenOf(statement, ns.assertion, 'Attribute'),
  )) {
    const values = childrenOf(attribute, ns.assertion, 'AttributeValue').map(elementText).filter(isText)
    const { Name } = attribute.attributes
    if (Name !== undefined && values.length > 0) attributes[Name] = [...(attributes[Name] ?? []), ...values]
  }
  return attributes
}

const known = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']

function isText(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}

/** A time of SAML, which is in UTC (SAML core section 1.3.3): with Z, or with an offset of zero. */
function toTime(value: string | undefined, at: Date): Date {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/.test(value ?? '')
    ? Date.parse(value ?? '')
    : NaN
  if (Number.isNaN(time)) throw new CheckRefusal(value ?? 'no time', `a time like ${toInstant(at.getTime())}`)
  return new Date(time)
}

/** A future time is cut to now; otherwise the sign-in would count as fresh for longer. */
function earlier(claimed: Date, at: Date): Date {
  return claimed < at ? claimed : at
}

function isPast(notOnOrAfter: Date, at: Date): boolean {
  return at.getTime() - samlClockSkewMs >= notOnOrAfter.getTime()
}

function around(at: Date): string {
  return `${toInstant(at.getTime())}, two minutes allowed`
}

function toInstant(time: number): string {
  return new Date(time).toISOString()
}

function toWords(attributes: XmlElement['attributes']): string {
  const { Recipient = 'none', NotOnOrAfter = 'none', NotBefore } = attributes
  const rest = NotBefore === undefined ? '' : `, NotBefore ${NotBefore}`
  return `Recipient ${Recipient}, NotOnOrAfter ${NotOnOrAfter}${rest}`
}
