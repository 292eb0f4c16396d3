const nameLength = 60

/**
 * A name chosen by another party, for a page or a line of a mail: without line breaks, control characters and those that
 * change the direction of text, and at most 60 characters unless given.
 */
export function displayName(name: string, maxLength = nameLength): string {
  const line = name.replace(/[\s\p{C}]+/gu, ' ').trim()
  const characters = [...line]
  if (characters.length <= maxLength) return line
  const beginning = characters.slice(0, maxLength - 1).join('')
  return `${beginning.trimEnd()}…`
}
