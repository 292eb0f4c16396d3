import type { User } from '@portico/contract/users'
import { createHash } from 'node:crypto'

/**
 * The tags that an If-Match header names: undefined accepts any version, an empty list matches no version.
 * They are weak, as in RFC 7644 section 3.14, and also accepted without the W/ prefix.
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
export function scimVersionsOf(tags: readonly string[] | undefined): readonly number[] | undefined {
  return tags?.flatMap((tag) => {
    const [, version] = /^W\/"([1-9]\d{0,8})"$/.exec(tag) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

/**
 * The tag of a user, from the version of their row and their groups: a change of a group does not update the rows of its
 * members, which may be 10,000.
 */
export function tagOfUser(version: number, { groups }: Pick<User, 'groups'>): string {
  if (groups.length === 0) return tagOf(version)
  const names = groups.map(({ id, display_name }) => [id, display_name])
  const digest = createHash('sha256').update(JSON.stringify(names)).digest('base64url').slice(0, digestLength)
  return `W/"${version}-${digest}"`
}

/** 72 bits: collisions between the lists of groups of one user are negligible. */
const digestLength = 12
