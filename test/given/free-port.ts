import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that is free now. It is not reserved, but outgoing connections and listeners that leave the choice to
 * the system use ports above 32,767 on Linux: only another test that draws the same port can take it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768)
    if (port !== refusedByFetch && (await isFree(port))) return port
  }
}

/** The only port of the range that fetch() refuses ("bad port" of the Fetch standard). */
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
