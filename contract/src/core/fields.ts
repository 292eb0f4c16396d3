import { z } from 'zod/v4'
// Sets the messages of validation faults wherever a field is parsed.
import './fault-messages.js'

/** The metadata key that marks a field as secret or personal data. */
export const sensitivityKey = 'x-sensitivity'
export type Sensitivity = 'secret' | 'personal'

/** The metadata key of a field's published schema, where the field also accepts other forms. */
export const publishedKey = 'x-published'

/** Publishes one form of a field that accepts several, such as text of a form beside JSON's own types. */
function published<T extends z.ZodType>(schema: T, as: Record<string, unknown>): T {
  return schema.meta({ [publishedKey]: as })
}

/** A field never stored in clear, logged or copied to an event. Only optional() and nullable() may wrap the result. */
export function secret<T extends z.ZodType>(schema: T): T {
  return schema.meta({ [sensitivityKey]: 'secret' })
}

/** A field with personal data: erased with the person, and kept out of logs. */
export function personal<T extends z.ZodType>(schema: T): T {
  return schema.meta({ [sensitivityKey]: 'personal' })
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The identifier of a record in an answer: a UUID in lower case. */
export function id() {
  return z.string().regex(uuidPattern).meta({ format: 'uuid', description: 'UUID in lower case' })
}

/** A reference to a record in a body: a UUID in any case, also with a prefix such as app_<uuid>. */
export function reference() {
  return z
    .string()
    .transform((text) => text.toLowerCase().split('_').at(-1) ?? '')
    .pipe(z.string().regex(uuidPattern, 'must be a UUID'))
    .meta({ format: 'uuid', description: 'UUID' })
}

/** The id of no record: UUIDs of versions 4 and 7 are never zero. */
export const nilId = '00000000-0000-0000-0000-000000000000'

/** A record's id in a path. A malformed id is read as nilId, so it gets the 404 of an unknown one. */
export function pathId() {
  return z
    .string()
    .transform((text) => {
      const candidate = text.toLowerCase().split('_').at(-1) ?? ''
      return uuidPattern.test(candidate) ? candidate : nilId
    })
    .meta({ format: 'uuid', description: 'UUID' })
}

/** The form of a slug. */
export const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
/** The most characters of a slug. */
export const maxSlugLength = 120

/** The domain of an organization or account: lower-case words joined by dashes, at most 120 characters, immutable. */
export function slug() {
  return z.string().max(maxSlugLength).regex(slugPattern, 'must be lower-case words joined by dashes')
}

/** A domain in a path. A malformed one is read as the empty string, which matches no organization and no account. */
function pathSlug() {
  return z.string().transform((text) => (text.length <= maxSlugLength && slugPattern.test(text) ? text : ''))
}

/** The organization in a path. */
export const OrganizationPath = z.object({ org_domain: pathSlug().describe('Domain of the organization') })

/** The account in a path. */
export const AccountPath = z.object({
  account_domain: pathSlug().meta({ description: 'Domain of the account', examples: ['acme'] }),
})

export const UserPath = OrganizationPath.extend({ user_id: pathId() })

// The grammar of input type=email (HTML), which has neither quoted local parts nor comments nor control characters.
const emailPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/

/** An e-mail address of at most 254 characters (RFC 5321 section 4.5.3.1), its domain with a dot. */
export function email() {
  return z
    .string()
    .max(254)
    .regex(emailPattern, 'must be an e-mail address such as ada@example.com')
    .meta({ format: 'email' })
}

/** An e-mail address in a path. A malformed one is read as the empty string, which matches no user. */
export function pathEmail() {
  return z.string().transform((text) => (text.length <= 254 && emailPattern.test(text) ? text : ''))
}

/** A DNS domain in lower case; accepted in any case. */
export function domainName() {
  return z
    .string()
    .transform((name) => name.toLowerCase())
    .pipe(
      z
        .string()
        .max(253)
        .regex(
          /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/,
          'must be a domain such as example.com',
        ),
    )
}

/** An instant in UTC: RFC 3339 with milliseconds and Z. */
export function timestamp() {
  return z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    .meta({ format: 'date-time', description: 'RFC 3339 in UTC with milliseconds' })
}

/** A boolean in JSON; also the text true or false in a form. */
export function flag() {
  const words = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] })
  return published(z.union([z.boolean(), words], { error: 'must be true or false' }), { type: 'boolean' })
}

/** A whole number in JSON; also its digits in a form. */
export function integer(bounds: { min: number; max: number }) {
  const whole = z.number().int().min(bounds.min).max(bounds.max)
  const digits = z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(whole)
  const error = `must be a whole number from ${bounds.min} to ${bounds.max}`
  return published(z.union([whole, digits], { error }), {
    type: 'integer',
    minimum: bounds.min,
    maximum: bounds.max,
  })
}

/**
 * Any JSON value. Named, because the schema is recursive; published as an unconstrained schema, because many type
 * generators fail on a purely recursive one.
 */
export const JsonValue = z
  .json()
  .register(z.globalRegistry, { id: 'JsonValue', description: 'Any JSON value', [publishedKey]: {} })

/** Text; bounds count Unicode characters. */
export function text(max: number, min = 0) {
  return z.string().min(min).max(max)
}

/** An absolute https URL of at most 2,000 characters without credentials. */
export function httpsUrl() {
  return z
    .string()
    .max(2000)
    .refine(isHttpsUrl, 'must be an https URL without user name or password')
    .meta({ format: 'uri', description: 'An https URL' })
}

function isHttpsUrl(text: string): boolean {
  if (!/^https:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false
  const url = new URL(text)
  return url.username === '' && url.password === ''
}

/** A URL; further rules depend on the environment and are checked where it is used. */
export function url() {
  return z.string().min(1).max(2000).meta({ format: 'uri' })
}

/** A language tag of BCP 47, answered in its canonical form; en_US is read as en-US. */
export function locale() {
  return z
    .string()
    .max(35)
    .transform((tag, context) => {
      const canonical = canonicalLocale(tag)
      if (canonical !== undefined) return canonical
      context.addIssue({ code: 'custom', message: 'must be a BCP 47 language tag such as en or fr-FR' })
      return z.NEVER
    })
    .describe('BCP 47 language tag, for example fr-FR')
}

function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}

const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])

/** A time zone of the IANA database, such as Europe/Paris, or UTC. */
export function timeZone() {
  return z
    .string()
    .refine((zone) => zones.has(zone), 'must be an IANA time zone such as Europe/Paris, or UTC')
    .describe('IANA time zone, for example Europe/Paris, or UTC')
}

/** A telephone number in E.164 form. */
export function phone() {
  return z
    .string()
    .regex(/^\+[1-9]\d{6,14}$/, 'must be in E.164 form, such as +33612345678')
    .describe('E.164, for example +33612345678')
}

/** A calendar date, YYYY-MM-DD, that exists. */
export function calendarDate() {
  return z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/, 'must be a date such as 1815-12-10')
    .refine(isCalendarDate, 'must be a date that exists')
    .meta({ format: 'date' })
}

export function isCalendarDate(text: string): boolean {
  const instant = Date.parse(`${text}T00:00:00.000Z`)
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text)
}

export const environments = ['sandbox', 'production'] as const
export type Environment = (typeof environments)[number]

/** The environment of a record: that of the API key. */
export function environment() {
  return z.enum(environments)
}

/** The environment as older callers send it. It must equal that of the API key, in any letter case. */
export function environmentEcho() {
  return z.string().max(20).optional().describe('Must equal the environment of the API key, in any case')
}

/** The query of a read without parameters, except the environment that older callers send. */
export const EnvironmentQuery = z.object({ environment: environmentEcho() })

/**
 * A filter of a list. Lists accept any parameters: a value that cannot match is read as null, which matches nothing,
 * so the list is never wider than the filter.
 */
export function filter<T extends z.ZodType>(schema: T) {
  return schema.nullish().catch(null)
}

/** A text filter, limited to text that a column can contain. */
export function filterText() {
  return filter(text(200).refine((value) => value.isWellFormed() && !value.includes('\0')))
}

/** Parameters of every list. Values are clamped, and never an error. */
export const PageQuery = z.object({
  page: clamped(1, 1_000_000_000, 1).describe('Page number, starting at 1'),
  current_page: clamped(1, 1_000_000_000, undefined).describe('The same as page'),
  per_page: clamped(1, 100, 25).describe('Records on a page: 1 to 100'),
  // An invalid cursor is read as the empty text, after which the list is empty.
  after: z.string().max(2000).optional().catch('').describe('next_cursor of the previous page'),
  environment: environmentEcho().catch('none'),
})
export type PageQuery = z.output<typeof PageQuery>

function clamped<Missing extends number | undefined>(min: number, max: number, missing: Missing) {
  const schema = z
    .unknown()
    // Without optional() zod requires the member.
    .optional()
    .transform((value): number | Missing => {
      const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
      if (value === '' || Number.isNaN(number)) return missing
      return Math.min(Math.max(Math.trunc(number), min), max)
    })
  return published(schema, {
    type: 'integer',
    minimum: min,
    maximum: max,
    ...(missing !== undefined && { default: missing }),
  })
}

/** An array; a single value of a form, without brackets, is read as an array of one. */
export function list<T extends z.ZodType>(items: T, max: number, min = 0) {
  const array = min === 0 ? z.array(items) : z.array(items).min(min)
  return z.preprocess((value) => (typeof value === 'string' ? [value] : value), array.max(max))
}

/** A list of known names; unknown ones are ignored. */
export function choices<const Name extends string>(names: readonly [Name, ...Name[]]) {
  const known = z.preprocess(
    (value): unknown[] => {
      const given: unknown[] = Array.isArray(value) ? value : [value]
      return given.filter((name) => names.some((choice) => choice === name))
    },
    z.array(z.enum(names)),
  )
  return published(known, { type: 'array', items: { type: 'string', enum: names } })
}

/** A number from 1 in a path; anything else is read as 0, which matches nothing. */
export function pathNumber() {
  const digits = z.string().transform((text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0))
  return published(z.union([z.number(), digits]), { type: 'integer', minimum: 1 })
}

/** Makes a POST safe to repeat (draft-ietf-httpapi-idempotency-key-header). */
export const idempotencyHeader = {
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('1 to 255 characters; repeating the request returns the same answer'),
}

/** Makes a change conditional on the record's version (RFC 9110 section 13.1.1). */
export const ifMatchHeader = {
  'if-match': z.string().optional().describe('ETag of the record as it was read'),
}
