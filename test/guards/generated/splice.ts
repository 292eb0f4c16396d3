/** A replacement of a piece of text. */
export interface Splice {
  /** The text in the name of the removal. */
  readonly what: string
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** Normalizes line breaks and white space. */
export function normalized(text: string): string {
  return text
    .replace(/\/\/.*$/gm, '')
    .replace(/\s+/g, ' ')
    .replace(/([([{]) /g, '$1')
    .replace(/,? ([)\]}])/g, '$1')
    .trim()
}
