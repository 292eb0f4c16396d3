import { isIP } from 'node:net'
import { countryCodes } from '@portico/contract/countries'
import { secret, sensitivityKey } from '@portico/contract/fields'
import { z } from 'zod/v4'
import { parseMasterKeys } from '../crypto/seal.js'
import { isLoopbackHost } from '../loopback.js'
import { isNetwork } from '../outbound/address.js'
import { readCells } from './cells.js'

const count = (fallback: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be a whole number, 1 or more')
    .transform(Number)
    .default(fallback)

const port = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port from 0 to 65535')
    .transform(Number)
    .refine((number) => number <= 65_535, 'must be a port from 0 to 65535')
    .default(fallback)

const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must be an address such as postgres://user:password@host:5432/database')
  .optional()

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` })

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((item) => item.trim() || []))

/** What the product of an account is called while nobody has named it. */
export const defaultProductName = 'Portico'

/** A name may be quoted; a comma outside of quotes would make two senders of it (RFC 5322 section 3.4). */
const senderPattern = /^(?:"[^"\r\n]*" *|[^"<>,\r\n]*)<[^\s<>@,]+@[^\s<>@,]+>$|^[^\s<>@,]+@[^\s<>@,]+$/

/** Whether Express accepts the text as a proxy: an address, a network, or one of its names for networks. */
function isProxy(text: string): boolean {
  const [address = '', prefix] = text.split('/')
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  return isIP(address) !== 0 && (prefix === undefined || /^\d{1,3}$/.test(prefix))
}

/** Whether the text is the address of a name server, with or without a port. */
function isNameServer(text: string): boolean {
  const { host, bare } =
    /^\[?(?<host>[0-9a-f:.]+?)\]?(?::\d{1,5})?$|^(?<bare>[0-9a-f:.]+)$/i.exec(text)?.groups ?? {}
  return isIP(text) !== 0 || isIP(host ?? '') !== 0 || isIP(bare ?? '') !== 0
}

/** The fault of a list of master keys, without quoting a key; undefined without a fault. */
function faultOfMasterKeys(text: string): string | undefined {
  try {
    parseMasterKeys(text)
    return undefined
  } catch (error) {
    return `cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A provider with Twilio's API, and the account there. */
export interface SmsProvider {
  readonly accountSid: string
  readonly authToken: string
  /** A number of the account, or a name that it may send under. */
  readonly from: string
  /** Scheme, host and port. */
  readonly origin: string
}

/** The provider of text messages that an SMS_URL names; undefined when the URL names no provider. */
export function readSmsUrl(text: string): SmsProvider | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, origin, pathname, hash, username, password, searchParams } = new URL(text)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  const [from = '', ...others] = searchParams.getAll('from')
  const [accountSid, authToken] = [decoded(username), decoded(password)]
  const isWhole =
    from !== '' && others.length === 0 && searchParams.size === 1 && pathname === '/' && hash === ''
  return isSafe && isWhole && accountSid && authToken ? { accountSid, authToken, from, origin } : undefined
}

/** HTTP headers as OTEL_EXPORTER_OTLP_HEADERS lists them; undefined when one is none. */
function readHeaders(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').map((pair) => {
    const { name, value = '' } =
      /^\s*(?<name>[\w!#$%&'*+.^`|~-]+)\s*=\s*(?<value>.*?)\s*$/.exec(pair)?.groups ?? {}
    return [name, decoded(value)] as const
  })
  const headers = pairs.flatMap(([name, value]) =>
    name !== undefined && value !== undefined && /^[\x20-\x7e]+$/.test(value) ? [[name, value] as const] : [],
  )
  return headers.length === pairs.length ? Object.fromEntries(headers) : undefined
}

/** Decodes a part of a URL; undefined when its percent-encoding is malformed. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

const noCollector = 'must be an address such as http://localhost:4318, without user name, query and fragment'

/** Every variable the service reads. `.env.example` lists them for operators; a test compares the two. */
export const Variables = z.object({
  PORT: port(3000).describe('Port of the API and the pages'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an address such as https://auth.example.com' })
    .optional()
    .describe('Public address; links and token issuers are built from it. Default: http://localhost:PORT'),
  DATA_DIR: z
    .string()
    .default('.data')
    .describe('Where the embedded database and generated secrets are kept'),
  DATABASE_URL: secret(databaseUrl).describe('Postgres 15 or newer. Unset: an embedded one under DATA_DIR'),
  DATABASE_DIRECT_URL: secret(databaseUrl).describe('For migrations when DATABASE_URL goes through a pooler'),
  DATABASE_READ_URL: secret(databaseUrl).describe('A streaming replica for lists of the API'),
  CELLS: secret(
    z
      .string()
      .transform((text, { addIssue }) => {
        const read = readCells(text)
        if ('cells' in read) return read.cells
        addIssue({ code: 'custom', message: read.fault })
        return z.NEVER
      })
      .optional(),
  ).describe(
    'Several databases in place of DATABASE_URL, each with the whole of some accounts: a list in JSON, best in a file that CELLS_FILE names',
  ),
  READ_MAX_LAG_MS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, 'must be milliseconds from 1 to 60000')
    .transform(Number)
    .refine((ms) => ms <= 60_000, 'must be milliseconds from 1 to 60000')
    .default(1000)
    .describe('How old what the replica answers may be, in milliseconds; the primary answers instead'),
  DATABASE_POOL_SIZE: count(10).describe('Connections per process'),
  DATABASE_POOLER: oneOf(['none', 'transaction'])
    .default('none')
    .describe('transaction: DATABASE_URL is a pooler in transaction mode; needs DATABASE_DIRECT_URL'),
  DB_PREPARED: oneOf(['on', 'off'])
    .optional()
    .describe('off: no named statements. Default: on, and off with DATABASE_POOLER=transaction'),
  MASTER_KEYS: secret(
    z
      .string()
      .superRefine((text, { addIssue }) => {
        const message = faultOfMasterKeys(text)
        if (message !== undefined) addIssue({ code: 'custom', message })
      })
      .optional(),
  ).describe('v1:<32 bytes in base64>, newest first; made in DATA_DIR outside production'),
  SMTP_URL: secret(
    z
      .string()
      .regex(/^smtps?:\/\//, 'must be an address such as smtps://user:password@mail.example.com')
      .optional(),
  ).describe('Where mail is sent'),
  MAIL_FROM: z
    .string()
    .regex(senderPattern, 'must be an e-mail address, or a name and one in angle brackets')
    .default('Portico <no-reply@localhost>')
    .describe('Sender of mail'),
  SMS_URL: secret(
    z
      .string()
      .refine(
        (text) => readSmsUrl(text) !== undefined,
        'must be an address such as https://account-sid:auth-token@api.twilio.com?from=%2B15005550006, or http on this machine',
      )
      .optional(),
  ).describe('Where text messages are sent: a provider that speaks as Twilio does'),
  SMS_COUNTRIES: list
    .refine(
      (countries) => countries.every((country) => countryCodes.has(country)),
      'must be codes of ISO 3166-1 such as FR,US, commas between',
    )
    .describe('Countries whose numbers get text messages, commas between; required with SMS_URL'),
  PRODUCT_NAME: z
    .string()
    .default(defaultProductName)
    .describe('How mails and pages call the product of an account that has not named it'),
  SANDBOX_MAIL: oneOf(['keep', 'send'])
    .default('keep')
    .describe('keep: sandbox mail stays in the outbox; send: it is sent like any other'),
  TRUSTED_PROXIES: list
    .refine(
      (proxies) => proxies.every(isProxy),
      'must be addresses or networks such as 10.0.0.0/8, commas between',
    )
    .describe('Addresses whose X-Forwarded-* headers are believed, commas between'),
  OUTBOUND_ALLOW: list
    .refine(
      (networks) => networks.every(isNetwork),
      'must be addresses or networks such as 10.0.0.0/8, commas between',
    )
    .describe(
      'Private networks that webhooks, logout tokens and other calls may go to, commas between; outside production over http too',
    ),
  DNS_SERVERS: list
    .refine(
      (servers) => servers.every(isNameServer),
      'must be addresses such as 10.0.0.2, 10.0.0.2:53 or [2001:db8::2]:53, commas between',
    )
    .describe(
      'Name servers that are asked for the records of domains, commas between. Unset: those of the system',
    ),
  DOMAIN_CHALLENGE_LABEL: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,50}[a-z0-9])?$/, 'must be lower-case letters, digits and dashes')
    .default('portico')
    .describe('Domains are proved by records at _<label>-challenge.<domain>'),
  PASSKEY_RP_ID: z
    .string()
    .regex(/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/, 'must be a domain such as example.com, in lower case')
    .optional()
    .describe(
      'Domain that passkeys are bound to: the host of BASE_URL, or a parent of it. Unset: the host. A change ends every passkey',
    ),
  BREACH_CHECK_URL: z
    .string()
    .regex(
      /^https:\/\/[^?#]+$|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/[^?#]*)?$/,
      'must be an https address such as https://api.pwnedpasswords.com/range',
    )
    .optional()
    .describe(
      'Asked for passwords of known breaches, by five characters of a digest. Unset: nobody is asked',
    ),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address that /metrics listens on; it asks nobody who they are'),
  METRICS_PORT: port(9464).describe('Port of /metrics; 0: any free one'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .regex(/^https?:\/\/[^\s?#@]+$/, noCollector)
    .refine((text) => URL.canParse(text), noCollector)
    .optional()
    .describe('Collector that gets traces by OTLP over HTTP, without /v1/traces. Unset: none are made'),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    z
      .string()
      .transform((text, { addIssue }) => {
        const headers = readHeaders(text)
        if (headers !== undefined) return headers
        addIssue({
          code: 'custom',
          message: 'must be headers such as authorization=Bearer%20…, commas between',
        })
        return z.NEVER
      })
      .optional(),
  ).describe('Headers for it: name=value, percent-encoded, commas between'),
  OTEL_TRACES_SAMPLER: oneOf([
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
    'always_on',
    'always_off',
    'traceidratio',
  ])
    .default('parentbased_always_on')
    .describe(
      'Which requests are traced, as OpenTelemetry names it; parentbased: as their callers say, within bounds',
    ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0?\.\d{1,9}|0(?:\.0+)?|1(?:\.0+)?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1)
    .describe('The share of requests that are traced, from 0 to 1, by a sampler with traceidratio'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('One JSON line per event at this level or above'),
  LOG_RETENTION_DAYS: count(365).describe('How long log events of sign-ins and token exchanges are kept'),
  DELETED_RETENTION_DAYS: count(30).describe(
    'How long deleted users, applications and organizations are kept before they are erased',
  ),
  SIGNING_KEY_ROTATION_DAYS: z
    .string()
    .regex(/^(?:0|[1-9]\d{0,3})$/, 'must be a whole number of days, or 0 for never')
    .transform(Number)
    .default(90)
    .describe('How long a signing key signs before the next one does; 0: until portico keys rotate'),
  API_RATE_PER_MINUTE: count(6000).describe('Requests of one API key per minute and process'),
  SCIM_RATE_PER_SECOND: count(25).describe(
    'Requests of the provider of one directory per second and process',
  ),
  SIGN_IN_ATTEMPTS_PER_ADDRESS: count(5).describe(
    'Attempts to sign in at one address of an organization in 15 minutes; the last one locks it',
  ),
  SIGN_IN_LOCK_MINUTES: count(15).describe(
    'How long the first lock of an address lasts; each further one within a day twice as long',
  ),
  SIGN_IN_MAX_LOCK_MINUTES: count(240).describe('How long a lock lasts at most'),
  SIGN_IN_RATE_PER_MINUTE: count(600).describe(
    'Attempts to sign in per minute at an organization, in each environment',
  ),
  SIGN_IN_ATTEMPTS_PER_IP: count(30).describe(
    'Passwords and codes sent to the pages from one IP address, or one /64 of IPv6, in 15 minutes',
  ),
  SIGN_INS_BEGUN_PER_IP: count(300).describe(
    'Sign-ins that one IP address, or one /64 of IPv6, begins on the pages in 15 minutes; as often it may go to identity providers',
  ),
  SAML_FAILURES_PER_IP: count(300).describe(
    'SAML responses of one IP address, or one /64 of IPv6, to one SSO connection that may be refused in 15 minutes',
  ),
  MAILS_PER_ADDRESS: count(3).describe(
    'Sign-in mails, and notices of forced enrolments, to one address of an organization in 15 minutes; ten times as many where the sandbox keeps its mail',
  ),
  INVITATIONS_PER_DAY: count(500).describe(
    'Invitations that one organization creates within a day, in each environment',
  ),
  MAILS_PER_IP: count(20).describe(
    'Mails that our pages send per hour for one IP address, of IPv6 for a network of /64; ten times as many where the sandbox keeps its mail',
  ),
  SMS_PER_HOUR: count(3).describe('Text messages per hour to one user, and to one number'),
  SMS_PER_ORGANIZATION_PER_HOUR: count(200).describe(
    'Text messages per hour of one organization, in each environment',
  ),
  FAILED_GRANTS_PER_MINUTE: count(60).describe(
    'Client credentials, and codes and refresh tokens without them, of one IP address, or IPv6 /64, that may be refused per minute',
  ),
  DRAIN_SECONDS: count(10).describe('How long a stopping process waits for requests and jobs'),
  NODE_ENV: z.string().optional(),
})

/** The settings that are secrets or have one inside. Each may be given by a file, too (readSecretFiles). */
export const secretVariables: readonly string[] = Object.entries(Variables.shape).flatMap(([name, schema]) =>
  z.globalRegistry.get(schema)?.[sensitivityKey] === 'secret' ? [name] : [],
)
