import { newRsaKeyPair as make } from '@portico/server/saml/rsa-key-pair'

type KeyPair = Awaited<ReturnType<typeof make>>

/** As many as a test may have that compares keys. */
const count = 8
const pairs: Promise<KeyPair>[] = []
let next = 0

/** The first eight RSA key pairs of a worker, again and again: each takes as long to make as some forty requests. */
export function newRsaKeyPair(): Promise<KeyPair> {
  const index = next++ % count
  return (pairs[index] ??= make())
}
