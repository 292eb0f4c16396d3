import { sql } from 'kysely'
import type { Config } from '../../platform/config/config.js'
import type { OpenDeps } from '../../delivery/deps.js'
import { openSmtp } from '../../platform/mail/smtp.js'
import { openOutbound } from '../../platform/outbound/post.js'
import { reading, type Finding } from './finding.js'

const oldestPostgres = 15
const maxSkewMs = 2_000
const smtpTimeoutMs = 10_000
const collectorTimeoutMs = 5_000

/** Whether requests pass the proxy of the settings. */
export function examineProxies({ isHttps, trustedProxies }: Config): Finding {
  const check = 'Proxy'
  if (!isHttps) return { check, ok: true, detail: 'BASE_URL is http on loopback; no proxy is expected' }
  if (trustedProxies.length > 0) return { check, ok: true, detail: `trusts ${trustedProxies.join(', ')}` }
  return {
    check,
    ok: false,
    detail: 'BASE_URL is https and no proxy is trusted, so that every request is refused as plain http',
    remedy: 'set TRUSTED_PROXIES to the address of the proxy that ends TLS',
  }
}

/** Which domain passkeys are bound to. */
export function examinePasskeys({ passkeyRpId, baseUrl }: Config): Finding {
  const check = 'Passkeys'
  if (passkeyRpId !== undefined) return { check, ok: true, detail: `are bound to ${passkeyRpId}` }
  return {
    check,
    ok: true,
    detail: `there are none, because the host of ${baseUrl} is an address, for which browsers make none`,
    remedy: 'give BASE_URL a name, such as localhost',
  }
}

/** Whether the mail server accepts mail. */
export async function examineMail({ mail: { smtpUrl } }: Config): Promise<Finding> {
  const check = 'Mail'
  if (smtpUrl === undefined)
    return {
      check,
      ok: true,
      detail: 'no SMTP_URL: mails of the sandbox are kept in the outbox, others fail',
    }
  const { host } = new URL(smtpUrl)
  const transport = openSmtp(smtpUrl, { connectMs: smtpTimeoutMs, silenceMs: smtpTimeoutMs })
  try {
    await transport.verify()
    return { check, ok: true, detail: `${host} answers and accepts the login` }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { check, ok: false, detail: `${host} does not take mail (${reason})`, remedy: 'check SMTP_URL' }
  } finally {
    transport.close()
  }
}

/** Whether the collector of traces takes them: it is sent none, which is a valid request of OTLP. Nothing where there is no collector. */
export async function examineTraces({ traces }: Config): Promise<Finding[]> {
  if (traces === undefined) return []
  const check = 'Traces'
  const { host } = new URL(traces.url)
  // The operator names the host, also in a private network.
  const outbound = openOutbound({ allowed: ['0.0.0.0/0', '::/0'], isHttpAllowed: true })
  const answer = await outbound.post({
    url: traces.url,
    headers: { ...traces.headers, 'content-type': 'application/x-protobuf' },
    body: '',
    timeoutMs: collectorTimeoutMs,
    maxAnswerBytes: 16_384,
  })
  outbound.close()
  const status = answer.outcome === 'answered' ? answer.status : undefined
  if (status !== undefined && status >= 200 && status <= 299)
    return [{ check, ok: true, detail: `${host} takes them` }]
  const remedy =
    status === 401 || status === 403
      ? 'check OTEL_EXPORTER_OTLP_HEADERS'
      : 'check OTEL_EXPORTER_OTLP_ENDPOINT: the port of OTLP over HTTP is mostly 4318'
  const reason = answer.outcome === 'answered' ? `it answers ${answer.status}` : answer.outcome
  return [{ check, ok: false, detail: `${host} does not take them (${reason})`, remedy }]
}

/** Whether the database has a supported version. */
export async function examineVersion(deps: Pick<OpenDeps, 'db'>): Promise<Finding> {
  const { rows } = await reading(deps, (db) =>
    sql<{ number: number; version: string }>`
      select current_setting('server_version_num')::integer as number, current_setting('server_version') as version
      `.execute(db),
  )
  const [{ number, version } = { number: 0, version: 'unknown' }] = rows
  const check = 'Database'
  if (number >= oldestPostgres * 10_000) return { check, ok: true, detail: `Postgres ${version}` }
  return {
    check,
    ok: false,
    detail: `Postgres ${version} is too old`,
    remedy: `use ${oldestPostgres} or newer`,
  }
}

/** Whether the clock of the database agrees with that of this machine. */
export async function examineClock({ db, now }: Pick<OpenDeps, 'db' | 'now'>): Promise<Finding> {
  const before = now().getTime()
  // eslint-disable-next-line portico/sql-clock -- the clock of the database is what this asks about
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  const middle = (before + now().getTime()) / 2
  const skewMs = Math.round((rows[0]?.at.getTime() ?? middle) - middle)
  const check = 'Clock'
  const detail = `the database's is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead'}`
  if (Math.abs(skewMs) <= maxSkewMs) return { check, ok: true, detail }
  return {
    check,
    ok: false,
    detail,
    remedy: 'let both machines take their time by NTP, for tokens and links end by it',
  }
}

/** Whether the database has all migrations; the embedded one gets them when a process starts. */
export function examineMigrations({
  config,
  pendingMigrations,
}: Pick<OpenDeps, 'config' | 'pendingMigrations'>): Finding {
  const { length } = pendingMigrations
  const check = 'Migrations'
  if (length === 0) return { check, ok: true, detail: 'none is missing' }
  if (config.database.url === undefined)
    return { check, ok: true, detail: `the next start runs ${length}; nothing more is looked at before` }
  return { check, ok: false, detail: `${length} are missing`, remedy: 'run portico migrate' }
}
