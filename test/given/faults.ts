import { expect } from 'vitest'

/** The paths of the invalid members in an error body. */
export function fieldPaths(body: unknown): string[] {
  const { error } = body as { error?: { fields?: { path: string }[] } }
  return (error?.fields ?? []).map((field) => field.path)
}

/** The paths of the invalid members in a 422 thrown by the SDK. */
export async function faultsOf(attempt: Promise<unknown>): Promise<string[]> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({ status: 422, code: 'invalid_parameters' })
  return (error as { fields: { path: string }[] }).fields.map(({ path }) => path)
}
