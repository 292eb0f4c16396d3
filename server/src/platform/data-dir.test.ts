import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureDataDir } from './data-dir.js'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'portico-data-dir-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a data directory', () => {
  test('is made for its owner alone, with those above it, also by two processes at once', async () => {
    const dataDir = path.join(folder, 'lib', 'portico')

    await Promise.all([ensureDataDir(dataDir, 'DATABASE_URL'), ensureDataDir(dataDir, 'DATABASE_URL')])

    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
  })

  test.each(['/proc', '/proc/portico', '/proc/portico/data', '/dev/null', 'file', 'file/data'])(
    'is refused at once where it cannot be made or written: %s',
    async (place) => {
      await writeFile(path.join(folder, 'file'), '')

      const made = ensureDataDir(path.resolve(folder, place), 'MASTER_KEYS')

      await expect(made).rejects.toThrow(
        / cannot be made or written: set DATA_DIR to .*, or set MASTER_KEYS\.$/,
      )
    },
  )
})
