import { startPortico, type Portico } from '@portico/sdk/testing'
import { program } from '../../cli/portico.js'
import { atFileEnd } from '../../file-end.js'
import { serviceOf, type Service, type ServiceOptions } from '../../given/harness.js'
import { excludeTest } from './excluded.js'

/**
 * Starts an emulator instead of the service, or resets and reuses one of an earlier file.
 *
 * Reading a member that no emulator has excludes the test: members of the in-process service, and services with settings that
 * an emulator refuses.
 */
export async function startEmulatedService(
  variables: Readonly<Record<string, string>>,
  { databaseUrl }: ServiceOptions,
): Promise<Service> {
  if (databaseUrl !== undefined) return absentService('a second service on the database of another one')
  // Instead of a mail server and a provider of text messages, an emulator only has its outbox.
  const { SMTP_URL, SMS_URL, ...others } = variables
  const portico = await takeEmulator(others)
  if (typeof portico === 'string') return absentService(`${portico}, which no emulator takes`)
  const { control } = portico
  return serviceOf({
    baseUrl: portico.baseUrl,
    port: Number(new URL(portico.baseUrl).port),
    databaseUrl: portico.databaseUrl,
    get deps() {
      return excludeTest('the inside of the service, which runs in another process')
    },
    get masterKeys() {
      return excludeTest('the master keys, for a command of operators')
    },
    logLines: portico.logLines,
    clock: {
      now: portico.clock.now,
      async advance(seconds) {
        if (seconds < 0) excludeTest('a clock that goes back')
        // Jobs run only on request.
        await control.clock.move({ by_seconds: seconds, run_jobs: false })
      },
    },
    runJobs: portico.runJobs,
    async sentTo(to) {
      // An emulator sends nothing: messages of production are in its outbox, too.
      const { data } = await control.outbox.list({ to })
      return data
        .filter(({ __environment__ }) => __environment__ === 'production')
        .map(({ subject, text }) => ({ to, subject, text }))
    },
    async createAccount(name, plan) {
      const { id, domain } = await control.accounts.create({ name, plan })
      return { id, domain, plan }
    },
    createKey: ({ domain }, { name, environment, scopes, organizationIds, expiresAt }) =>
      control.accounts.createKey({
        account_domain: domain,
        name,
        environment,
        ...(scopes && { scopes: [...scopes] }),
        ...(organizationIds && { organization_ids: [...organizationIds] }),
        ...(expiresAt && { expires_at: expiresAt.toISOString() }),
      }),
  })
}

/** A placeholder service that hooks may start and keep; a test that uses it is excluded. */
function absentService(need: string): Service {
  const members: ProxyHandler<object> = {
    // `await` reads this member to detect promises.
    get: (_, name) => (name === 'then' ? undefined : excludeTest(need)),
  }
  // The proxy handles every access to a service's members.
  return new Proxy({}, members) as Service
}

/** Idle emulators, by the variables that they were started with. */
const idle = new Map<string, Portico[]>()

/** @returns An emulator, or the name of a variable that emulators refuse. */
async function takeEmulator(variables: Readonly<Record<string, string>>): Promise<Portico | string> {
  const kind = JSON.stringify(variables)
  const waiting = idle.get(kind) ?? []
  idle.set(kind, waiting)
  const before = waiting.pop()
  await before?.reset()
  const portico = before ?? (await start(variables))
  if (typeof portico !== 'string') atFileEnd(() => void waiting.push(portico))
  return portico
}

async function start(variables: Readonly<Record<string, string>>): Promise<Portico | string> {
  try {
    return await startPortico({ command: [process.execPath, program], variables, runsJobs: false, seed })
  } catch (error) {
    // The setting is valid for a service, but an emulator refuses it.
    const [, refused] = /(\w+) is .*: unset it/.exec(String(error)) ?? []
    if (refused === undefined) throw error
    return refused
  }
}

/** The required minimum of a seed, because every file creates accounts of its own. */
const seed = { accounts: [{ name: 'Seeded' }] }
