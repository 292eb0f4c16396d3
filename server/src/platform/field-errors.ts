import type { FieldError } from '@portico/contract/errors'

/** A fault that a schema finds, as zod reports it. */
interface Issue {
  readonly path?: readonly unknown[] | undefined
  readonly message: string
  readonly code?: unknown
  readonly keys?: unknown
  readonly errors?: readonly (readonly Issue[])[]
}

/** A small request must not get a large answer, and more faults mostly mean that another form was sent. */
const maxFieldErrors = 50

/** The field errors of a schema's issues: one fault per value, in the order of the members. */
export function toFieldErrors(issues: readonly Issue[]): FieldError[] {
  // The first fault of a value decides: its others mostly follow from that.
  const byPath = new Map<string, FieldError>()
  for (const fault of issues.flatMap((issue) => faultsOf(issue, [])))
    if (!byPath.has(fault.path)) byPath.set(fault.path, fault)
  return [...byPath.values()].slice(0, maxFieldErrors)
}

function faultsOf(issue: Issue, parents: readonly string[]): FieldError[] {
  const path = [...parents, ...(issue.path ?? []).map(String)]
  const code = typeof issue.code === 'string' ? issue.code : 'invalid'
  // Of several forms, the intended one is the one whose members were checked.
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
