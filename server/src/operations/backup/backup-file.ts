import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { z } from 'zod/v4'

// A backup is gzip of: one line of JSON, the header; for each table one line of JSON, its rows as COPY writes them as
// text, and a line \. as COPY ends them; one line of JSON, the trailer, with the digest of all bytes before it.

export const endOfTable = '\\.\n'

export const Header = z.object({
  format: z.literal('portico-backup'),
  version: z.literal(1),
  made_at: z.string(),
  migrations: z.array(z.string()),
  /** The current one when the backup was made, and all others that seal a value. */
  master_key_versions: z.array(z.string()),
})
export type Header = z.output<typeof Header>

export const TableHead = z.object({
  table: z.string(),
  columns: z.array(z.string()),
  /** The months of the partitions of log_events, such as 2026-03; a restore makes them before the rows. */
  months: z.array(z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/)).optional(),
})
export type TableHead = z.output<typeof TableHead>

export const Trailer = z.object({
  end: z.literal(true),
  /** Rows by table. */
  rows: z.record(z.string(), z.int()),
  /** The state of each identity column's sequence. */
  sequences: z.array(z.object({ name: z.string(), last_value: z.string(), is_called: z.boolean() })),
  sha256: z.string(),
})
export type Trailer = z.output<typeof Trailer>

const newline = 10
const maxHeadBytes = 1_000_000

/** A backup being read: lines of JSON, and between them the rows of a table. */
interface BackupReader {
  readLine(): Promise<unknown>
  /** The rows of a table, up to and without their end. */
  rows(): AsyncIterable<Buffer>
  /** The digest of what was read so far. */
  digest(): string
  /** @throws Error when something follows. */
  expectEnd(): Promise<void>
}

/** @throws Error a sentence, from each method too, when the file is not a whole backup. */
export function readBackup(path: string): BackupReader {
  const source = createReadStream(path)
  const gunzip = createGunzip()
  source.once('error', (error) => gunzip.destroy(error))
  source.pipe(gunzip)
  const chunks = gunzip[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  const hash = createHash('sha256')
  let rest: Buffer = Buffer.alloc(0)

  async function readMore(): Promise<boolean> {
    const { value, done } = await chunks.next().catch((error: unknown) => {
      throw toFileFault(error, path)
    })
    if (done || value === undefined) return false
    rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    return true
  }

  function take(bytes: number): Buffer {
    const taken = rest.subarray(0, bytes)
    rest = rest.subarray(bytes)
    hash.update(taken)
    return taken
  }

  async function readLine(): Promise<unknown> {
    let end = rest.indexOf(newline)
    while (end === -1) {
      if (rest.length > maxHeadBytes || !(await readMore())) throw damaged(path)
      end = rest.indexOf(newline)
    }
    const line = take(end + 1)
    try {
      return JSON.parse(line.toString('utf8'))
    } catch (error) {
      throw damaged(path, error)
    }
  }

  async function* rows(): AsyncIterable<Buffer> {
    const end = Buffer.from(endOfTable)
    for (;;) {
      if (rest.subarray(0, end.length).equals(end)) {
        take(end.length)
        return
      }
      // The end is a line of its own, and COPY writes no such line: it doubles a backslash in a value.
      const at = rest.indexOf(`\n${endOfTable}`)
      const whole = at === -1 ? rest.lastIndexOf(newline) + 1 : at + 1
      // The last line stays, because the end may follow it.
      if (whole > 0) yield take(whole)
      else if (!(await readMore())) throw damaged(path)
    }
  }

  return {
    readLine,
    rows,
    digest: () => hash.copy().digest('hex'),
    async expectEnd() {
      if (rest.length > 0 || (await readMore())) throw damaged(path)
    },
  }
}

/**
 * Reads a backup from end to end and compares its digest, before anything is done with it.
 *
 * @throws Error a sentence when it is damaged, not a backup, or of a later format.
 */
export async function checkBackup(
  path: string,
  onBytes: (bytes: number) => void,
): Promise<{ header: Header; trailer: Trailer }> {
  const reader = readBackup(path)
  const header = Header.safeParse(await reader.readLine())
  if (!header.success)
    throw new Error(`${path} is no backup that this release reads: name a file that portico backup wrote.`)
  let bytes = 0
  for (;;) {
    const before = reader.digest()
    const line = await reader.readLine()
    const trailer = Trailer.safeParse(line)
    if (trailer.success) {
      await reader.expectEnd()
      if (trailer.data.sha256 !== before) throw damaged(path)
      return { header: header.data, trailer: trailer.data }
    }
    if (!TableHead.safeParse(line).success) throw damaged(path)
    for await (const chunk of reader.rows()) onBytes((bytes += chunk.length))
  }
}

export function damaged(path: string, cause?: unknown): Error {
  return new Error(`${path} is damaged or incomplete: use another backup, nothing was restored.`, { cause })
}

function toFileFault(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(Z_|ERR_)/.test(code) || code === '' ? damaged(path, error) : error
}
