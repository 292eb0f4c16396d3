import type { FieldError } from '@portico/contract/errors'

/** What a schema finds wrong, as zod tells it. */
interface Issue {
  readonly path?: readonly unknown[] | undefined
  readonly message: string
  readonly code?: unknown
  readonly keys?: unknown
  readonly errors?: readonly (readonly Issue[])[]
}

/** A caller who gets this many wrong has sent something else; a small request must not get a large answer. */
const maxFieldErrors = 50

/** What a caller is told of what a schema finds wrong: one fault of each value, in the order of their members. */
export function toFieldErrors(issues: readonly Issue[]): FieldError[] {
  // The first fault of a value decides: what else is wrong with it mostly follows from that.
  const byPath = new Map<string, FieldError>()
  for (const fault of issues.flatMap((issue) => faultsOf(issue, [])))
    if (!byPath.has(fault.path)) byPath.set(fault.path, fault)
  return [...byPath.values()].slice(0, maxFieldErrors)
}

function faultsOf(issue: Issue, parents: readonly string[]): FieldError[] {
  const path = [...parents, ...(issue.path ?? []).map(String)]
  const code = typeof issue.code === 'string' ? issue.code : 'invalid'
  // Of several forms, the one meant is the one whose members were looked at.
  const meant = issue.errors?.find((issues) => issues.some(isAboutMember))
  if (meant !== undefined) return meant.flatMap((inner) => faultsOf(inner, path))
  if (code === 'unrecognized_keys' && Array.isArray(issue.keys)) {
    return issue.keys.map((key) => ({
      path: [...path, String(key)].join('.').slice(0, 200),
      code,
      message: 'is not a parameter of this operation',
    }))
  }
  return [{ path: path.join('.').slice(0, 200), code, message: issue.message }]
}

function isAboutMember(issue: Issue): boolean {
  return (issue.path ?? []).length > 0 || issue.code === 'unrecognized_keys'
}
