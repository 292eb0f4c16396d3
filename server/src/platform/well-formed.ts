import { invalid } from './errors.js'

const maxDepth = 32

/** A fault and its path, innermost first. */
interface Fault {
  readonly path: string[]
  readonly code: string
  readonly message: string
}

/**
 * Refuses what Postgres and JSON readers cannot hold: NUL characters, lone surrogates, names that reach prototypes, and
 * nesting deeper than any parameter is.
 *
 * @throws ApiError `invalid_parameters`
 */
export function checkWellFormed(value: unknown): void {
  const fault = findFault(value, 0)
  if (fault === undefined) return
  const path = fault.path.reverse().join('.').slice(0, 200)
  throw invalid(path, fault.code, fault.message)
}

function findFault(value: unknown, depth: number): Fault | undefined {
  if (typeof value === 'string') {
    return isStorable(value)
      ? undefined
      : faultOf('malformed_text', 'must not contain NUL characters or unpaired surrogates')
  }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= maxDepth) return faultOf('too_deep', `must not be nested more than ${maxDepth} levels deep`)
  // Not Object.entries(), which makes an array for each member of a large body.
  const names = Array.isArray(value) ? undefined : Object.keys(value)
  if (names?.some((name) => name === '__proto__' || !isStorable(name)))
    return { ...faultOf('unrecognized_keys', 'has a member whose name is not allowed'), path: ['?'] }
  const members: unknown[] = Object.values(value)
  for (let index = 0; index < members.length; index += 1) {
    const fault = findFault(members[index], depth + 1)
    if (fault !== undefined) return { ...fault, path: [...fault.path, names?.[index] ?? String(index)] }
  }
  return undefined
}

/** Whether Postgres can hold a text. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function faultOf(code: string, message: string): Fault {
  return { path: [], code, message }
}
