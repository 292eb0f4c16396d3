/** Whether If-None-Match says that nothing that is there will do (RFC 9110 section 13.1.2). */
export function isNoneWanted(ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*'
}

/** Whether who asks has what would be answered, by If-None-Match: tags are compared weakly (RFC 9110 section 13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, tag: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  if (isNoneWanted(ifNoneMatch)) return true
  const opaque = (text: string) => text.trim().replace(/^W\//, '')
  return tag !== undefined && ifNoneMatch.split(',').some((known) => opaque(known) === opaque(tag))
}
