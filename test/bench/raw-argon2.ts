import { availableParallelism } from 'node:os'
import { Argon2id } from 'oslo/password'

// Verifies one hash for some seconds, as many times at once as the service does, and prints what it took.

const [hash = '', plainText = '', seconds = '1'] = process.argv.slice(2)
const argon2 = new Argon2id()
const atOnce = 2 * availableParallelism()

async function verifyUntil(end: number): Promise<number> {
  let count = 0
  async function verifyOneByOne(): Promise<void> {
    while (performance.now() < end) {
      if (!(await argon2.verify(hash, plainText))) throw new Error('the hash is of another password')
      count += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, verifyOneByOne))
  return count
}

await verifyUntil(performance.now() + 200)
const start = performance.now()
const cpuBefore = process.cpuUsage()
const count = await verifyUntil(start + Number(seconds) * 1000)
const { user, system } = process.cpuUsage(cpuBefore)
const result: RawResult = {
  requests: count,
  rate: (count * 1000) / (performance.now() - start),
  cpuMs: (user + system) / 1000 / count,
}
process.stdout.write(`${JSON.stringify(result)}\n`)

/** What a run prints as its last line. */
export interface RawResult {
  readonly requests: number
  readonly rate: number
  readonly cpuMs: number
}
