import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors.js'
import { isForeignHash, toStoredForeignHash, verifyForeignHash } from './foreign-hash.js'

// ② is 2 after NFKC, and é is one character here and two below.
const password = 'correct horse ② é'

/** Hashes of the password, each named after the tool that created it. */
const hashes = [
  ['argon2 -i', '$argon2i$v=19$m=4096,t=3,p=1$c29tZXNhbHQ$TNtAMI6vBb6zM3fQ53YDstoW7GccD6wio094Gtdb/xE'],
  ['argon2 -d', '$argon2d$v=19$m=4096,t=3,p=1$c29tZXNhbHQ$3j4VLKbtQ2jpaDY3MAQK0xCxrn11azCeI3tH9rsTkg0'],
  ['argon2 -id', '$argon2id$v=19$m=4096,t=3,p=1$c29tZXNhbHQ$oYk+KlciOo2X0UGegVqJrccZ5G+uYh1xjjt8c8E+37A'],
  [
    'argon2 -id -v 10 -m 14 -t 1 -p 4 -l 64',
    '$argon2id$v=16$m=16384,t=1,p=4$c29tZXNhbHQ$Ze0TI4Jj6HpuezhJ1VA5LV7Pu5Y9vJsHjx9Gfsn+IEM6QCtCkTDZ4A7BSummyriLiUT00FIADoeMYv5ZewsJeQ',
  ],
  [
    'argon2 with the parameters of this service',
    '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$DjDzJZR0yLaJfEMRT2SiER4i7YrV8f4QS7ubVR8qaRE',
  ],
  [
    'Django, Argon2',
    'argon2$argon2id$v=19$m=4096,t=3,p=1$c29tZXNhbHQ$oYk+KlciOo2X0UGegVqJrccZ5G+uYh1xjjt8c8E+37A',
  ],
  ['libxcrypt $2a$', '$2a$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u'],
  ['libxcrypt $2b$', '$2b$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u'],
  ['libxcrypt $2y$', '$2y$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u'],
  [
    'passlib scrypt',
    '$scrypt$ln=14,r=8,p=1$aK2VEgIgBGDM2bs35vyfUw$WG9+v0vsnE220+LRzKstEd+JuCoe1r+mwbvxL9U/N+c',
  ],
  [
    'Django, scrypt, by hashlib',
    'scrypt$16384$NaClNaClNaCl$8$5$hePsDnd32zLfuYKlmVfdotBir+AZzl1sdU6m9H0L+sO0Cgu86viW22cthtuFkswpjgUvNVrKF2nrg5U91wvm8A==',
  ],
  [
    'Werkzeug, scrypt, by hashlib',
    'scrypt:32768:8:1$NaClNaClNaCl$a792d2a68f5eea06ddc83a461658d1bfaa932900bf5588bd293805808d0fd7dc60b1fc958567c57a7f55656725a90ecfe5dbec4a00bc37e31c2ec0d9e15c360b',
  ],
  [
    'passlib pbkdf2_sha256',
    '$pbkdf2-sha256$29000$zBmjdK6VUgoBoNT6n9Naiw$06LJTDpfv8DnjqYVLRt72ChLu6Ac5OCAISDk3Mzb0jQ',
  ],
  [
    'passlib pbkdf2_sha512',
    '$pbkdf2-sha512$25000$snaOUUophTBmbG0tBQBgbA$In/J1eXbLR5v9WWW/leUnkg8IdwhtvQHaK9H9V0eJ1xclyh/nnBtck1SF.ia1HpY2QTBj8Vq8Jzg9fUUgg4ntw',
  ],
  ['passlib pbkdf2_sha1', '$pbkdf2$131000$5txby9kbA8C4F6JUqlXqfQ$/A2uOZ6Tb.YY6UXrOjXZcW4ltG0'],
  [
    'PHC string, PBKDF2, by hashlib',
    '$pbkdf2-sha512$i=210000,l=64$AAECAwQFBgcICQoLDA0ODw$LK2MAlnpTJkb8h62dTjcKnASveDxlpkr0z5WMGeZpimNsJOn163j7VI3UfD1TiYwhRij891WiIAJmG3wkJ1ehA',
  ],
  [
    'Keycloak, two blocks of SHA-256, by hashlib',
    '$pbkdf2-sha256$27500$AAECAwQFBgcICQoLDA0ODw==$V0/sQdgNNhvrKi/qGByxlZ73Kqg21lC/9XSF6FYZT0VDptGPnda78dX7YBNcCyuVgxILeZiJB9H/KIaE/rYgNw==',
  ],
  [
    'passlib django_pbkdf2_sha256',
    'pbkdf2_sha256$29000$CzYQ8WgqL8ei$OLnAEtP5wvc9B62C2KgvayEThCN3C1M6bEc1Hr0RZCo=',
  ],
  ['Django, SHA-1, by hashlib', 'pbkdf2_sha1$390000$NaClNaClNaCl$NqA/i4MKQuCMy7TADv+woLy/g8s='],
  [
    'Werkzeug, PBKDF2, by hashlib',
    'pbkdf2:sha256:260000$NaClNaClNaCl$0fb7e4f795c14608f4d41130d5db277268eecd0c74daca6e279fbdf897450037',
  ],
] as const

describe.each(hashes)('a hash of %s', (_, hash) => {
  test('verifies its password as it was typed, and no other', async () => {
    const stored = toStoredForeignHash(hash)

    expect(isForeignHash(stored)).toBe(true)
    expect(await verifyForeignHash(stored, password)).toBe(true)
    for (const other of ['correct horse', password.normalize('NFKC'), password.normalize('NFD'), ''])
      expect(await verifyForeignHash(stored, other)).toBe(false)
  })

  test('is refused when it is cut, or something follows it', () => {
    expect(() => toStoredForeignHash(`${hash}\n`)).toThrow(ApiError)
    expect(() => toStoredForeignHash(` ${hash}`)).toThrow(ApiError)
    expect(() => toStoredForeignHash(hash.slice(0, hash.lastIndexOf('$') + 4))).toThrow(ApiError)
  })
})

// Published with crypt_blowfish.
test.each([
  ['$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', 'U*U'],
  ['$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK', 'U*U*'],
  ['$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a', 'U*U*U'],
  [
    '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
    '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored',
  ],
])('the bcrypt vector %s verifies', async (hash, plainText) => {
  const stored = toStoredForeignHash(hash)

  expect(await verifyForeignHash(stored, plainText)).toBe(true)
  expect(await verifyForeignHash(stored, `-${plainText}`)).toBe(false)
})

const argon2 = (parameters: string) => `$argon2id$v=19$${parameters}$c29tZXNhbHQ$${'A'.repeat(43)}`
const bcrypt = (cost: string) => `$2b$${cost}$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u`
const scrypt = (parameters: string) => `$scrypt$${parameters}$aK2VEgIgBGDM2bs35vyfUw$${'A'.repeat(43)}`
const pbkdf2 = (iterations: number) => `pbkdf2_sha256$${iterations}$NaCl$${'A'.repeat(43)}=`

test.each([argon2('m=131072,t=8,p=16'), bcrypt('14'), scrypt('ln=17,r=8,p=3'), pbkdf2(2_000_000)])(
  'the costliest that a sign-in may be is taken: %s',
  (hash) => {
    expect(isForeignHash(toStoredForeignHash(hash))).toBe(true)
  },
)

test.each([
  argon2('m=131073,t=1,p=1'),
  argon2('m=131072,t=9,p=1'),
  argon2('m=4096,t=3,p=17'),
  argon2('m=15,t=1,p=2'),
  argon2('m=4096,t=0,p=1'),
  argon2('m=4096,t=3,p=0'),
  bcrypt('15'),
  bcrypt('03'),
  scrypt('ln=18,r=8,p=1'),
  scrypt('ln=17,r=8,p=4'),
  scrypt('ln=14,r=8,p=17'),
  scrypt('ln=0,r=8,p=1'),
  scrypt('ln=14,r=0,p=1'),
  scrypt('ln=16,r=1,p=1'),
  scrypt('ln=14,r=8,p=0'),
  'scrypt$16383$NaCl$8$1$' + 'A'.repeat(43),
  pbkdf2(2_000_001),
  pbkdf2(0),
])('a hash is refused whose parameters no sign-in may cost: %s', (hash) => {
  expect(() => toStoredForeignHash(hash)).toThrow(
    expect.objectContaining({ fields: [expect.objectContaining({ code: 'too_costly' })] }),
  )
})

test.each([
  '',
  'letmein',
  '5f4dcc3b5aa765d61d8327deb882cf99',
  '$1$salt$qJH7.N4xYta3aEG/dfqo/0',
  '$2x$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u',
  '$argon2id$v=18$m=4096,t=3,p=1$c29tZXNhbHQ$oYk+KlciOo2X0UGegVqJrccZ5G+uYh1xjjt8c8E+37A',
  '$argon2id$v=19$m=4096,t=3,p=1,keyid=AA$c29tZXNhbHQ$oYk+KlciOo2X0UGegVqJrccZ5G+uYh1xjjt8c8E+37A',
  '$argon2id$v=19$m=4096,t=3,p=1$c29tZXNhbHQ$oYk+KlciOo2X0UGegVqJrccZ5G+uYh1xjjt8c8E+37B',
  '$2b$05$abcdefghijklmnopqrstuvF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u',
  '$2b$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3v',
  '$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$',
  'pbkdf2_md5$1000$NaCl$' + 'A'.repeat(22),
  'imported:$2b$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u',
])('a text of another form is refused, and not repeated: %j', (text) => {
  const refusal = (): unknown => {
    try {
      return toStoredForeignHash(text)
    } catch (error) {
      return error
    }
  }

  expect(refusal()).toMatchObject({ fields: [{ path: 'password_hash', code: 'unknown_form' }] })
  if (text !== '') expect(JSON.stringify(refusal())).not.toContain(text)
})
