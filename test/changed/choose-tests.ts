import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importsIn, importsOf } from '../imports-in.js'

const isTest = (file: string) => /\.test\.tsx?$/.test(file)
const isLong = (file: string) => /\.long\.test\.tsx?$/.test(file)
/** Helpers of tests have no tests about them; who imports one is about it. */
const isHelper = (file: string) => file.startsWith('test/') || /\.given\.tsx?$/.test(file)

/** Words of names that say nothing: they are short, or every resource has them. */
const empty = new Set(['and', 'record', 'router', 'routes', 'src', 'test'])

/** Whatever a document says is checked there. */
const documentTest = 'test/docs/guides.test.ts'

/**
 * The tests that are about changed files: those that have changed, those that import what has, those of guards in it, those of
 * documents, and those of test/ whose path has a word of its folder, or all words of its name. A unit test is about what it
 * imports itself, and what is in its folder.
 *
 * @param files All files of the repository, from its root.
 * @param guardTests The files of the tests that prove a guard in a source.
 * @returns Also the changed files, tests apart, that no test of test/ is known to be about: one that reaches a file by way of
 * others, has a name like its name, or proves one guard in it, may say little of the rest.
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
  /** With all that these import. */
  readonly reached: ReadonlySet<string>
}

function isUnit({ name }: Test): boolean {
  return !name.startsWith('test/')
}

function isBeside({ name }: Test, file: string): boolean {
  return dirname(name) === dirname(file)
}

/** Whether the path of a test has a word of the folders of a file, or of its name where it is the contract of a resource. */
function hasItsFolder(test: Test, file: string): boolean {
  const [, ofContract] = /^contract\/src\/(?:[^/]+\/)?([^/]+)\.ts$/.exec(file) ?? []
  const inTest = wordsOf(test.name)
  return [...wordsOf(ofContract ?? folderOf(file))].some((word) => inTest.has(word))
}

/** Rooms of the server that hold what tests are not named by. */
const rooms = 'app|delivery|directory|operations|platform|protocols|sign-in|tokens'

/** Without the workspace, of which all are; but the SDK has tests of its own. */
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

/** In the singular. */
function wordsOf(path: string): Set<string> {
  const words = path.split(/[^a-z0-9]+/).filter((word) => word.length > 2 && !empty.has(word))
  return new Set(words.map((word) => word.replace(/(?<!s)s$/, '')))
}
