import { importsIn } from '../../imports-in.js'
import { root } from '../sdk/packed.js'

/** @returns The test files that use the SDK directly or through imports such as the harness. */
export function findUsersOfSdk(files: readonly string[]): string[] {
  const reachedFrom = importsIn(root)
  return files.filter((file) => [...reachedFrom(file)].some((each) => each.startsWith('sdk/src/')))
}
