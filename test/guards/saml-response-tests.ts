import { samlTest } from './guard.js'

/** A test with a forged or altered response. */
export const forged = (title: string) => samlTest('forged', `a forged response ${title}`)

/** A test with signature wrapping. */
export const wrapped = (title: string) => samlTest('wrapping', `a wrapped response ${title}`)

/** A test with a valid signature and invalid content. */
export const content = (title: string) => samlTest('content', `a response with a right signature ${title}`)

/** A test with invalid encryption or invalid decrypted content. */
export const encrypted = (title: string) => samlTest('encrypted', `an encrypted assertion ${title}`)

/** A test with an encrypted assertion that different parsers would decrypt to different texts. */
export const twoTexts = (title: string) =>
  samlTest('two-plain-texts', `an encrypted assertion in which another reader finds another text ${title}`)

export const taken = (title: string) => samlTest('accepted', `a response signed by xmlsec1 is taken ${title}`)

/** A test with a valid response, which passes every guard. */
export const isTaken = taken('whose assertion is signed, and tells all that it says')
/** The same with an encrypted assertion. */
export const isDecrypted = taken('encrypted by AES (gcm)')
