import { importsIn } from '../../imports-in.js'
import { root } from '../sdk/packed.js'

/** @returns Those of the test files that use the SDK, themselves or by what they import, as the harness of a service does. */
export function findUsersOfSdk(files: readonly string[]): string[] {
  const reachedFrom = importsIn(root)
  return files.filter((file) => [...reachedFrom(file)].some((each) => each.startsWith('sdk/src/')))
}
