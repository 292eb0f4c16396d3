import { readFileSync } from 'node:fs'
import { partOf } from '../full/part.js'
import { keepTemporaryFilesInMemory } from '../memory-folder.js'
import { startTemplate } from '../template-database.js'
import { guards } from './guards.js'
import { generatedGuards, staleNames } from './generated/generated.js'
import { codeOf, noticeRemoval } from './generated/notice.js'
import { isUnchanged, readNoticed, tenthOf } from './generated/noticed.js'
import { removalsOf } from './generated/removals.js'
import type { Guard } from './guard.js'
import { isRowUnchanged, rememberRow } from './noticed-rows.js'
import { toText, whyNotGreen, whyNotNoticed } from './outcome.js'
import type { Place } from './place.js'
import { copyRepository } from './repository-copy.js'
import { runTests, type NamedTest } from './vitest-run.js'

/**
 * Removes each guard in a copy of the repository, and requires that its test fails by an assertion while another test
 * of the same code passes. A moved guard or a renamed test is a failure, too.
 *
 * A noticed removal is trusted as long as neither the function around it nor its tests change; a tenth of the trusted ones is
 * repeated nevertheless, a different one every day.
 *
 *     npm run test:guards                  all that are not trusted
 *     npm run test:guards -- --all         all
 *     npm run test:guards -- --slice=3/10  with the third tenth of the trusted ones, instead of the tenth of the day
 *     npm run test:guards -- expiry        those whose name contains a word
 *     npm run test:guards -- --shard=1/4   the first of four parts of similar duration
 *     npm run test:guards -- --names FILE  removes nothing, and prints the names of possible removals in a source
 */
async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (args[0] === '--names') return tellNames(args.slice(1))
  const chosen = chooseTasks(args)
  keepTemporaryFilesInMemory()
  // Shared by all runs, each of which creates its own databases.
  const postgres = await startTemplate()
  const places = await Promise.all(
    Array.from({ length: lanes }, async () => ({
      ...(await copyRepository()),
      databaseUrl: postgres.adminUrl,
    })),
  )
  const close = async () => {
    await Promise.all(places.map((place) => place.remove()))
    await postgres.close()
  }
  process.once('SIGINT', () => void close().then(() => process.exit(130)))
  try {
    const findings = [
      ...staleNames().map((name) => ({
        name,
        fault: 'has a line in noticed.jsonl and is generated no more',
      })),
      ...(await findRedBefore(places, chosen)),
      ...(await removeEach(places, chosen)),
    ]
    report(chosen.length, findings)
  } finally {
    await close()
  }
}

function tellNames(files: readonly string[]): void {
  const names = files.flatMap((file) =>
    removalsOf(file, readFileSync(file, 'utf8')).map(({ key }) => `${file}: ${key}`),
  )
  process.stdout.write(names.map((name) => `${name}\n`).join(''))
}

function chooseTasks(args: readonly string[]): Task[] {
  const unknown = args.find((word) => /^--(?!all$|(?:slice|shard)=)/.test(word))
  if (unknown !== undefined)
    throw new Error(`${unknown} is no option: there are --all, --slice=3/10, --shard=1/4 and --names FILE`)
  const wanted = args.filter((word) => !word.startsWith('--'))
  const named = allTasks().filter(({ name }) => wanted.every((word) => name.includes(word)))
  if (named.length === 0) throw new Error(`no guard's name contains ${wanted.join(' and ')}`)
  const isEach = wanted.length > 0 || args.includes('--all')
  const tenth = tenthToMake(args.find((word) => word.startsWith('--slice=')))
  const made = named.filter(({ name, isBelieved }) => isEach || !isBelieved || tenthOf(name) === tenth)
  process.stdout.write(`${named.length - made.length} are believed: noticed before, and unchanged since\n`)
  return inShard(made, args.find((word) => word.startsWith('--shard='))?.slice('--shard='.length))
}

/** Selects a shard such as --shard=1/4: whole files of tests, of about equal numbers of guards. */
function inShard(tasks: readonly Task[], text = '1/1'): Task[] {
  const { part, count } = partOf('--shard', text)
  const shards = Array.from({ length: count }, (): Task[] => [])
  const fileOf = ({ name, tests: [red] }: Task) => red?.file ?? name
  for (const file of new Set(tasks.map(fileOf))) {
    const least = shards.reduce((one, other) => (other.length < one.length ? other : one))
    least.push(...tasks.filter((task) => fileOf(task) === file))
  }
  return shards[part - 1] ?? []
}

/** The tenth of trusted removals to repeat, from 0: the third with --slice=3/10, by default one by date. */
function tenthToMake(option: string | undefined): number {
  if (option === undefined) return Math.floor(Date.now() / 86_400_000) % 10
  const slice = Number(/^--slice=(\d+)\/10$/.exec(option)?.[1])
  if (!(slice >= 1 && slice <= 10)) throw new Error('--slice takes which tenth, such as --slice=3/10')
  return slice - 1
}

/** Number of concurrent runs: the cores of a small machine, because a run mostly waits for its database. */
const lanes = 2

/** A message about a fault of a guard or its test. */
interface Finding {
  readonly name: string
  readonly fault: string
}

/** A guard to be removed, from a table row or generated. */
interface Task {
  readonly name: string
  /** Tests known to notice or to stay green. */
  readonly tests: readonly NamedTest[]
  /** Whether it was noticed earlier, and nothing has changed since. */
  readonly isBelieved: boolean
  /** Resolves to the noticing test, or to a message why none does. */
  readonly remove: (place: Place) => Promise<NamedTest | string>
}

function allTasks(): Task[] {
  const noticed = readNoticed()
  const tasks = [
    ...guards.map((guard): Task => ({
      name: guard.name,
      tests: [guard.red, guard.green],
      isBelieved: isRowUnchanged(guard),
      remove: async (place) => {
        const fault = await faultOf(place, guard)
        if (fault !== undefined) return fault
        rememberRow(guard)
        return guard.red
      },
    })),
    ...generatedGuards.map((guard): Task => {
      const known = noticed.get(guard.name) ?? []
      return {
        name: guard.name,
        tests: known.flatMap(({ red, green }) => [red, green]),
        isBelieved: isUnchanged(known, codeOf(guard)),
        remove: (place) => noticeRemoval(place, guard),
      }
    }),
  ]
  const names = tasks.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw new Error(`two guards are called ${repeated}`)
  return tasks
}

/** Runs every test of the table with all guards in place, because a test that already fails proves nothing. */
async function findRedBefore(places: readonly Place[], chosen: readonly Task[]): Promise<Finding[]> {
  const tests = new Map(chosen.flatMap((task) => task.tests).map((test) => [toText(test), test]))
  const files = [...new Set([...tests.values()].map(({ file }) => file))]
  process.stdout.write(`${tests.size} tests of ${files.length} files, with all guards in place\n`)
  const findings = await inLanes(places, batchesOf(files), async (place, batch) => {
    const named = [...tests.values()].filter((test) => batch.includes(test.file))
    const run = await runTests(place.root, named, place.databaseUrl)
    return named.flatMap((test) => {
      const fault = whyNotGreen(run, test)
      if (fault === undefined) return []
      process.stdout.write(`  ${toText(test)}: ${fault}\n`)
      return [{ name: toText(test), fault }]
    })
  })
  return findings.flat()
}

/** Files that share a process: most of the time of a single one would be that of its start. */
function batchesOf(files: readonly string[]): string[][] {
  const size = 6
  return Array.from({ length: Math.ceil(files.length / size) }, (_, index) =>
    files.slice(index * size, (index + 1) * size),
  )
}

async function removeEach(places: readonly Place[], chosen: readonly Task[]): Promise<Finding[]> {
  let done = 0
  const faults = await inLanes(places, chosen, async (place, task) => {
    const start = performance.now()
    const outcome = await task.remove(place)
    const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(5)
    const count = `${++done}/${chosen.length}`.padStart(7)
    const isMissed = typeof outcome === 'string'
    process.stdout.write(`${count} ${seconds} s  ${isMissed ? 'MISSED ' : 'noticed'}  ${task.name}\n`)
    process.stdout.write(
      isMissed ? `${outcome.replace(/^/gm, ' '.repeat(18))}\n` : `${' '.repeat(26)}by ${toText(outcome)}\n`,
    )
    return isMissed ? [{ name: task.name, fault: outcome }] : []
  })
  return faults.flat()
}

/** The fault found by removing a guard; undefined if its test notices. */
async function faultOf(place: Place, { edits, red, green }: Guard): Promise<string | undefined> {
  try {
    await place.apply(edits)
    const run = await runTests(place.root, [red, green], place.databaseUrl)
    return whyNotNoticed(run, red) ?? whyNotGreen(run, green)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await place.restore()
  }
}

/** Processes the items concurrently, each in a place of its own. */
async function inLanes<Item, Result>(
  places: readonly Place[],
  items: readonly Item[],
  work: (place: Place, item: Item) => Promise<Result>,
): Promise<Result[]> {
  const waiting = [...items.entries()]
  const results: Result[] = []
  await Promise.all(
    places.map(async (place) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        results[next[0]] = await work(place, next[1])
    }),
  )
  return results
}

function report(count: number, findings: readonly Finding[]): void {
  const missed = new Set(findings.map(({ name }) => name))
  for (const { name, fault } of findings) process.stdout.write(`\n${name}\n  ${fault}\n`)
  process.stdout.write(`\n${count} guards removed, ${missed.size} without a test that notices\n`)
  process.stdout.write(`${Math.max(count - missed.size, 0)} passed, ${missed.size} failed\n`)
  process.exitCode = missed.size === 0 ? 0 : 1
}

await main()
