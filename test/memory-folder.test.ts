import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createFolder, removeAbandoned } from './memory-folder.js'

/** Replaces /dev/shm, which other runs use. */
let memory: string

beforeEach(() => {
  memory = mkdtempSync(join(tmpdir(), 'portico-memory-'))
  chmodSync(memory, 0o1777)
  onTestFinished(() => rmSync(memory, { recursive: true }))
})

const { pid: endedPid } = spawnSync(process.execPath, ['--version'])

/** A folder like that of this process, but with the id of another run. */
function folderOf(pid: number, content?: string): string {
  const folder = createFolder(memory)
  const renamed = join(memory, basename(folder).replace(`-${process.pid}-`, `-${pid}-`))
  rmSync(folder, { recursive: true })
  mkdirSync(renamed)
  if (content !== undefined) writeFileSync(join(renamed, 'file'), content)
  return renamed
}

describe.runIf(process.platform === 'linux')('where temporary files are in memory', () => {
  test('a folder is a new one, which programs of other users may enter and not list', () => {
    const folder = createFolder(memory)

    expect(statSync(folder).mode & 0o777).toBe(0o711)
    expect(createFolder(memory)).not.toBe(folder)
  })

  test('what a run left that has ended is removed, and what one has that is under way stays', () => {
    const ended = folderOf(endedPid, 'data')
    const own = createFolder(memory)

    removeAbandoned(memory)

    expect([existsSync(ended), existsSync(own)]).toEqual([false, true])
  })

  test('what somebody else left stays', () => {
    const ended = folderOf(endedPid)

    removeAbandoned(memory, (process.getuid?.() ?? 0) + 1)

    expect(existsSync(ended)).toBe(true)
  })

  test('what a run of another container has stays, whose number means nothing here', () => {
    const other = join(memory, `portico-tests-4026530000-${endedPid}-abcdef`)
    mkdirSync(other)
    // Without the id of the container its owner is unknown.
    const nameless = join(memory, `portico-tests-${endedPid}`)
    mkdirSync(nameless)

    removeAbandoned(memory)

    expect([existsSync(other), existsSync(nameless)]).toEqual([true, true])
  })

  test('a link in the place of a folder stays, and so does what it leads to', () => {
    const target = join(memory, 'of-somebody')
    mkdirSync(target)
    const ended = folderOf(endedPid)
    rmSync(ended, { recursive: true })
    symlinkSync(target, ended)

    removeAbandoned(memory)

    expect([existsSync(ended), existsSync(target)]).toEqual([true, true])
  })

  test('what cannot be removed stops nobody', () => {
    expect(() => removeAbandoned(join(memory, 'gone'))).not.toThrow()
  })
})
