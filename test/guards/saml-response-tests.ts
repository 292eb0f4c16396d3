import { samlTest } from './guard.js'

/** Of a response that somebody has made or changed who may not. */
export const forged = (title: string) => samlTest('forged', `a forged response ${title}`)

/** Of a response in which something else stands where what is signed is looked for. */
export const wrapped = (title: string) => samlTest('wrapping', `a wrapped response ${title}`)

/** Of a response that is signed as it should be, and says what it should not. */
export const content = (title: string) => samlTest('content', `a response with a right signature ${title}`)

/** Of an assertion that is encrypted as it should not be, or holds what it should not. */
export const encrypted = (title: string) => samlTest('encrypted', `an encrypted assertion ${title}`)

/** Of an encrypted assertion that two programs would decrypt to two texts. */
export const twoTexts = (title: string) =>
  samlTest('two-plain-texts', `an encrypted assertion in which another reader finds another text ${title}`)

export const taken = (title: string) => samlTest('accepted', `a response signed by xmlsec1 is taken ${title}`)

/** A right response, which every guard lets pass. */
export const isTaken = taken('whose assertion is signed, and tells all that it says')
/** The same with its assertion encrypted. */
export const isDecrypted = taken('encrypted by AES (gcm)')
