import type { Response } from 'express'
import type { Changed } from './change.js'
import { setLimitHeaders } from '../../platform/http/limit-headers.js'

/** An ETag from a record's version (RFC 9110 section 8.8.3). */
export function etagOf(version: number): string {
  return `"${version}"`
}

function answer<const Status extends number, Record>(
  res: Response,
  status: Status,
  changed: Changed<Record>,
) {
  if (changed.version !== undefined) res.set('ETag', etagOf(changed.version))
  if (changed.limit !== undefined) setLimitHeaders(res, changed.limit)
  return { status, body: changed.record }
}

/** 200 with the record, and its ETag where it has a version. */
export function ok<Record>(res: Response, changed: Changed<Record>) {
  return answer(res, 200, changed)
}

/** 201 with the record, and its ETag where it has a version. */
export function created<Record>(res: Response, changed: Changed<Record>) {
  return answer(res, 201, changed)
}

/** 200 with the deletion envelope. */
export function deleted<Record>(res: Response, { record, ...changed }: Changed<Record>) {
  const envelope = { deleted: true as const, resource: record, type: '__Deleted__' as const }
  return answer(res, 200, { ...changed, record: envelope })
}

/** 200 with a page of a list. */
export function listed<Page>(body: Page) {
  return { status: 200 as const, body }
}

/**
 * The versions that an If-Match header names: undefined accepts any version, an empty list matches no version
 * (RFC 9110 section 13.1.1; weak tags never match).
 */
export function versionsOf({
  'if-match': ifMatch,
}: {
  readonly 'if-match'?: string | undefined
}): readonly number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  return ifMatch.split(',').flatMap((tag) => {
    const [, version] = /^\s*"([1-9]\d{0,8})"\s*$/.exec(tag) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}
