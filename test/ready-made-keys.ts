import { newRsaKeyPair as make } from '@portico/server/saml/rsa-key-pair'

type KeyPair = Awaited<ReturnType<typeof make>>

/** The maximum number of distinct keys that a test may compare. */
const count = 8
const pairs: Promise<KeyPair>[] = []
let next = 0

/** Reuses the first eight RSA key pairs of a worker in rotation: generating one takes as long as some forty requests. */
export function newRsaKeyPair(): Promise<KeyPair> {
  const index = next++ % count
  return (pairs[index] ??= make())
}
