import type { z } from 'zod/v4'
import { isLoopbackHost } from '../loopback.js'
import type { CellSetting } from './cells.js'
import { faultOfRpId, rpIdOf } from './rp-id.js'
import { fileSuffix, readSecretFiles } from './secret-files.js'
import { readSmsUrl, secretVariables, Variables } from './variables.js'

type Values = z.output<typeof Variables>

export type Config = Readonly<ReturnType<typeof toConfig>>

/** The faults of a configuration, all together. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly faults: readonly string[]) {
    super(['The configuration cannot be used:', ...faults.map((fault) => `  - ${fault}`)].join('\n'))
  }
}

/**
 * Reads the configuration from the environment and the files of secrets that it names, once.
 *
 * @throws ConfigError naming every fault and what would be right.
 */
export function readConfig(variables: Record<string, string | undefined> = process.env): Config {
  const {
    values: present,
    faults: fileFaults,
    fromFiles,
  } = readSecretFiles(withoutEmpty(variables), secretVariables)
  const { values, malformed } = parse(present)
  const address = new URL(values.BASE_URL ?? `http://localhost:${values.PORT}`)
  // The origin as clients write it: issuers are compared character by character.
  const baseUrl = address.origin
  const isHttps = address.protocol === 'https:'
  const host = malformed.has('BASE_URL') ? intendedHost(present['BASE_URL'] ?? '') : address.hostname
  const isBaseLoopback = isLoopbackHost(host)
  const isProduction = !isBaseLoopback || !(isLoopbackHost(values.HOST) || values.HOST === '::1')

  const rpIdFault = faultOfRpId(host, values.PASSKEY_RP_ID)

  const faults = [
    ...[...fileFaults].map(([name, message]) => `${name} ${message}`),
    ...[...malformed].map(([name, message]) =>
      fromFiles.has(name) ? `${name} (of ${name}${fileSuffix}) ${message}` : `${name} ${message}`,
    ),
    ...(malformed.has('BASE_URL') ? [] : addressFaults(address, { isHttps, isBaseLoopback, isProduction })),
    ...(malformed.has('BASE_URL') || rpIdFault === undefined ? [] : [rpIdFault]),
    ...(isProduction ? productionFaults(new Set([...Object.keys(present), ...fromFiles])) : []),
    ...(values.DATABASE_POOLER === 'transaction' && !hasBothWays(present, values.CELLS)
      ? [pooledOneWay]
      : []),
    ...cellFaults(present),
    ...(present['SMS_URL'] !== undefined && present['SMS_COUNTRIES'] === undefined ? [unboundedSms] : []),
  ]
  if (faults.length > 0) throw new ConfigError(faults)

  return Object.freeze(toConfig(values, { baseUrl, host, isHttps, isProduction }))
}

function toConfig(
  values: Values,
  address: {
    readonly baseUrl: string
    readonly host: string
    readonly isHttps: boolean
    readonly isProduction: boolean
  },
) {
  const { isProduction } = address
  return {
    port: values.PORT,
    host: values.HOST,
    /** Public address without a trailing slash. */
    baseUrl: address.baseUrl,
    isHttps: address.isHttps,
    /** The domain that passkeys are bound to; undefined: there are none. */
    passkeyRpId: rpIdOf(address.host, values.PASSKEY_RP_ID),
    /** Production rules apply whenever the service can be reached from elsewhere. */
    isProduction,
    /** An answer that does not fit the contract is an error here, instead of being stripped. */
    isStrict: !isProduction && values.NODE_ENV !== 'production',
    dataDir: values.DATA_DIR,
    /** The only one, or the first of the cells. */
    database: databaseOf(values, values.CELLS?.[0]),
    /** Undefined: one database has every account. */
    cells: values.CELLS?.map((cell) => ({
      name: cell.name,
      setting: cell,
      database: databaseOf(values, cell),
    })),
    masterKeys: values.MASTER_KEYS,
    mail: {
      smtpUrl: values.SMTP_URL,
      from: values.MAIL_FROM,
      isSandboxKept: values.SANDBOX_MAIL === 'keep',
    },
    sms: {
      /** Undefined: none is sent. */
      provider: values.SMS_URL === undefined ? undefined : readSmsUrl(values.SMS_URL),
      /** ISO 3166-1 alpha-2. */
      countries: values.SMS_COUNTRIES,
    },
    productName: values.PRODUCT_NAME,
    trustedProxies: values.TRUSTED_PROXIES,
    /** Empty: those of the system. */
    dnsServers: values.DNS_SERVERS,
    /** The first label of the names at which records prove domains, without its underscore. */
    domainChallengeLabel: values.DOMAIN_CHALLENGE_LABEL,
    outbound: { allowed: values.OUTBOUND_ALLOW, isHttpAllowed: !isProduction },
    /** Undefined: passwords are not checked against breaches. */
    breachCheckUrl: values.BREACH_CHECK_URL,
    metricsHost: values.METRICS_HOST,
    metricsPort: values.METRICS_PORT,
    /** Undefined: nobody collects them. */
    traces: tracesOf(values),
    logLevel: values.LOG_LEVEL,
    logRetentionDays: values.LOG_RETENTION_DAYS,
    /** 0: keys are rotated by command alone. */
    signingKeyRotationDays: values.SIGNING_KEY_ROTATION_DAYS,
    deletedRetentionDays: values.DELETED_RETENTION_DAYS,
    apiRatePerMinute: values.API_RATE_PER_MINUTE,
    /** Per directory. */
    scimRatePerSecond: values.SCIM_RATE_PER_SECOND,
    limits: {
      attemptsPerAddress: values.SIGN_IN_ATTEMPTS_PER_ADDRESS,
      /** Per organization. */
      attemptsPerMinute: values.SIGN_IN_RATE_PER_MINUTE,
      lockSeconds: values.SIGN_IN_LOCK_MINUTES * 60,
      maxLockSeconds: values.SIGN_IN_MAX_LOCK_MINUTES * 60,
      mailsPerAddress: values.MAILS_PER_ADDRESS,
      invitationsPerDay: values.INVITATIONS_PER_DAY,
      /** Per hour. */
      mailsPerIp: values.MAILS_PER_IP,
      /** How many times as many mails of the sandbox may be asked for: kept ones reach nobody. */
      sandboxMailFactor: values.SANDBOX_MAIL === 'keep' ? 10 : 1,
      /** Per network on the pages, in 15 minutes. */
      attemptsPerIp: values.SIGN_IN_ATTEMPTS_PER_IP,
      /** Per network, in 15 minutes. */
      flowsPerIp: values.SIGN_INS_BEGUN_PER_IP,
      /** Per network and connection, in 15 minutes. */
      samlFailuresPerIp: values.SAML_FAILURES_PER_IP,
      smsPerHour: values.SMS_PER_HOUR,
      /** Per hour. */
      smsPerOrganization: values.SMS_PER_ORGANIZATION_PER_HOUR,
      /** Per network. */
      failedGrantsPerMinute: values.FAILED_GRANTS_PER_MINUTE,
    },
    drainMs: values.DRAIN_SECONDS * 1000,
  }
}

function databaseOf(values: Values, cell: CellSetting | undefined) {
  const own = cell ?? {
    url: values.DATABASE_URL,
    direct_url: values.DATABASE_DIRECT_URL,
    read_url: values.DATABASE_READ_URL,
    pool_size: undefined,
  }
  return {
    /** Undefined: the embedded one. */
    url: own.url,
    directUrl: own.direct_url ?? own.url,
    readUrl: own.read_url,
    poolSize: own.pool_size ?? values.DATABASE_POOL_SIZE,
    /** Whether a pooler gives each transaction another connection to Postgres. */
    isPooled: values.DATABASE_POOLER === 'transaction',
    hasNamedStatements: (values.DB_PREPARED ?? (values.DATABASE_POOLER === 'none' ? 'on' : 'off')) === 'on',
    /** How old what a replica answers may be. */
    maxLagMs: values.READ_MAX_LAG_MS,
  }
}

/** Where traces are sent, and which. */
export interface TraceSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The share of traces that begin here and are sent, 0 to 1. */
  readonly ratio: number
  /** Whether a trace that a caller has begun is sent where the caller sends it. */
  readonly isParentBased: boolean
}

function tracesOf(values: Values): TraceSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: sampler } = values
  if (endpoint === undefined) return undefined
  const isRatio = sampler.endsWith('traceidratio')
  return {
    // The path that OTLP has for traces below the address of a collector.
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    ratio: isRatio ? values.OTEL_TRACES_SAMPLER_ARG : sampler.endsWith('always_on') ? 1 : 0,
    isParentBased: sampler.startsWith('parentbased_'),
  }
}

/** The secret of an API key for a command that calls the service as a client: never an argument, which others can see. */
export function readClientSecret(variables: Present): string | undefined {
  return variables['PORTICO_CLIENT_SECRET'] || undefined
}

/** An empty variable is an absent one. */
function withoutEmpty(variables: Present): Present {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
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

function hasBothWays(present: Present, cells: readonly CellSetting[] | undefined): boolean {
  if (cells !== undefined) return cells.every(({ direct_url }) => direct_url !== undefined)
  return ['DATABASE_URL', 'DATABASE_DIRECT_URL'].every((name) => present[name] !== undefined)
}

const pooledOneWay =
  'DATABASE_URL must name the pooler, and DATABASE_DIRECT_URL Postgres itself, because DATABASE_POOLER is transaction: migrations and backups need a session (with CELLS: url and direct_url of each)'

/** The settings of one database that say nothing beside those of several. */
function cellFaults(present: Present): string[] {
  if (present['CELLS'] === undefined) return []
  return ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL'].flatMap((name) =>
    present[name] === undefined ? [] : [`${name} must be unset: CELLS names the databases`],
  )
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

/** The variables that production requires and that are not given; malformed and unreadable ones are reported as such. */
function productionFaults(given: ReadonlySet<string>): string[] {
  const needed = {
    DATABASE_URL: `must name a Postgres database ${becauseReachable}; the embedded one is for evaluation`,
    MASTER_KEYS: `must be set ${becauseReachable}; make one with: echo v1:$(openssl rand -base64 32)`,
    SMTP_URL: `must name a mail server ${becauseReachable}`,
  }
  return Object.entries(needed).flatMap(([name, fault]) =>
    given.has(name) || (name === 'DATABASE_URL' && given.has('CELLS')) ? [] : [`${name} ${fault}`],
  )
}
