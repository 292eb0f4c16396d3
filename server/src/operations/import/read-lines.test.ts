import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countLines, maxLineBytes, readLines } from './read-lines.js'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-lines-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function linesOf(content: string | Buffer) {
  const file = join(folder, 'lines')
  writeFileSync(file, content)
  const lines: [number, string | undefined][] = []
  for await (const { number, bytes } of readLines(file)) lines.push([number, bytes?.toString()])
  expect(await countLines(file)).toBe(lines.length)
  return lines
}

test.each([
  ['', []],
  ['\n', ['']],
  ['one', ['one']],
  ['one\n', ['one']],
  ['one\n\ntwo', ['one', '', 'two']],
  ['naïve ☂\r\n', ['naïve ☂\r']],
])('the lines of %j are read and counted', async (content, lines) => {
  expect(await linesOf(content)).toEqual(lines.map((line, index) => [index + 1, line]))
})

test('lines are whole wherever the file is cut into pieces', async () => {
  const lines = Array.from({ length: 3000 }, (_, index) => '☂'.repeat(index % 97))

  expect(await linesOf(lines.join('\n') + '\n')).toEqual(lines.map((line, index) => [index + 1, line]))
})

test('a line that is too long is left out, and the next one is whole', async () => {
  const longest = 'x'.repeat(maxLineBytes)

  expect(await linesOf(`${longest}\n${longest}y\n${longest.repeat(5)}\nnext`)).toEqual([
    [1, longest],
    [2, undefined],
    [3, undefined],
    [4, 'next'],
  ])
})
