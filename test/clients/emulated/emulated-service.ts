import { startPortico, type Portico } from '@portico/sdk/testing'
import { program } from '../../cli/portico.js'
import { atFileEnd } from '../../file-end.js'
import { serviceOf, type Service, type ServiceOptions } from '../../given/harness.js'
import { excludeTest } from './excluded.js'

/**
 * Starts an emulator in place of the service, or takes one that an earlier file has left, reset.
 *
 * What no emulator has excludes the test that reads it: members of the service in this process, and a whole service that no
 * emulator can be.
 */
export async function startEmulatedService(
  variables: Readonly<Record<string, string>>,
  { databaseUrl }: ServiceOptions,
): Promise<Service> {
  if (databaseUrl !== undefined) return absentService('a second service on the database of another one')
  // In place of a mail server and a provider of text messages an emulator has its outbox, and takes no other.
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
        // No job runs until a test asks for it.
        await control.clock.move({ by_seconds: seconds, run_jobs: false })
      },
    },
    runJobs: portico.runJobs,
    async sentTo(to) {
      // An emulator sends nothing: what production would is in its outbox, too.
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

/** A service that hooks may start and keep; a test that uses it is excluded. */
function absentService(need: string): Service {
  const members: ProxyHandler<object> = {
    // That it is no promise, `await` finds out by this.
    get: (_, name) => (name === 'then' ? undefined : excludeTest(need)),
  }
  // Nobody gets to see that it has none of a service's members.
  return new Proxy({}, members) as Service
}

/** Emulators that no file uses now, by the variables that they were started with. */
const idle = new Map<string, Portico[]>()

/** @returns The name of a variable, when no emulator takes it. */
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
    // A service that somebody relies on may have this setting, and an emulator says that it may not.
    const [, refused] = /(\w+) is .*: unset it/.exec(String(error)) ?? []
    if (refused === undefined) throw error
    return refused
  }
}

/** Every file makes accounts of its own; a seed has one at least. */
const seed = { accounts: [{ name: 'Seeded' }] }
