import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that is free now. Nothing keeps it so, but that connections going out and listeners that leave the choice to
 * the system get theirs from above 32,767 on Linux: only another test that draws the very same one can take it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768)
    if (port !== refusedByFetch && (await isFree(port))) return port
  }
}

/** The one of these that fetch() asks nobody at ("bad port" of the Fetch standard). */
const refusedByFetch = 10_080

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
