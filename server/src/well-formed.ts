import { invalid } from './errors.js'

const maxDepth = 32

/**
 * Refuses what Postgres and JSON readers cannot hold: NUL characters, lone surrogates, names that reach prototypes, and
 * nesting deeper than any parameter is.
 *
 * @throws ApiError `invalid_parameters`
 */
export function checkWellFormed(value: unknown, path: readonly string[] = []): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed() || value.includes('\0'))
      throw invalid(
        path.join('.'),
        'malformed_text',
        'must not contain NUL characters or unpaired surrogates',
      )
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (path.length >= maxDepth)
    throw invalid(
      path.join('.').slice(0, 200),
      'too_deep',
      `must not be nested more than ${maxDepth} levels deep`,
    )
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__' || !name.isWellFormed() || name.includes('\0'))
      throw invalid([...path, '?'].join('.'), 'unrecognized_keys', 'has a member whose name is not allowed')
    checkWellFormed(member, [...path, name])
  }
}
