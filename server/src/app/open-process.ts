import type { Server } from 'node:http'
import type { OpenDeps } from '../delivery/deps.js'
import { drain } from './http/server.js'
import type { Cells } from './open-cells.js'
import type { Tools } from './open-deps.js'
import type { ClosingStep } from './shutdown.js'

/** Time limit for closing after the drain, in ms. */
export const closingMs = 4_500

/** Closes the tools where opening the databases fails. */
export async function openOrClose<Opened>(tools: Tools, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    await tools.close()
    throw error
  }
}

interface OpenProcess {
  readonly metricsServer: Server
  readonly cells: Pick<Cells<unknown>, 'close'>
  readonly tools: Tools
}

/** What every process closes last. */
export function lastSteps({ metricsServer, cells, tools }: OpenProcess): ClosingStep[] {
  const close = async () => {
    await cells.close()
    await tools.close()
  }
  return [
    { name: 'metrics', close: () => drain(metricsServer, { deadlineMs: 0 }) },
    { name: 'the database', close },
  ]
}

/** A database that has ended is not started again here: what restarts the process restarts both. */
export async function failureOf({ databaseEnded, log }: OpenDeps): Promise<void> {
  log.fatal(await databaseEnded)
}
