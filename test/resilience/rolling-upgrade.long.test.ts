// What the guide for operators says of an upgrade ("Upgrade"), with processes of the version before and of this one.

import { bundleProgram } from '@portico/server/compile'
import { migrateDatabase } from '@portico/server/migrate'
import { beforeAll, describe, expect, test } from 'vitest'
import { given, withPostgres } from '../cli/portico-given.js'
import { startBalancer } from './balancer.js'
import { startLedgerPage, type LedgerPage } from './ledger.js'
import { buildReleaseBefore, hasReleaseBefore, migrationsBefore } from './release-build.js'
import { serviceProcess, type ServiceProcess } from './service-process.js'
import { until } from './until.js'
import { addOtherUsers, givenAccount, productionOnADatabase } from './upgrade-given.js'
import { startUpgradeLoad, type UpgradeLoad } from './upgrade-load.js'

const minutesMs = 60_000
/** So that an index of all users takes its time. */
const otherUsers = 100_000
/** How often each kind of request is answered between two steps of the upgrade. */
const times = 8
const eventCode = 'user.user.create.success'

const canBuild = hasReleaseBefore()
if (!canBuild)
  console.warn('No upgrade is tested: the history of the repository lacks contract/released/release-before.')

describe.skipIf(!canBuild)('an upgrade under load', () => {
  let old: string

  beforeAll(async () => {
    // Both beforehand: a compiler under way would take the processors from the load.
    old = await buildReleaseBefore()
    await bundleProgram()
  }, 2 * minutesMs)

  test(
    'loses no request, and brings each event once: migrated, process by process, and one back',
    async () => {
      const { settings, certificate, run, url } = await productionOnADatabase()
      await run(['migrate'], old)
      const ofOld = () => serviceProcess(settings, ['serve'], { program: old })
      const [oldOne, oldTwo, newOne, newTwo] = await Promise.all([
        ofOld(),
        ofOld(),
        serviceProcess(settings),
        serviceProcess(settings),
      ])
      const balancer = startBalancer()
      const start = async (each: ServiceProcess) => {
        await each.start()
        balancer.add(each.baseUrl)
      }
      const takesPart = (each: ServiceProcess) => until(() => balancer.isUsed(each.baseUrl), { everyMs: 50 })
      // The balancer learns of it from /readyz alone.
      const stop = async (each: ServiceProcess) => {
        expect(await each.terminate()).toBe(0)
        balancer.remove(each.baseUrl)
      }
      await Promise.all([start(oldOne), start(oldTwo)])
      await Promise.all([takesPart(oldOne), takesPart(oldTwo)])

      const account = await givenAccount(run, old, balancer.fetch)
      const { client, org_domain } = account
      const page = await startLedgerPage(
        (res) => void res.writeHead(204).end(),
        () => Date.now(),
        certificate,
      )
      page.expect(
        await client.webhooks.create({ name: 'Upgrade', target_url: page.url, event_codes: [eventCode] }),
      )
      await addOtherUsers(url, client, otherUsers)
      const load = startUpgradeLoad({ ...account, fetch: balancer.fetch })
      /** The load has gone on, and each of these had a part of it. */
      const goesOn = async (...processes: ServiceProcess[]) => {
        balancer.shares()
        await load.goesOn(times)
        const logs = load.failures.length === 0 ? [] : processes.map((each) => each.logged().slice(-3_000))
        expect([...load.failures, ...logs]).toEqual([])
        const shares = balancer.shares()
        expect(Object.keys(shares).toSorted()).toEqual(processes.map((each) => each.baseUrl).toSorted())
      }
      await goesOn(oldOne, oldTwo)

      // It comes before its migrations, is asked for nothing until then, and is not started again.
      await start(newOne)
      await goesOn(oldOne, oldTwo)
      const { applied } = await run<{ applied: string[] }>(['migrate'])
      expect(applied).toEqual((await allMigrations()).filter((name) => !migrationsBefore().includes(name)))
      await takesPart(newOne)
      await goesOn(oldOne, oldTwo, newOne)

      await stop(oldOne)
      await goesOn(oldTwo, newOne)
      await start(newTwo)
      await takesPart(newTwo)
      await stop(oldTwo)
      await goesOn(newOne, newTwo)

      // One version back, on the newer schema.
      await start(oldOne)
      await takesPart(oldOne)
      await stop(newOne)
      await goesOn(oldOne, newTwo)

      const { total } = await settled(load, url, () => client.users.list({ org_domain }))
      await checkEvents(load, url, page)
      expect(total).toBe((await idsOfUsers(url, org_domain)).length)
      await checkRecords(load, url, org_domain)
      const findings = await run<{ check: string; ok: boolean }[]>(['doctor'])
      // There is no mail server.
      expect(findings.filter(({ check, ok }) => !ok && check !== 'Mail')).toEqual([])
      expect(await Promise.all([oldOne.terminate(), newTwo.terminate()])).toEqual([0, 0])
    },
    // Two minutes on two idle cores.
    10 * minutesMs,
  )
})

/** The names of all migrations of this version: those that a new database gets. */
async function allMigrations(): Promise<string[]> {
  const { DATABASE_URL: url } = await given.database()
  return migrateDatabase(url)
}

/** Ends the load, and waits until its events are delivered and its mails kept. */
async function settled<Found>(load: UpgradeLoad, url: string, find: () => Promise<Found>): Promise<Found> {
  await load.settle(async () => (await eventIdsOf(url)).at(-1))
  const isWorkDone = () =>
    withPostgres(url, async (db) => {
      const { rows } = await db.query<{ open: boolean }>(
        `select exists (select from webhook_deliveries where state = 'pending')
          or exists (select from jobs where name = 'send_magic_link') as open`,
      )
      return rows[0]?.open === false
    })
  await until(isWorkDone, { everyMs: 200 })
  return find()
}

/** Each event was read from the stream once, in its order; each that the webhook subscribes to was accepted once. */
async function checkEvents(load: UpgradeLoad, url: string, page: LedgerPage): Promise<void> {
  expect(load.read.map(({ id }) => id)).toEqual(await eventIdsOf(url))
  const created = load.read.filter(({ code }) => code === eventCode)
  const accepted = page.arrivals.flatMap(({ eventId, end }) => (end?.kind === 'accepted' ? [eventId] : []))
  expect(accepted.toSorted()).toEqual(created.map(({ id }) => id).toSorted())
  expect(await page.faults()).toEqual([])
}

/** What was acknowledged is there, once, with its event; nothing else is. */
async function checkRecords(load: UpgradeLoad, url: string, org_domain: string): Promise<void> {
  await withPostgres(url, async (db) => {
    const { rows: users } = await db.query<{
      id: string
      name: string
      events: number
    }>(
      `select users.id, coalesce(profile->>'given_name', '') as name, (
          select count(*)::integer from events where subject_id = users.id and code = $2
        ) as events
       from users join organizations on organizations.id = organization_id where domain = $1`,
      [org_domain, eventCode],
    )
    expect(users.filter(({ events }) => events !== 1)).toEqual([])
    const nameOf = new Map(users.map(({ id, name }) => [id, name]))
    expect([...load.users].filter(([id, name]) => nameOf.get(id) !== name)).toEqual([])
    expect(users).toHaveLength(load.users.size + load.provisioned.size)
    const { rows: mails } = await db.query<{ recipient: string }>('select recipient from outbox_messages')
    expect(mails.map(({ recipient }) => recipient).toSorted()).toEqual(load.mailed.toSorted())
  })
}

function eventIdsOf(url: string): Promise<string[]> {
  return withPostgres(url, async (db) => {
    const { rows } = await db.query<{ id: string }>(
      `select id from events left join event_positions place
        on place.account_id = events.account_id and place.environment = events.environment and event_id = id
       where events.environment = 'sandbox' order by place.position nulls last`,
    )
    return rows.map(({ id }) => id)
  })
}

function idsOfUsers(url: string, org_domain: string): Promise<string[]> {
  return withPostgres(url, async (db) => {
    const { rows } = await db.query<{ id: string }>(
      `select users.id from users join organizations on organizations.id = organization_id
       where domain = $1 and users.deleted_at is null`,
      [org_domain],
    )
    return rows.map(({ id }) => id)
  })
}
