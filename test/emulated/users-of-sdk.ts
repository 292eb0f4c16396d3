import { build } from 'esbuild'
import { root } from '../sdk/packed.js'

/** @returns Those of the test files that use the SDK, themselves or by what they import, as the harness of a service does. */
export async function findUsersOfSdk(files: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...files],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    outdir: 'none',
    logLevel: 'error',
  })
  const users = (file: string, seen: Set<string>): boolean => {
    if (seen.has(file)) return false
    seen.add(file)
    const imports = metafile.inputs[file]?.imports ?? []
    return imports.some(
      ({ path, original }) => original?.startsWith('@portico/sdk') === true || users(path, seen),
    )
  }
  return files.filter((file) => users(file, new Set()))
}
