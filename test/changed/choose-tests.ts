import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importsIn, importsOf } from '../imports-in.js'

const isTest = (file: string) => /\.test\.tsx?$/.test(file)
const isLong = (file: string) => /\.long\.test\.tsx?$/.test(file)
/** Whether a file is a helper of tests, which is covered by the tests that import it. */
const isHelper = (file: string) => file.startsWith('test/') || /\.given\.tsx?$/.test(file)

/** Words of names without information: short ones, or those of every resource. */
const empty = new Set(['and', 'record', 'router', 'routes', 'src', 'test'])

/** The test that checks all documents. */
const documentTest = 'test/docs/guides.test.ts'

/**
 * The tests of changed files: changed tests, tests that import a changed file, tests of guards in it, those of
 * documents, and those in test/ whose path has a word of its folder, or all words of its name. A unit test covers its
 * direct imports and its folder.
 *
 * @param files All files of the repository, from its root.
 * @param guardTests The test files that prove a guard in a source.
 * @returns Also the changed files, other than tests, that no test in test/ is known to cover: a test that reaches a file through
 * others, has a similar name, or proves one guard in it, may not cover the rest.
 */
export function chooseTests(
  root: string,
  files: readonly string[],
  changed: readonly string[],
  guardTests: (source: string) => readonly string[] = () => [],
): { files: string[]; unknown: string[] } {
  const reachedFrom = importsIn(root)
  const tests = files
    .filter((file) => isTest(file) && !isLong(file) && existsSync(join(root, file)))
    .map((name) => ({ name, imports: importsOf(root, name), reached: reachedFrom(name) }))

  const isChosen = (test: Test, file: string) =>
    isUnit(test) && !isHelper(file)
      ? test.name === file || test.imports.includes(file) || (isBeside(test, file) && test.reached.has(file))
      : test.reached.has(file) ||
        guardTests(file).includes(test.name) ||
        hasItsName(test, file) ||
        isKnown(test, file)
  const isKnown = (test: Test, file: string) =>
    isHelper(file)
      ? test.reached.has(file)
      : !isUnit(test) &&
        (test.imports.includes(file) ||
          hasItsFolder(test, file) ||
          (test.name === documentTest && file.endsWith('.md')))

  return {
    files: tests
      .filter((test) => changed.some((file) => isChosen(test, file)))
      .map(({ name }) => name)
      .toSorted(),
    unknown: changed.filter((file) => !isTest(file) && !tests.some((test) => isKnown(test, file))),
  }
}

interface Test {
  readonly name: string
  readonly imports: readonly string[]
  /** The file with its direct and indirect imports. */
  readonly reached: ReadonlySet<string>
}

function isUnit({ name }: Test): boolean {
  return !name.startsWith('test/')
}

function isBeside({ name }: Test, file: string): boolean {
  return dirname(name) === dirname(file)
}

/** Whether the path of a test has a word of a file's folders, or of its name if it is the contract of a resource. */
function hasItsFolder(test: Test, file: string): boolean {
  const [, ofContract] = /^contract\/src\/(?:[^/]+\/)?([^/]+)\.ts$/.exec(file) ?? []
  const inTest = wordsOf(test.name)
  return [...wordsOf(ofContract ?? folderOf(file))].some((word) => inTest.has(word))
}

/** Rooms of the server that do not occur in names of tests. */
const rooms = 'app|delivery|directory|operations|platform|protocols|sign-in|tokens'

/** The folder without the workspace; the SDK is kept, because it has tests of its own. */
function folderOf(file: string): string {
  return dirname(file).replace(new RegExp(`^(?:server/src/(?:${rooms})|contract|docs|server)(?=/|$)`), '')
}

/** Whether the path of a test has all words of the name of a file. */
function hasItsName(test: Test, file: string): boolean {
  const [name = ''] = file.slice(file.lastIndexOf('/') + 1).split('.')
  const words = [...wordsOf(name)]
  const inTest = wordsOf(test.name)
  return words.length > 0 && words.every((word) => inTest.has(word))
}

/** The words of a path, in the singular. */
function wordsOf(path: string): Set<string> {
  const words = path.split(/[^a-z0-9]+/).filter((word) => word.length > 2 && !empty.has(word))
  return new Set(words.map((word) => word.replace(/(?<!s)s$/, '')))
}
