import { availableParallelism } from 'node:os'
import { Argon2id } from 'oslo/password'
import { repeat } from './raw.js'

// Verifies one hash for some seconds, as many times at once as the service does, and prints what it took.

const [hash = '', plainText = '', seconds = '1'] = process.argv.slice(2)
const argon2 = new Argon2id()
const atOnce = 2 * availableParallelism()

async function verify(): Promise<void> {
  if (!(await argon2.verify(hash, plainText))) throw new Error('the hash is of another password')
}

await repeat(0.2, atOnce, verify)
process.stdout.write(`${JSON.stringify(await repeat(Number(seconds), atOnce, verify))}\n`)
