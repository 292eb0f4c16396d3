import type { User } from '@portico/contract/users'
import { createHash } from 'node:crypto'

/**
 * The tags that an If-Match header names: undefined when any will do, none when it names none of ours.
 * They are weak, as RFC 7644 section 3.14 has them, and also taken without their mark.
 */
export function tagsIn(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return header.split(',').flatMap((tag) => {
    const [, opaque] = /^\s*(?:W\/)?("[\w-]{1,60}")\s*$/.exec(tag) ?? []
    return opaque === undefined ? [] : [`W/${opaque}`]
  })
}

/** The tag of a version. */
export function tagOf(version: number): string {
  return `W/"${version}"`
}

/** The versions of these tags; undefined: any. */
export function versionsOf(tags: readonly string[] | undefined): readonly number[] | undefined {
  return tags?.flatMap((tag) => {
    const [, version] = /^W\/"([1-9]\d{0,8})"$/.exec(tag) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

/**
 * The tag of a user, of whom the version is that of their row: their groups change without it, since one change of a group
 * may be one of 10,000 users.
 */
export function tagOfUser(version: number, { groups }: Pick<User, 'groups'>): string {
  if (groups.length === 0) return tagOf(version)
  const names = groups.map(({ id, display_name }) => [id, display_name])
  const digest = createHash('sha256').update(JSON.stringify(names)).digest('base64url').slice(0, digestLength)
  return `W/"${version}-${digest}"`
}

/** 72 bits: two lists of groups of one user do not come to the same. */
const digestLength = 12
