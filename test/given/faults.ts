import { expect } from 'vitest'

/** The paths at fault in an error's body. */
export function fieldPaths(body: unknown): string[] {
  const { error } = body as { error?: { fields?: { path: string }[] } }
  return (error?.fields ?? []).map((field) => field.path)
}

/** The paths at fault in a 422 that the SDK has thrown. */
export async function faultsOf(attempt: Promise<unknown>): Promise<string[]> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ status: 422, code: 'invalid_parameters' })
  return (error as { fields: { path: string }[] }).fields.map(({ path }) => path)
}
