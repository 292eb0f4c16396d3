import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeAbandoned } from './databases.js'

const at = new Date('2026-03-14T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(at.getTime() - minutes * 60_000)

/** A folder with the directory of an emulator, marked some minutes ago. */
function givenDirectory(name: string, minutes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-abandoned-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, name))
  utimesSync(join(folder, name), minutesAgo(minutes), minutesAgo(minutes))
  return folder
}

/** The id of an ended process. */
const deadPid = spawnSync(process.execPath, ['--eval', '']).pid

test('what a killed emulator left behind is removed', async () => {
  const folder = givenDirectory(`portico-emulator-${deadPid}-0123abcd`, 11)

  await removeAbandoned(folder, at)

  expect(readdirSync(folder)).toEqual([])
})

test.each([
  ['an emulator whose process another container has', `portico-emulator-${deadPid}-0123abcd`, 9],
  [
    'an emulator that is there, however long ago it was marked',
    `portico-emulator-${process.pid}-0123abcd`,
    600,
  ],
  ['something else', `portico-emulator-${deadPid}-notes`, 600],
])('the directory of %s stays', async (_, name, minutes) => {
  const folder = givenDirectory(name, minutes)

  await removeAbandoned(folder, at)

  expect(readdirSync(folder)).toEqual([name])
})
