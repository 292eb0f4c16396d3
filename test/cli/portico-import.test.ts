import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { tablesWith } from '../api/stored-text.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { givenFolder, portico, porticoJson, program, type Outcome } from './portico.js'
import { longTest } from '../sampled.js'

const service = await startService()
const client = await service.client()

const bcryptHash = '$2b$05$abcdefghijklmnopqrstuuF7rYohnG6HfAmIoG44JJ7SsUY9p.Q3u'

function variables(): Record<string, string> {
  return { DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys }
}

/** An organization with passwords enabled, and the arguments of an import into it. */
async function givenTarget({ hasPasswords = true } = {}) {
  const { domain: org_domain } = await service.given.organization()
  if (hasPasswords) await client.password.createConnection({ org_domain })
  const scope = ['--account', service.account.domain, '--environment', 'sandbox']
  return { org_domain, scope: [...scope, '--organization', org_domain] }
}

/** A file with these lines: objects as JSON, text unchanged. */
function givenFile(lines: readonly (object | string | Buffer)[]): string {
  const file = join(givenFolder(), 'users.jsonl')
  const bytes = lines.map((line) =>
    Buffer.isBuffer(line) ? line : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)),
  )
  writeFileSync(file, Buffer.concat(bytes.flatMap((line) => [line, Buffer.from('\n')])))
  return file
}

function run(file: string, scope: readonly string[]): Promise<Outcome> {
  return portico(['import-users', file, ...scope, '--json'], variables())
}

function summaryOf({ stdout }: Outcome): unknown {
  return JSON.parse(stdout)
}

async function emailsOf(org_domain: string): Promise<string[]> {
  const emails: string[] = []
  for await (const user of client.users.list.all({ org_domain })) emails.push(user.email)
  return emails
}

/** The stored password of each user, to detect changes. */
function storedPasswords(org_domain: string): Promise<unknown[]> {
  return service.query(
    `select passwords.* from passwords join organizations on organizations.id = passwords.organization_id
     where organizations.domain = $1 order by user_id`,
    [org_domain],
  )
}

describe('portico import-users', { timeout: 60_000 }, () => {
  test('makes a user of each line, with all that the API takes of one, and an event of each', async () => {
    const { org_domain, scope } = await givenTarget()
    const name = `plan_${anything()}`
    await service.given.metaKey({ org_domain, name })
    const [ada, grace, alan] = [anyEmail(), anyEmail(), anyEmail()]
    const file = givenFile([
      {
        email: ada,
        email_verified: true,
        password_hash: bcryptHash,
        given_name: 'Ada',
        address: { locality: 'London' },
        phone_number: '+442079460000',
        metadata: [{ key: name, value: 'gold' }],
      },
      '',
      { email: grace.toUpperCase(), active: false, domain: org_domain, environment: 'SANDBOX' },
      `\uFEFF${JSON.stringify({ email: alan })}\r`,
    ])

    const outcome = await run(file, scope)

    expect([outcome.code, outcome.stderr]).toEqual([0, ''])
    expect(summaryOf(outcome)).toEqual({ made: 3, already_there: 0, refused: 0 })
    const user = await client.users.getByEmail({ org_domain, user_email: ada })
    expect(user).toMatchObject({
      email_verified: true,
      phone_number: '+442079460000',
      profile: { given_name: 'Ada' },
      address: { locality: 'London' },
      metadata: [{ key: { name }, value: 'gold' }],
    })
    expect(await client.users.getByEmail({ org_domain, user_email: grace })).toMatchObject({
      active: false,
      email_verified: false,
    })
    const events = await client.events.list()
    const ofHere = events.data.filter(
      ({ __domain__, code }) => __domain__ === org_domain && code === 'user.user.create.success',
    )
    expect(ofHere.map(({ actor }) => actor.type)).toEqual(['operator', 'operator', 'operator'])
    expect(ofHere.find(({ data }) => 'email' in data && data.email === ada)?.data).toEqual(user)
    expect(await storedPasswords(org_domain)).toHaveLength(1)
    expect(await tablesWith(service, bcryptHash.slice(7))).toEqual([])
  })

  test('takes the example of its guide', async () => {
    const { org_domain, scope } = await givenTarget()
    await service.given.metaKey({ org_domain, name: 'employee_number' })
    const guide = readFileSync(new URL('../../docs/guides/import.md', import.meta.url), 'utf8')
    const [, example = ''] = /^```json\n([^]*?)^```$/m.exec(guide) ?? []

    const outcome = await run(givenFile([JSON.parse(example) as object]), scope)

    expect([outcome.code, outcome.stderr]).toEqual([0, ''])
    expect(summaryOf(outcome)).toEqual({ made: 1, already_there: 0, refused: 0 })
    expect(await storedPasswords(org_domain)).toHaveLength(1)
  })

  test('tells of each wrong line its number and what is wrong, without what stands there, and makes the others', async () => {
    const { org_domain, scope } = await givenTarget()
    const canary = `canary${anything()}`
    const of = (members: object) => ({ email: anyEmail(), ...members })
    const wrong: [object | string | Buffer, RegExp][] = [
      [canary, /^It is not a JSON object/],
      [`{"email": "${canary}`, /^It is not a JSON object/],
      [Buffer.from([0x22, 0xff, 0x22]), /^It is not a JSON object in UTF-8/],
      [`"${canary}"`, /^The line must be an object/],
      [{ given_name: canary }, /^email is required/],
      [{ email: canary }, /^email must be an e-mail address/],
      [of({ birthdate: canary }), /^birthdate /],
      [of({ nick_name: canary }), /^nick_name is not a member of a user/],
      [of({ [`${canary} x`]: 1 }), /^A member is not a member of a user/],
      [of({ given_name: `${canary}\0` }), /^given_name must not contain NUL/],
      [of({ phone_number: '+999123456789' }), /^phone_number must begin with a country code/],
      [of({ domain: canary }), /^domain must be /],
      [of({ environment: 'production' }), /^environment must be sandbox/],
      [of({ metadata: [{ key: canary, value: 'x' }] }), /key/i],
      [of({ password_hash: canary }), /^password_hash must be a hash of bcrypt/],
      [of({ password_hash: bcryptHash.replace('$05', '$31') }), /^password_hash has parameters/],
      [of({ password_hash: null }), /^password_hash must be text/],
      [of({ given_name: canary.repeat(20_000) }), /^It is longer than 100 kB/],
    ]
    const right = of({})

    const outcome = await run(givenFile([...wrong.map(([line]) => line), right]), scope)

    expect(outcome.code).toBe(1)
    expect(summaryOf(outcome)).toEqual({ made: 1, already_there: 0, refused: wrong.length })
    const [end, ...faults] = outcome.stderr.trimEnd().split('\n').toReversed()
    expect(end).toMatch(/^portico: 18 lines were not imported/)
    const told = new Map(
      faults.map((fault) => {
        const [, number, sentence = ''] = /^line (\d+): (.*)$/.exec(fault) ?? []
        return [Number(number), sentence]
      }),
    )
    for (const [index, [, sentence]] of wrong.entries()) expect(told.get(index + 1)).toMatch(sentence)
    expect(told.size).toBe(wrong.length)
    expect(outcome.stdout + outcome.stderr).not.toContain(canary)
    expect(await emailsOf(org_domain)).toEqual([right.email])
  })

  test('leaves who is there already as they are, password and all', async () => {
    const { org_domain, scope } = await givenTarget()
    const email = anyEmail()
    await run(givenFile([{ email, given_name: 'Ada', password_hash: bcryptHash }]), scope)
    const before = [
      await client.users.getByEmail({ org_domain, user_email: email }),
      await storedPasswords(org_domain),
    ]

    const another = bcryptHash.replace('F7r', 'F7s')
    const outcome = await run(
      givenFile([
        { email: email.toUpperCase(), given_name: 'Eve', password_hash: another },
        { email: 'twice@people.example', password_hash: bcryptHash },
        { email: 'TWICE@people.example', password_hash: another },
      ]),
      scope,
    )

    expect(outcome.code).toBe(0)
    expect(summaryOf(outcome)).toEqual({ made: 1, already_there: 2, refused: 0 })
    const [user, passwords] = before
    expect(await client.users.getByEmail({ org_domain, user_email: email })).toEqual(user)
    expect(await storedPasswords(org_domain)).toEqual(expect.arrayContaining(passwords as unknown[]))
    expect(await storedPasswords(org_domain)).toHaveLength(2)
  })

  longTest('goes on where it was killed, and makes nobody twice', async () => {
    const { org_domain, scope } = await givenTarget()
    const count = 2_000
    const file = givenFile(
      Array.from({ length: count }, (_, index) => ({
        email: `user${index}@people.example`,
        password_hash: bcryptHash,
      })),
    )
    const made = async () => {
      const [row] = await service.query<{ users: number; events: number; passwords: number }>(
        `select
           (select count(*)::integer from users where organization_id = organizations.id) as users,
           (select count(*)::integer from events where organization_id = organizations.id
             and code = 'user.user.create.success') as events,
           (select count(*)::integer from passwords where organization_id = organizations.id) as passwords
         from organizations where domain = $1`,
        [org_domain],
      )
      return row ?? { users: 0, events: 0, passwords: 0 }
    }

    const child = spawn(process.execPath, [program, 'import-users', file, ...scope], {
      cwd: givenFolder(),
      env: { PATH: process.env.PATH, ...variables() },
      stdio: 'ignore',
    })
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
    while ((await made()).users === 0) await sleep(5)
    child.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    const between = await made()
    expect(between.users).toBeLessThan(count)
    expect(between).toEqual({ users: between.users, events: between.users, passwords: between.users })

    const outcome = await run(file, scope)

    expect(outcome.code).toBe(0)
    const { made: rest, already_there: first } = JSON.parse(outcome.stdout) as Record<string, number>
    expect(first).toBeGreaterThanOrEqual(between.users)
    expect((rest ?? 0) + (first ?? 0)).toBe(count)
    expect(await made()).toEqual({ users: count, events: count, passwords: count })
  })

  longTest('two at once make nobody twice', async () => {
    const { org_domain, scope } = await givenTarget()
    const users = Array.from({ length: 600 }, (_, index) => ({
      email: `user${index}@people.example`,
      password_hash: bcryptHash,
    }))

    const outcomes = await Promise.all([
      run(givenFile(users), scope),
      run(givenFile(users.toReversed()), scope),
    ])

    expect(outcomes.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(await emailsOf(org_domain)).toHaveLength(600)
    expect(await storedPasswords(org_domain)).toHaveLength(600)
  })

  test('says in a sentence what it cannot do, and has done nothing then', async () => {
    const { org_domain, scope } = await givenTarget({ hasPasswords: false })
    const hashed = givenFile([{ email: anyEmail(), password_hash: bcryptHash }])
    const plain = givenFile([{ email: anyEmail() }])
    const fault = async (file: string, options: readonly string[]) => {
      const { code, stdout, stderr } = await run(file, options)
      return [code, stdout, stderr]
    }

    expect(await fault(hashed, scope)).toEqual([1, '', expect.stringContaining('has no password connection')])
    expect(await fault(plain, scope.with(-1, 'nowhere'))).toEqual([
      1,
      '',
      expect.stringContaining('has no organization nowhere'),
    ])
    expect(await fault(plain, scope.with(1, 'nowhere'))).toEqual([
      1,
      '',
      expect.stringContaining('There is no account nowhere'),
    ])
    expect(await fault(join(givenFolder(), 'none.jsonl'), scope)).toEqual([
      1,
      '',
      expect.stringContaining('does not exist'),
    ])
    expect(await emailsOf(org_domain)).toEqual([])
    expect(await porticoJson(['import-users', plain, ...scope], variables())).toMatchObject({ made: 1 })
  })
})
