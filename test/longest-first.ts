import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { slowFiles } from './slow-files.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Files that take long for their size, by which vitest orders them. */
const long = [
  'test/api/every-route.test.ts',
  'test/protocols/passkey-sign-in.test.ts',
  'test/api/canary.test.ts',
  'test/cells/cells.test.ts',
  'test/protocols/account-email.test.ts',
  'test/protocols/pages.test.ts',
  'test/clients/emulator/fences.test.ts',
  'test/clients/sdk/package.test.ts',
  'test/protocols/onboarding-pages.test.ts',
]

/** @throws Error when a file of a list, from the root of the repository, is missing: that line would silently have no effect. */
export function checkThere(list: string, files: readonly string[]): void {
  const gone = files.find((file) => !existsSync(join(root, file)))
  if (gone !== undefined)
    throw new Error(
      `${list} names ${gone}, which is not there: write its name there as it is, or take it out`,
    )
}

/** Runs the slowest files first, so that both workers are busy until the end. */
// eslint-disable-next-line portico/no-class -- vitest creates it with "new"
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = long.indexOf(relative(root, moduleId).split(sep).join('/'))
      return index === -1 ? long.length : index
    }
    checkThere('test/longest-first.ts', long)
    checkThere('test/slow-files.ts', slowFiles)
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
