import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Slow files of small size, which vitest would run last. */
const long = [
  'test/protocols/pages.test.ts',
  'test/clients/sdk/package.test.ts',
  'test/cli/portico-serve.test.ts',
  'test/protocols/onboarding-pages.test.ts',
  'test/docs/guides.test.ts',
  'test/clients/emulator/fences.test.ts',
]

/** @throws Error when a file, from the root of the repository, is missing: it would silently run last. */
export function checkThere(files: readonly string[]): void {
  const gone = files.find((file) => !existsSync(join(root, file)))
  if (gone !== undefined)
    throw new Error(`test/longest-first.ts names ${gone}, which is not there: write its name there as it is`)
}

/** Runs the slowest files first, so that both workers are busy until the end. */
// eslint-disable-next-line portico/no-class -- vitest creates it with "new"
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = long.indexOf(relative(root, moduleId).split(sep).join('/'))
      return index === -1 ? long.length : index
    }
    checkThere(long)
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
