import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { givenFolder, porticoJson } from '../cli/portico.js'
import { hasTool } from '../debian-tools.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { verifiedPasswords } from '../given/counted.js'

const service = await startService()
const client = await service.client()

const password = 'correct horse ② é'

/** Imports users with these hashes into an organization in which they can sign in. */
async function givenImported(hashes: readonly string[]) {
  const { domain: org_domain } = await service.given.organization()
  await service.given.application({ org_domain, organization_domain_scope: org_domain })
  await client.password.createConnection({ org_domain })
  const users = hashes.map((password_hash) => ({ email: anyEmail(), password_hash }))
  const file = join(givenFolder(), 'users.jsonl')
  writeFileSync(file, users.map((user) => `${JSON.stringify(user)}\n`).join(''))
  const scope = ['--account', service.account.domain, '--environment', 'sandbox']
  const variables = { DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys }
  expect(
    await porticoJson(['import-users', file, ...scope, '--organization', org_domain], variables),
  ).toMatchObject({ made: hashes.length })
  return users.map(({ email }) => ({
    email,
    org_domain,
    signIn: async (plain_text: string) => {
      const challenge = await client.password.createChallenge({ org_domain, user_email: email, plain_text })
      return challenge['valid?']
    },
  }))
}

/** The length of a user's encrypted password hash, which depends on that of the hash. */
async function storedLength(email: string): Promise<number> {
  const [row] = await service.query<{ length: number }>(
    `select length(hash_wrapped) from passwords join users on users.id = passwords.user_id where email = $1`,
    [email],
  )
  return row?.length ?? 0
}

test.skipIf(!hasTool('argon2')).each(['-i', '-d', '-id'])(
  'a hash of the argon2 command, %s, signs in who knows its password, and nobody else',
  async (type) => {
    const hash = execFileSync('argon2', ['some salt', type, '-e'], { input: password, encoding: 'utf8' })
    const [user] = await givenImported([hash.trim()])

    expect(await user?.signIn('correct horse')).toBe(false)
    expect(await user?.signIn(password)).toBe(true)
  },
)

describe('an imported hash', () => {
  test('of each kind signs in with the password as it was typed', async () => {
    const users = await givenImported([
      '$2y$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u',
      '$scrypt$ln=14,r=8,p=1$aK2VEgIgBGDM2bs35vyfUw$WG9+v0vsnE220+LRzKstEd+JuCoe1r+mwbvxL9U/N+c',
      '$pbkdf2-sha512$25000$snaOUUophTBmbG0tBQBgbA$In/J1eXbLR5v9WWW/leUnkg8IdwhtvQHaK9H9V0eJ1xclyh/nnBtck1SF.ia1HpY2QTBj8Vq8Jzg9fUUgg4ntw',
      'pbkdf2_sha256$29000$CzYQ8WgqL8ei$OLnAEtP5wvc9B62C2KgvayEThCN3C1M6bEc1Hr0RZCo=',
    ])

    for (const { signIn } of users)
      expect([await signIn('correct horse'), await signIn(password)]).toEqual([false, true])
  })

  test('gives way to one of this service at the first right password, and not at a wrong one', async () => {
    const [user] = await givenImported(['$2b$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u'])
    const imported = await storedLength(user?.email ?? '')

    await user?.signIn('wrong')
    expect(await storedLength(user?.email ?? '')).toBe(imported)
    const before = await verifiedPasswords(service)
    expect(await user?.signIn(password)).toBe(true)
    expect(await verifiedPasswords(service)).toBe(before + 1)

    expect(await storedLength(user?.email ?? '')).toBeGreaterThan(imported)
    // Only the service's own hashes fold compatibility characters: ② is 2.
    expect(await user?.signIn(password.normalize('NFKC'))).toBe(true)
    expect(await user?.signIn('wrong')).toBe(false)
  })

  longTest('signs in while peppers rotate, and nobody by another’s', async () => {
    const hash = '$2b$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u'
    const another = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'
    const users = await givenImported([...Array.from({ length: 20 }, () => hash), another])
    const signInAll = () => Promise.all(users.slice(0, -1).map(({ signIn }) => signIn(password)))

    for (let rotation = 0; rotation < 3; rotation += 1) {
      await service.clock.advance(86_400)
      const [answers] = await Promise.all([signInAll(), service.runJobs()])
      expect(answers).toEqual(answers.map(() => true))
    }
    // A row locked by a sign-in during the last rotation is handled by the next one.
    await service.clock.advance(60)
    await service.runJobs()
    const peppers = await service.query<{ version: number }>(
      `select distinct pepper.version from password_peppers pepper
       join organizations on organizations.id = pepper.organization_id where domain = $1`,
      [users[0]?.org_domain],
    )
    expect(peppers).toEqual([{ version: 4 }])

    const [victim] = users
    const attacker = users.at(-1)
    await service.query(
      `update passwords set hash_wrapped = source.hash_wrapped
       from passwords source, users mine, users theirs
       where mine.email = $1 and source.user_id = mine.id and theirs.email = $2 and passwords.user_id = theirs.id`,
      [attacker?.email, victim?.email],
    )
    expect(await attacker?.signIn('U*U')).toBe(true)
    expect(await victim?.signIn('U*U')).toBe(false)
    expect(await victim?.signIn(password)).toBe(false)
    expect(service.logLines.filter((line) => line.includes('a stored password does not open'))).toHaveLength(
      2,
    )
  })
})
