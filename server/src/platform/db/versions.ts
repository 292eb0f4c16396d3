import type { ErrorCode } from '@portico/contract/errors'
import { sql, type RawBuilder } from 'kysely'
import { ApiError } from '../errors.js'

/** Whether a row has one of the versions that a change requires; undefined or null: any. */
export function isOfVersion(
  versions: readonly number[] | null | undefined,
  column = 'version',
): RawBuilder<boolean> {
  const wanted = versions ?? null
  return sql`(${wanted}::integer[] is null or ${sql.ref(column)} = any(${wanted}::integer[]))`
}

/**
 * Why a change found no row of its versions: the row is of another version, or it is missing.
 *
 * @param rows The same row in any version.
 * @param missing The code of a missing row, or a function that finds why it is missing.
 */
export async function whyUnchanged(
  rows: { readonly executeTakeFirst: () => Promise<object | undefined> },
  missing: ErrorCode | (() => Promise<ApiError>),
): Promise<ApiError> {
  if ((await rows.executeTakeFirst()) !== undefined) return new ApiError('precondition_failed')
  return typeof missing === 'string' ? new ApiError(missing) : missing()
}
