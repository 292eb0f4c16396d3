import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'

/** What others have written or made; dot-folders hold what git, editors and the service keep. */
const isForeign = (name: string) => name === 'node_modules' || name === 'dist' || name.startsWith('.')

/** All files of a repository, from its root, in order, but for what is installed or built. */
export function filesIn(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !isForeign(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(root, path) : [path.split(sep).join('/')]
    })
    .toSorted()
}

/** Whether a file is one of tests. */
export function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file)
}
