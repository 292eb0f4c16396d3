import type { z } from 'zod/v4'
import { isLoopbackHost } from '../loopback.js'
import type { OutboundRules } from '../outbound/target.js'
import { readSmsUrl, Variables, type SmsProvider } from './variables.js'

type Values = z.output<typeof Variables>

export interface Config {
  readonly port: number
  readonly host: string
  /** Public address without a trailing slash. */
  readonly baseUrl: string
  readonly isHttps: boolean
  /** Production rules apply whenever the service can be reached from elsewhere. */
  readonly isProduction: boolean
  /** An answer that does not fit the contract is an error here, instead of being stripped. */
  readonly isStrict: boolean
  readonly dataDir: string
  readonly database: {
    /** Undefined: the embedded one. */
    readonly url: string | undefined
    readonly directUrl: string | undefined
    readonly readUrl: string | undefined
    readonly poolSize: number
    readonly hasNamedStatements: boolean
  }
  readonly masterKeys: string | undefined
  readonly mail: {
    readonly smtpUrl: string | undefined
    readonly from: string
    readonly isSandboxKept: boolean
  }
  readonly sms: {
    /** Undefined: none is sent. */
    readonly provider: SmsProvider | undefined
    /** ISO 3166-1 alpha-2. */
    readonly countries: readonly string[]
  }
  readonly productName: string
  readonly trustedProxies: readonly string[]
  readonly outbound: OutboundRules
  /** Undefined: passwords are not checked against breaches. */
  readonly breachCheckUrl: string | undefined
  readonly metricsHost: string
  readonly metricsPort: number
  readonly logLevel: Values['LOG_LEVEL']
  readonly logRetentionDays: number
  readonly deletedRetentionDays: number
  readonly apiRatePerMinute: number
  /** Per directory. */
  readonly scimRatePerSecond: number
  readonly limits: {
    readonly attemptsPerAddress: number
    /** Per organization. */
    readonly attemptsPerMinute: number
    readonly lockSeconds: number
    readonly maxLockSeconds: number
    readonly mailsPerAddress: number
    /** Per hour. */
    readonly mailsPerIp: number
    /** Per network on the pages, in 15 minutes. */
    readonly attemptsPerIp: number
    /** Per network, in 15 minutes. */
    readonly flowsPerIp: number
    /** Per network and connection, in 15 minutes. */
    readonly samlFailuresPerIp: number
    readonly smsPerHour: number
    /** Per hour. */
    readonly smsPerOrganization: number
    /** Per network. */
    readonly failedGrantsPerMinute: number
  }
  readonly drainMs: number
}

/** The faults of a configuration, all together. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly faults: readonly string[]) {
    super(['The configuration cannot be used:', ...faults.map((fault) => `  - ${fault}`)].join('\n'))
  }
}

/**
 * Reads the configuration from the environment, once.
 *
 * @throws ConfigError naming every fault and what would be right.
 */
export function readConfig(variables: Record<string, string | undefined> = process.env): Config {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const { values, malformed } = parse(present)
  const address = new URL(values.BASE_URL ?? `http://localhost:${values.PORT}`)
  // The origin as clients write it: issuers are compared character by character.
  const baseUrl = address.origin
  const isHttps = address.protocol === 'https:'
  const host = malformed.has('BASE_URL') ? intendedHost(present['BASE_URL'] ?? '') : address.hostname
  const isBaseLoopback = isLoopbackHost(host)
  const isProduction = !isBaseLoopback || !(isLoopbackHost(values.HOST) || values.HOST === '::1')

  const faults = [
    ...[...malformed].map(([name, message]) => `${name} ${message}`),
    ...(malformed.has('BASE_URL') ? [] : addressFaults(address, { isHttps, isBaseLoopback, isProduction })),
    ...(isProduction ? productionFaults(present) : []),
    ...(present['SMS_URL'] !== undefined && present['SMS_COUNTRIES'] === undefined ? [unboundedSms] : []),
  ]
  if (faults.length > 0) throw new ConfigError(faults)

  return Object.freeze({
    port: values.PORT,
    host: values.HOST,
    baseUrl,
    isHttps,
    isProduction,
    isStrict: !isProduction && values.NODE_ENV !== 'production',
    dataDir: values.DATA_DIR,
    database: {
      url: values.DATABASE_URL,
      directUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
      readUrl: values.DATABASE_READ_URL,
      poolSize: values.DATABASE_POOL_SIZE,
      hasNamedStatements: values.DB_PREPARED === 'on',
    },
    masterKeys: values.MASTER_KEYS,
    mail: {
      smtpUrl: values.SMTP_URL,
      from: values.MAIL_FROM,
      isSandboxKept: values.SANDBOX_MAIL === 'keep',
    },
    sms: {
      provider: values.SMS_URL === undefined ? undefined : readSmsUrl(values.SMS_URL),
      countries: values.SMS_COUNTRIES,
    },
    productName: values.PRODUCT_NAME,
    trustedProxies: values.TRUSTED_PROXIES,
    outbound: { allowed: values.OUTBOUND_ALLOW, isHttpAllowed: !isProduction },
    breachCheckUrl: values.BREACH_CHECK_URL,
    metricsHost: values.METRICS_HOST,
    metricsPort: values.METRICS_PORT,
    logLevel: values.LOG_LEVEL,
    logRetentionDays: values.LOG_RETENTION_DAYS,
    deletedRetentionDays: values.DELETED_RETENTION_DAYS,
    apiRatePerMinute: values.API_RATE_PER_MINUTE,
    scimRatePerSecond: values.SCIM_RATE_PER_SECOND,
    limits: {
      attemptsPerAddress: values.SIGN_IN_ATTEMPTS_PER_ADDRESS,
      attemptsPerMinute: values.SIGN_IN_RATE_PER_MINUTE,
      lockSeconds: values.SIGN_IN_LOCK_MINUTES * 60,
      maxLockSeconds: values.SIGN_IN_MAX_LOCK_MINUTES * 60,
      mailsPerAddress: values.MAILS_PER_ADDRESS,
      mailsPerIp: values.MAILS_PER_IP,
      attemptsPerIp: values.SIGN_IN_ATTEMPTS_PER_IP,
      flowsPerIp: values.SIGN_INS_BEGUN_PER_IP,
      samlFailuresPerIp: values.SAML_FAILURES_PER_IP,
      smsPerHour: values.SMS_PER_HOUR,
      smsPerOrganization: values.SMS_PER_ORGANIZATION_PER_HOUR,
      failedGrantsPerMinute: values.FAILED_GRANTS_PER_MINUTE,
    },
    drainMs: values.DRAIN_SECONDS * 1000,
  })
}

/** The secret of an API key for a command that calls the service as a client: never an argument, which others can see. */
export function readClientSecret(variables: Present): string | undefined {
  return variables['PORTICO_CLIENT_SECRET'] || undefined
}

type Present = Readonly<Record<string, string | undefined>>

/** The values, with the default in place of each that is malformed, so that one fault does not hide another. */
function parse(present: Present): { values: Values; malformed: ReadonlyMap<string, string> } {
  const { data, error } = Variables.safeParse(present)
  const malformed = new Map(error?.issues.map(({ path, message }) => [path.join('.'), message]))
  const wellFormed = Object.entries(present).filter(([name]) => !malformed.has(name))
  return { values: data ?? Variables.parse(Object.fromEntries(wellFormed)), malformed }
}

/** The host of an address with a missing or wrong scheme or an invalid port: it decides whether production rules apply. */
function intendedHost(text: string): string {
  const { host = '' } = /^([a-z][a-z\d+.-]*:\/\/)?(?<host>\[[^\]]*\]|[^/?#:]*)/i.exec(text)?.groups ?? {}
  return host.toLowerCase()
}

const unboundedSms =
  'SMS_COUNTRIES must list the countries of your users because SMS_URL is set: a message to another one may cost a lot'

const becauseReachable = 'because BASE_URL or HOST is not loopback'

function addressFaults(
  address: URL,
  { isHttps, isBaseLoopback, isProduction }: Record<'isHttps' | 'isBaseLoopback' | 'isProduction', boolean>,
): string[] {
  const faults: string[] = []
  if (!isHttps && !isBaseLoopback)
    faults.push('BASE_URL must be https, or http on localhost, 127.0.0.1 or [::1]')
  if (address.href !== `${address.origin}/`)
    faults.push('BASE_URL must be scheme, host and port alone: no path, query, fragment or user name')
  if (isProduction && isBaseLoopback)
    faults.push(`BASE_URL must be the public https address ${becauseReachable}`)
  return faults
}

/** The variables that production requires and that are missing; malformed ones are reported by their schema. */
function productionFaults(present: Present): string[] {
  const needed = {
    DATABASE_URL: `must name a Postgres database ${becauseReachable}; the embedded one is for evaluation`,
    MASTER_KEYS: `must be set ${becauseReachable}; make one with: echo v1:$(openssl rand -base64 32)`,
    SMTP_URL: `must name a mail server ${becauseReachable}`,
  }
  return Object.entries(needed).flatMap(([name, fault]) =>
    present[name] === undefined ? [`${name} ${fault}`] : [],
  )
}
