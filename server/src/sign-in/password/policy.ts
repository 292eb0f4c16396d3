/** The permitted lengths of a password, in characters. */
export interface PasswordLengths {
  readonly min: number
  readonly max: number
}

/** The fault of a new password, as a field error. */
export interface PasswordFault {
  readonly code: 'wrong_length' | 'too_personal' | 'too_common'
  readonly message: string
}

/** Shorter words occur in any text. */
const minWordLength = 3
/** The letters that a password needs beside words known of its owner. */
const minLettersBeside = 4

/**
 * Whether a password has a permitted length in code points after NFC: one character however it was typed. (For the hash
 * oslo normalizes further, by NFKC, so that two spellings of one word are one password.)
 */
export function hasAllowedLength(plainText: string, { min, max }: PasswordLengths): boolean {
  const { length } = [...plainText.normalize('NFC')]
  return length >= min && length <= max
}

/** The fault of a new password, apart from being known; undefined when it is acceptable. */
export function findPasswordFault(
  plainText: string,
  lengths: PasswordLengths,
  ownTexts: readonly string[],
): PasswordFault | undefined {
  if (!hasAllowedLength(plainText, lengths))
    return { code: 'wrong_length', message: `must have ${lengths.min} to ${lengths.max} characters` }
  if (isMadeOf(plainText, ownTexts)) {
    const message =
      'must have more in it than the name or address of its user, the organization or the service'
    return { code: 'too_personal', message }
  }
  return undefined
}

/** The fault of a password that many use, or that is known from a breach. */
export const knownPasswordFault: PasswordFault = {
  code: 'too_common',
  message: 'is one of the passwords that guessers try first: choose another',
}

/**
 * Whether a password consists of words that are known of its owner, and of little else: digits and marks do not count,
 * because everybody appends them.
 */
function isMadeOf(plainText: string, ownTexts: readonly string[]): boolean {
  const password = lettersAndDigitsOf(plainText)
  const words = new Set(ownTexts.flatMap(wordsOf))
  const longestFirst = [...words].sort((one, other) => other.length - one.length)
  const rest = longestFirst.reduce((text, word) => text.replaceAll(word, ''), password)
  if (rest === password) return false
  return (rest.match(/\p{L}/gu) ?? []).length < minLettersBeside
}

/** A text's words, and the text as one. */
function wordsOf(text: string): string[] {
  const parts = text.split(/[^\p{L}\p{N}]+/u)
  return [text, ...parts].map(lettersAndDigitsOf).filter((word) => word.length >= minWordLength)
}

function lettersAndDigitsOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
