import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../guards/vitest-run.js'
import { slowFiles } from '../slow-files.js'
import { filesIn, isTest } from './files.js'
import {
  allPieces,
  defaultParts,
  fuller,
  maxPartMinutes,
  minutesOf,
  parts,
  root,
  skipsOf,
  type Piece,
} from './pieces.js'

/** Test files with a piece that runs all of their cases. */
const filesOf = (pieces: readonly Piece[]) => pieces.flatMap(({ files }) => files ?? [])

function givenRepository(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-pieces-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}

/** The files that vitest would run, sorted. */
function listed(variables: NodeJS.ProcessEnv): string[] {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const files = JSON.parse(
    execFileSync(process.execPath, [vitest, 'list', '--filesOnly', '--json'], {
      cwd: root,
      env: { ...cleanEnvironment(), ...variables },
      encoding: 'utf8',
    }),
  ) as { file: string }[]
  return files.map(({ file }) => relative(root, file).split(sep).join('/')).toSorted()
}

test('every file of tests in the repository is run by vitest', () => {
  expect(filesIn(root).filter(isTest).toSorted()).toEqual(listed({ PORTICO_TEST_FULL: '1' }))
})

test('npm test leaves out the slow files alone, and the piece of every file runs them', async () => {
  const quick = listed({ PORTICO_TEST_QUICK: '1' })

  expect(listed({})).toEqual([...quick, ...slowFiles].toSorted())
  const every = allPieces().find(({ name }) => name === 'every file')
  const command = [process.execPath, join(root, 'node_modules/vitest/vitest.mjs'), 'run']
  expect(await every?.command()).toEqual(command)
  expect(every?.variables).toEqual({})
})

test('every long test is in one piece', () => {
  const files = filesOf(allPieces()).filter((file) => file.includes('.long.'))

  expect(files.toSorted()).toEqual(filesIn(root).filter((file) => file.endsWith('.long.test.ts')))
})

test('a long test is in a piece wherever it is', () => {
  const places = [
    'contract/gate/a.long.test.ts',
    'contract/src/a.long.test.ts',
    'docs/a.long.test.ts',
    'sdk/src/a.long.test.ts',
    'server/src/pages/a.long.test.tsx',
    'test/a.long.test.ts',
  ]
  const repository = givenRepository(Object.fromEntries(places.map((place) => [place, ''])))

  expect(filesOf(allPieces(repository))).toEqual(places)
})

test('no test is in two pieces', () => {
  const files = filesOf(allPieces())

  expect(files.filter((file, index) => files.indexOf(file) !== index)).toEqual([])
})

test('what npm test samples has a piece with every case, also where a helper samples it', () => {
  const repository = givenRepository({
    'test/sampled.ts': 'export const sampled = 1\n',
    'test/cases.ts': "import { sampled } from './sampled.js'\n",
    'test/protocols/scim/by-helper.test.ts': "import { cases } from '../../cases.js'\n",
    'test/protocols/scim/by-itself.test.ts': "import { sampled } from '../../sampled.js'\n",
    'test/protocols/scim/whole.test.ts': '',
  })

  expect(filesOf(allPieces(repository)).toSorted()).toEqual([
    'test/protocols/scim/by-helper.test.ts',
    'test/protocols/scim/by-itself.test.ts',
  ])
})

test('whoever asks whether it is the full run is known', () => {
  const asks = new RegExp(`process\\.env\\.${'PORTICO_TEST_FULL'}\\b`)
  const asking = filesIn(root).filter(
    (file) => /\.[jt]sx?$/.test(file) && asks.test(readFileSync(join(root, file), 'utf8')),
  )
  const elsewhere = [
    // Selects the program that test/given/browser.ts starts.
    'test/debian-tools.ts',
    // Enables the long tests, which all have a piece.
    'vitest.config.ts',
  ]

  const known = [...fuller, ...filesOf(allPieces())]
  expect(asking.filter((file) => !known.includes(file))).toEqual(elsewhere)
})

test('whatever opens a browser has a piece, in which it is the whole Chromium', () => {
  const byName = /^import \{[^}]*\bbrowserT\w+[^}]*\} from '.*\/debian-tools\.js'/m
  const inBrowser = filesIn(root).filter(
    (file) => isTest(file) && byName.test(readFileSync(join(root, file), 'utf8')),
  )

  expect(inBrowser.length).toBeGreaterThan(8)
  expect(filesOf(allPieces())).toEqual(expect.arrayContaining(inBrowser))
})

test.each([1, 8, defaultParts, 40])('%i parts together are all pieces, each in one part', (count) => {
  const names = (pieces: readonly Piece[]) => pieces.map(({ name }) => name).toSorted()
  const pieces = allPieces()

  expect(names(parts(pieces, count).flat())).toEqual(names(pieces))
  expect(new Set(names(pieces)).size).toBe(pieces.length)
})

test('no part takes longer than is promised', () => {
  const minutes = parts(allPieces(), defaultParts).map((pieces) =>
    pieces.reduce((sum, piece) => sum + piece.minutes, 0),
  )

  expect(Math.max(...minutes)).toBeLessThanOrEqual(maxPartMinutes)
})

test('what is promised of the parts is what they are, and they are those of the night', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8').replace(/\s+/g, ' ')

  expect(read('CONTRIBUTING.md')).toMatch(
    new RegExp(
      `at most ${maxPartMinutes} minutes on two busy cores: .npm run test:full -- --part 3/${defaultParts}\``,
    ),
  )
  expect(read('.github/workflows/nightly.yml')).toContain(`--part \${{ matrix.part }}/${defaultParts}`)
})

test.each([
  ['minutes', minutesOf],
  ['what may be skipped', skipsOf],
])('the table of %s names pieces that there are', (_, table) => {
  // Includes the version of Node that runs this test.
  const names = allPieces().map(({ name }) => name.replace(/ \d+\/\d+$/, ''))
  const others = Object.keys(table).filter((name) => !names.includes(name))

  expect(others.filter((name) => !process.version.startsWith(`${name.replace('node ', 'v')}.`))).toEqual([])
})
