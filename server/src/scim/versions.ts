/**
 * The versions that an If-Match or If-None-Match header names: undefined when any will do, none when it names none of
 * ours. Tags are weak, as RFC 7644 section 3.14 has them, and also taken without their mark.
 */
export function versionsOfTags(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return header.split(',').flatMap((tag) => {
    const [, version] = /^\s*(?:W\/)?"([1-9]\d{0,8})"\s*$/.exec(tag) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

/** The tag of a version. */
export function tagOf(version: number): string {
  return `W/"${version}"`
}
