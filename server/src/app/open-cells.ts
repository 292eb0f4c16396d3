import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../platform/config/config.js'
import type { EmbeddedPostgres } from '../platform/db/embedded.js'
import type { OpenDeps } from '../delivery/deps.js'
import { namesOf } from './cells/names.js'
import { openDatabase, type Tools } from './open-deps.js'

/** In ms. How often a database is tried again that could not be opened. */
const againAfterMs = 5_000

/** A database of the process, and what the process runs on it. */
export interface Cell<Running> {
  /** As in CELLS; undefined where there is one database. */
  readonly name: string | undefined
  /** Undefined until its database could be opened. */
  readonly running: Running | undefined
}

interface OpenedCell {
  readonly deps: OpenDeps
}

interface OpeningCell<Running> extends Cell<Running> {
  readonly config: Config
  running: Running | undefined
}

interface OpenOptions<Running> {
  /** The embedded database, where it runs already. */
  readonly embedded?: EmbeddedPostgres | undefined
  /** What the process does with an opened database. */
  readonly run: (deps: OpenDeps) => Promise<Running>
}

export interface Cells<Running> {
  /** In the order of CELLS. */
  readonly all: readonly Cell<Running>[]
  /** Ends the attempts to open those that are not. */
  stop(): void
  /** Closes the databases. */
  close(): Promise<void>
}

/**
 * Opens the databases of a process, and runs something on each. One of several that cannot be opened keeps nobody from the others:
 * it is tried again until it can.
 *
 * @throws Error what kept the first one, where none could be opened.
 */
export async function openCells<Running extends OpenedCell>(
  tools: Tools,
  config: Config,
  { embedded, run }: OpenOptions<Running>,
): Promise<Cells<Running>> {
  const stopping = new AbortController()
  const cells: OpeningCell<Running>[] = (
    config.cells ?? [{ name: undefined, database: config.database }]
  ).map(({ name, database }) => ({ name, config: { ...config, database }, running: undefined }))
  const [first] = cells

  async function open(cell: OpeningCell<Running>): Promise<void> {
    const { name } = cell
    const log = name === undefined ? tools.log : tools.log.child({ cell: name })
    const names = name === undefined || cell === first ? undefined : namesOf(name, () => first?.running?.deps)
    const deps = await openDatabase({ ...tools, log }, cell.config, { cell: name, embedded })
    // Opened while the process was closing.
    if (stopping.signal.aborted) return deps.close()
    try {
      cell.running = await run({ ...deps, names })
    } catch (error) {
      await deps.close()
      throw error
    }
  }

  async function keepTrying(cell: OpeningCell<Running>): Promise<void> {
    for (;;) {
      await sleep(againAfterMs, undefined, { signal: stopping.signal, ref: false })
      try {
        await open(cell)
        tools.log.info({ cell: cell.name }, 'the database of the cell is open')
        return
      } catch (error) {
        tools.log.error({ err: error, cell: cell.name }, 'the database of the cell cannot be opened')
      }
    }
  }

  const close = async () => {
    stopping.abort()
    await Promise.all(cells.flatMap(({ running }) => running?.deps.close() ?? []))
  }
  const tried = await Promise.allSettled(cells.map(open))
  const faults = tried.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  )
  if (faults.length === cells.length) throw faults[0]
  for (const [index, outcome] of tried.entries()) {
    const cell = cells[index]
    if (outcome.status === 'fulfilled' || cell === undefined) continue
    tools.log.error(
      { err: outcome.reason as unknown, cell: cell.name },
      'the database of the cell cannot be opened',
    )
    keepTrying(cell).catch(() => undefined)
  }
  return { all: cells, stop: () => stopping.abort(), close }
}
