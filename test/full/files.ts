import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Installed or generated folders, and dot-folders of git, editors and the service. */
const isForeign = (name: string) => name === 'node_modules' || name === 'dist' || name.startsWith('.')

/** All files of a repository from its root, sorted, without installed and built ones. */
export function filesIn(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !isForeign(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(root, path) : [path.split(sep).join('/')]
    })
    .toSorted()
}

/** Whether a file is a test file. */
export function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file)
}
