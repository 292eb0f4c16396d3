/** Whether If-None-Match is `*`: the condition fails for any existing representation (RFC 9110 section 13.1.2). */
export function isAnyExcluded(ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*'
}

/** Whether the client has the answer already, by If-None-Match: tags are compared weakly (RFC 9110 section 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, tag: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  if (isAnyExcluded(ifNoneMatch)) return true
  const opaque = (text: string) => text.trim().replace(/^W\//, '')
  return tag !== undefined && ifNoneMatch.split(',').some((known) => opaque(known) === opaque(tag))
}
