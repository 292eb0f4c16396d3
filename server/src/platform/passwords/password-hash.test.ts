import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { createMetrics, type Metrics } from '../observability/metrics.js'
import { toStoredForeignHash } from './foreign-hash.js'
import { openPasswordHasher, type PasswordCost, type PasswordHashes } from './password-hash.js'

async function countOf(metrics: Metrics, work: 'hash' | 'verify'): Promise<number> {
  const { values } = await metrics.passwordHashes.get()
  return values.find(({ labels }) => labels.work === work)?.value ?? 0
}

/** The minimum parameters of Argon2id, for tests that are not about the cost (RFC 9106 section 3.1). */
const least = { memorySize: 8, iterations: 1 }

function givenHasher(cost?: PasswordCost) {
  const metrics = createMetrics()
  const { admit, isOutdated } = openPasswordHasher(metrics, cost)
  const passwords: PasswordHashes = {
    hash: (plainText) => admit('acme', ({ hash }) => hash(plainText)),
    verify: (hash, plainText) => admit('acme', ({ verify }) => verify(hash, plainText)),
  }
  return { metrics, admit, isOutdated, passwords }
}

test('a hash verifies its password, in whichever form of Unicode it is typed, and no other', async () => {
  const { isOutdated, passwords } = givenHasher()
  const hash = await passwords.hash('ünïcode ②')

  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(isOutdated(hash)).toBe(false)
  for (const form of ['NFC', 'NFD', 'NFKC'])
    expect(await passwords.verify(hash, 'ünïcode ②'.normalize(form))).toBe(true)
  expect(await passwords.verify(hash, 'Ünïcode ②')).toBe(false)
})

const imported = [
  '$argon2id$v=19$m=4096,t=3,p=1$c29tZXNhbHQ$oYk+KlciOo2X0UGegVqJrccZ5G+uYh1xjjt8c8E+37A',
  // With the parameters of this service.
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$DjDzJZR0yLaJfEMRT2SiER4i7YrV8f4QS7ubVR8qaRE',
  '$2b$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u',
  '$scrypt$ln=14,r=8,p=1$aK2VEgIgBGDM2bs35vyfUw$WG9+v0vsnE220+LRzKstEd+JuCoe1r+mwbvxL9U/N+c',
  '$pbkdf2-sha256$29000$zBmjdK6VUgoBoNT6n9Naiw$06LJTDpfv8DnjqYVLRt72ChLu6Ac5OCAISDk3Mzb0jQ',
].map(toStoredForeignHash)

test.each(imported)('an imported hash is verified once, and is to be replaced: %s', async (hash) => {
  const { metrics, isOutdated, passwords } = givenHasher()

  expect(await passwords.verify(hash, 'correct horse ② é')).toBe(true)
  expect(await passwords.verify(hash, 'correct horse')).toBe(false)
  expect(await countOf(metrics, 'verify')).toBe(2)
  expect(isOutdated(hash)).toBe(true)
})

test('an imported hash that is faster than one of ours takes no less work than none', async () => {
  const { passwords } = givenHasher()
  const [faster] = imported
  const workOf = async (hash: string | undefined) => {
    const before = process.cpuUsage()
    for (let count = 0; count < 3; count += 1) await passwords.verify(hash, 'correct horse')
    return process.cpuUsage(before).user
  }
  await workOf(undefined)
  const ofNone = await workOf(undefined)

  // Without ours beside it, it takes a fifth.
  expect(await workOf(faster)).toBeGreaterThan(ofNone / 2)
})

test('without a hash one verification is made all the same, and nothing is right', async () => {
  const { metrics, passwords } = givenHasher(least)

  for (const plainText of ['', 'A', '\0'.repeat(32)])
    expect(await passwords.verify(undefined, plainText)).toBe(false)
  expect(await countOf(metrics, 'verify')).toBe(3)
  expect(await countOf(metrics, 'hash')).toBe(0)
})

const room = 2 * availableParallelism() + 100

test('beyond those at work and a hundred who wait, everybody is sent away until there is room', async () => {
  const { metrics, admit } = givenHasher(least)
  const verifyAt = (domain: string) => admit(domain, ({ verify }) => verify(undefined, 'correct horse'))

  const answers = await Promise.allSettled(
    Array.from({ length: room + 5 }, (_, index) => verifyAt(`organization-${index}`)),
  )

  const refused = answers.filter((answer) => answer.status === 'rejected')
  expect(refused.map(({ reason }): unknown => reason)).toEqual(
    Array.from({ length: 5 }, () => expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 1 })),
  )
  expect(await countOf(metrics, 'verify')).toBe(room)
  expect(await verifyAt('acme')).toBe(false)
})

test('one organization has half of the room, and the others the rest', async () => {
  const { admit, passwords } = givenHasher(least)
  const begun: string[] = []
  const flood = Promise.allSettled(
    Array.from({ length: room }, () =>
      admit('flooded', async ({ verify }) => {
        begun.push('flooded')
        return verify(undefined, 'x')
      }),
    ),
  )

  expect(await passwords.verify(undefined, 'x')).toBe(false)
  const answers = await flood
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(room / 2)
  // Refused work was not started.
  expect(begun).toHaveLength(room / 2)
})

test('a verification that fails gives its place to the next one', async () => {
  const { passwords } = givenHasher(least)
  const broken = Array.from({ length: 3 * availableParallelism() }, () => passwords.verify('$argon2id$', 'x'))

  for (const answer of await Promise.allSettled(broken)) expect(answer.status).toBe('rejected')
  expect(await passwords.verify(undefined, 'x')).toBe(false)
})
