import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileSuffix } from '../../platform/config/secret-files.js'
import { isLoopbackHost } from '../../platform/loopback.js'

type SettingsGiven = Readonly<Record<string, string | undefined>>

const refused: Readonly<Record<string, string>> = {
  DATABASE_URL: 'an emulator has a database of its own',
  DATABASE_DIRECT_URL: 'an emulator has a database of its own',
  DATABASE_READ_URL: 'an emulator has a database of its own',
  DATABASE_POOLER: 'an emulator has a database of its own',
  MASTER_KEYS: 'what an emulator seals is thrown away, and no key that seals anything else belongs near it',
  SMTP_URL: 'an emulator keeps all mail in its outbox',
  SMS_URL: 'an emulator keeps all text messages in its outbox',
  DNS_SERVERS: 'an emulator has the records that its control is given',
}

/** The settings that belong to a real service, and what to do about each; empty when an emulator may start. */
export function faultsForEmulator(variables: SettingsGiven): string[] {
  const { NODE_ENV, HOST, BASE_URL } = variables
  const named = Object.entries(refused).flatMap(([secret, why]) =>
    [secret, secret + fileSuffix]
      .filter((name) => variables[name])
      .map((name) => `${name} is set, and ${why}: unset it (env -u ${name} portico emulate)`),
  )
  return [
    ...(NODE_ENV === 'production'
      ? ['NODE_ENV is production, and an emulator is for tests: unset it, or run portico serve']
      : []),
    ...named,
    ...(HOST && !(isLoopbackHost(HOST) || HOST === '::1')
      ? [`HOST is ${HOST}, and everybody who reaches an emulator owns it: unset it, or set it to 127.0.0.1`]
      : []),
    ...(BASE_URL && !isLoopbackAddress(BASE_URL)
      ? [`BASE_URL is ${BASE_URL}, and an emulator is reached from this machine alone: unset it`]
      : []),
  ]
}

/** The folder of caches that outlive a start, by the system's convention. */
export function cacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA }: SettingsGiven): string {
  const places: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(homedir(), 'Library', 'Caches'),
    win32: LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'),
  }
  const cache = XDG_CACHE_HOME || (places[process.platform] ?? join(homedir(), '.cache'))
  // Some accounts of containers have no home.
  return join(cache === '/.cache' ? tmpdir() : cache, 'portico')
}

/**
 * The settings of an emulator: those given for the service, without effective limits per address, because all callers of
 * an emulator have one address.
 */
export function emulatorSettings(
  variables: SettingsGiven,
  own: { readonly port: number; readonly databaseUrl: string; readonly masterKeys: string },
): Record<string, string | undefined> {
  return {
    ...unlimited,
    OUTBOUND_ALLOW: '127.0.0.0/8,::1',
    LOG_LEVEL: 'warn',
    ...variables,
    PORT: String(own.port),
    HOST: '127.0.0.1',
    BASE_URL: `http://localhost:${own.port}`,
    DATABASE_URL: own.databaseUrl,
    MASTER_KEYS: own.masterKeys,
  }
}

const unlimited = Object.fromEntries(
  [
    'API_RATE_PER_MINUTE',
    'SCIM_RATE_PER_SECOND',
    'SIGN_IN_ATTEMPTS_PER_IP',
    'SIGN_INS_BEGUN_PER_IP',
    'SAML_FAILURES_PER_IP',
    'MAILS_PER_IP',
    'FAILED_GRANTS_PER_MINUTE',
  ].map((name) => [name, '100000000']),
)

function isLoopbackAddress(text: string): boolean {
  return URL.canParse(text) && isLoopbackHost(new URL(text).hostname)
}
