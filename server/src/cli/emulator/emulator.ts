import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type {
  ClockMove,
  EmulatorAccount,
  EmulatorClock,
  EmulatorKey,
  EmulatorState,
  NewEmulatorAccount,
  NewEmulatorKey,
} from '@portico/contract/emulator'
import { environments } from '@portico/contract/fields'
import type { Logger } from 'pino'
import { createAccount } from '../../operations/accounts/accounts.js'
import { createApiKey } from '../../tokens/api-keys/api-keys.js'
import { readConfig, type Config } from '../../platform/config/config.js'
import type { Deps } from '../../delivery/deps.js'
import { openDeps } from '../../app/open-deps.js'
import { createHttpServer, drain } from '../../app/http/server.js'
import { inTurn } from '../../platform/in-turn.js'
import { makeLogEventMonths } from '../../delivery/log-events/months.js'
import { clearMessages, findMessages } from '../../delivery/outbox/outbox.js'
import { systemClock } from '../../platform/system-clock.js'
import { createMovableClock } from './clock.js'
import type { Control } from './control.js'
import type { Databases } from './databases.js'
import { openSeeding } from './derived-randomness.js'
import { createDns } from './dns.js'
import { createFaults } from './faults.js'
import { findNextDue } from './next-due.js'
import { EmulatorRefusal } from './refusal.js'
import { createEmulatorApp, applyFaults } from './router.js'
import { startRun, type Run } from './run.js'
import { seedAccounts } from './seed.js'
import type { SeedFile } from './seed-file.js'
import { emulatorSettings } from './settings.js'

interface EmulatorOptions {
  /** Owned from here on: the emulator closes them, also when it does not start. */
  readonly databases: Databases
  readonly seed: SeedFile
  /** 0: any free one. */
  readonly port: number
  /** Whether jobs run by themselves, as in a service, or only on request. */
  readonly runsJobs: boolean
  /** Settings of the service, as its environment has them. */
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly log: Logger
}

/** More entries than a seed has, in milliseconds. */
const seedSteps = 3_600_000

export interface Emulator {
  state(): EmulatorState
  close(): Promise<void>
}

/**
 * Starts the service for tests: seeded, with a clock that can be moved and with faults on request. faultsForEmulator()
 * has already refused the settings of a real service, before there were databases.
 *
 * @throws SeedError at a fault of the seed that only the service finds.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { databases, seed, runsJobs, variables, log } = options
  openSeeding()
  const { app, open: openApp } = createEmulatorApp(log)
  const server = createHttpServer(app)
  // Exists only in this process, so that no other one can open what was derived from a seed.
  const masterKeys = `v1:${randomBytes(32).toString('base64')}`

  const closeAll = async (run?: Run) => {
    await drain(server, { deadlineMs: 1_000 })
    await run?.close()
    await databases.close()
  }
  try {
    await once(server.listen(options.port, '127.0.0.1'), 'listening')
    // The address of a TCP server is never a string; that is for pipes.
    const { port } = server.address() as AddressInfo
    const configOf = (databaseUrl: string) =>
      readConfig(emulatorSettings(variables, { port, databaseUrl, masterKeys }))
    const accounts = await plant(seed, configOf(databases.seedUrl))
    const clock = createMovableClock()
    const faults = createFaults()
    const dns = createDns()
    const open = async () =>
      startRun(configOf(await databases.copySeeded()), {
        now: clock.now,
        log,
        faults: applyFaults(faults),
        readTxt: dns.readTxt,
        runsJobs,
      })
    const world = { run: await open(), accounts: [...accounts] }
    await world.run.runDue()

    const control = controlOf()
    openApp(control, (req, res, next) => void world.run.handle(req, res, next))
    return { state: control.state, close: () => closeAll(world.run) }

    function controlOf(): Control {
      const state = (): EmulatorState => ({
        base_url: world.run.deps.config.baseUrl,
        database_url: world.run.deps.config.database.url ?? '',
        now: clock.now().toISOString(),
        runs_jobs: runsJobs,
        accounts: world.accounts,
      })
      // One at a time, because each changes the data of the others. Faults are outside of it: they change at once, also
      // while a clock moves through hours of deliveries.
      const exclusively = inTurn(<Result>(work: () => Promise<Result>) => work())
      const reset = async () => {
        const before = world.run
        faults.clear()
        dns.clear()
        clock.reset()
        world.run = await open()
        world.accounts = [...accounts]
        await before.close()
        databases.drop(before.deps.config.database.url ?? '')
        await world.run.runDue()
        return state()
      }
      return {
        faults,
        dns,
        state,
        reset: () => exclusively(reset),
        clock: () => ({ now: clock.now().toISOString(), jobs_run: 0 }),
        moveClock: (move) => exclusively(() => moveClock(move)),
        runJobs: () => exclusively(async () => ({ jobs_run: await world.run.runDue() })),
        messages: (to) =>
          exclusively(async () => {
            await world.run.runDue()
            return to === null ? [] : findMessages(world.run.deps, to)
          }),
        clearMessages: () => exclusively(() => clearMessages(world.run.deps)),
        createAccount: (input) => exclusively(() => createAccountWithKeys(input)),
        createKey: (domain, input) => exclusively(() => createKey(domain, input)),
      }
    }

    async function createAccountWithKeys(input: NewEmulatorAccount): Promise<EmulatorAccount> {
      const { id, domain } = await createAccount(world.run.deps, input)
      world.accounts.push({ id, domain, api_keys: [] })
      for (const environment of environments) await createKey(domain, { name: 'First key', environment })
      return accountOf(domain)
    }

    async function moveClock({ by_seconds, to, run_jobs }: ClockMove): Promise<EmulatorClock> {
      const now = clock.now()
      const until = to === undefined ? new Date(now.getTime() + (by_seconds ?? 0) * 1000) : new Date(to)
      if (until < now)
        throw new EmulatorRefusal(
          'clock_behind',
          `It is ${now.toISOString()} by the clock of the emulator, which moves forward only; reset begins anew.`,
        )
      let ended = 0
      if (run_jobs) {
        // In steps, because retries must come due at their own times, too.
        for (let next: Date | undefined = clock.now(); next !== undefined;) {
          clock.moveTo(next)
          ended += await world.run.runDue()
          next = await findNextDue(world.run.deps, { after: clock.now(), until })
        }
      }
      clock.moveTo(until)
      if (run_jobs) ended += await world.run.runDue()
      return { now: clock.now().toISOString(), jobs_run: ended }
    }

    async function createKey(domain: string, input: NewEmulatorKey): Promise<EmulatorKey> {
      const account = accountOf(domain)
      const { deps } = world.run
      const { environment, name, scopes, organization_ids: ids, expires_at } = input
      if (ids !== undefined) await checkOrganizations(deps, account, ids)
      const credentials = await createApiKey(deps, deps.db, {
        accountId: account.id,
        environment,
        name,
        scopes: scopes ?? null,
        organizationIds: ids ?? null,
        expiresAt: expires_at === undefined ? null : new Date(expires_at),
      })
      const key = { name, environment, ...credentials }
      world.accounts = world.accounts.map((each) =>
        each.domain === domain ? { ...each, api_keys: [...each.api_keys, key] } : each,
      )
      return key
    }

    function accountOf(domain: string): EmulatorAccount {
      const account = world.accounts.find((each) => each.domain === domain)
      if (account === undefined) throw new EmulatorRefusal('account_not_found')
      return account
    }
  } catch (error) {
    await closeAll()
    throw error
  }

  async function checkOrganizations({ db }: Deps, account: EmulatorAccount, ids: string[]): Promise<void> {
    const known = await db
      .selectFrom('organizations')
      .where('account_id', '=', account.id)
      .where('deleted_at', 'is', null)
      .where('id', 'in', ids)
      .select('id')
      .execute()
    const missing = ids.find((id) => !known.some((each) => each.id === id))
    if (missing !== undefined)
      throw new EmulatorRefusal(
        'invalid_parameters',
        `organization_ids: the account ${account.domain} has no organization ${missing}`,
      )
  }

  async function plant(file: SeedFile, config: Config): Promise<EmulatorAccount[]> {
    // A moment for each entry, the last of them a minute ago.
    let at = systemClock().getTime() - 60_000 - seedSteps
    const deps = await openDeps(config, { now: () => new Date(at), log })
    try {
      await makeLogEventMonths(deps)
      return await seedAccounts({ deps, file, tick: () => (at += 1) })
    } finally {
      await deps.close()
    }
  }
}
