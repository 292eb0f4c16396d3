/** What stands in the place of a piece of text. */
export interface Splice {
  /** As the name of the removal says it. */
  readonly what: string
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** The same however lines are broken. */
export function normalized(text: string): string {
  return text
    .replace(/\/\/.*$/gm, '')
    .replace(/\s+/g, ' ')
    .replace(/([([{]) /g, '$1')
    .replace(/,? ([)\]}])/g, '$1')
    .trim()
}
