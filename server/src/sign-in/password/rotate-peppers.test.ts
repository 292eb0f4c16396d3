import { EventEmitter, once } from 'node:events'
import { pino } from 'pino'
import { sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAccount } from '../../operations/accounts/accounts.js'
import { parseMasterKeys } from '../../platform/crypto/seal.js'
import { checkMasterKeys } from '../../platform/db/master-key-canary.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { jobHandlers } from '../../app/job-handlers.js'
import { startQueue, type Queue } from '../../delivery/jobs/run.given.js'
import { rewrapSealed } from '../../operations/master-keys/rewrap.js'
import { createOrganization } from '../../directory/organizations/organizations.js'
import type { Tenant } from '../../platform/tenant.js'
import { createUser } from '../../directory/users/users.js'
import { makePepperKey, unwrapHash, type PasswordOwner, type PepperOwner } from './pepper.js'
import { rotatePeppers } from './rotate-peppers.js'
import { findPassword } from './find-password.given.js'
import { lockNewestPepper, upgradePassword, writePassword } from './stored-password.js'

const periodMs = 3_600_000

let queue: Queue
let deps: Deps
let logLines: string[]

beforeAll(async () => {
  queue = await startQueue()
}, 60_000)

beforeEach(async () => {
  await queue.reset()
  logLines = []
  deps = { ...queue.deps, log: pino({}, { write: (line: string) => void logLines.push(line) }) }
  // Rows left by one test would consume the budget of the next, or be sealed with other master keys.
  for (const table of ['passwords', 'password_peppers', 'password_connections', 'master_key_canary'] as const)
    await queue.db.deleteFrom(table).execute()
})

/** An organization with passwords enabled, in the sandbox. */
async function givenOrganization() {
  const cause = { requestId: uuidv7(), actor: { type: 'operator', id: 'test' }, params: () => ({}) } as const
  const account = await createAccount(deps, { name: 'Acme', plan: 'unlimited' })
  const caller = {
    accountId: account.id,
    accountDomain: account.domain,
    environment: 'sandbox',
    id: 'operator',
    scopes: [],
    organizationIds: null,
    cause,
  } as const
  const { record } = await createOrganization(deps, caller, { name: 'Awesome Company' })
  const owner = { accountId: account.id, environment: 'sandbox', organizationId: record.id }
  const scope = { account_id: account.id, environment: 'sandbox', organization_id: record.id }
  const at = queue.now()
  await queue.db
    .insertInto('password_connections')
    .values({
      ...scope,
      id: uuidv7(),
      active: true,
      plain_text_min_length: 8,
      plain_text_max_length: 128,
      pepper_rotation_period: periodMs / 1000,
      inserted_at: at,
      updated_at: at,
    })
    .execute()
  await queue.db
    .insertInto('password_peppers')
    .values({
      ...scope,
      version: 1,
      key_sealed: makePepperKey(deps.keys.master, owner, 1),
      inserted_at: at,
    })
    .execute()
  return { owner, tenant: { ...caller, domain: record.domain } satisfies Tenant }
}

type Organization = Awaited<ReturnType<typeof givenOrganization>>

async function givenUser({ owner, tenant }: Organization): Promise<PasswordOwner> {
  const { record } = await createUser(deps, tenant, { email: `${uuidv7()}@people.example` })
  return { ...owner, userId: record.id }
}

async function givenPassword(organization: Organization, hash: string): Promise<PasswordOwner> {
  const user = await givenUser(organization)
  await inTransaction((trx) => writePassword(deps, trx, user, hash))
  return user
}

function inTransaction<Result>(work: (trx: Transaction<DB>) => Promise<Result>): Promise<Result> {
  return queue.db.transaction().execute(work)
}

/** A transaction that stays open until it is released. */
async function holding(work: (trx: Transaction<DB>) => Promise<unknown>): Promise<() => Promise<void>> {
  const end = new EventEmitter()
  const ended = once(end, 'end')
  let done: Promise<unknown> = Promise.resolve()
  await new Promise<void>((resolve, reject) => {
    done = inTransaction(async (trx) => {
      await work(trx)
      resolve()
      await ended
    })
    done.catch(reject)
  })
  return async () => {
    end.emit('end')
    await done
  }
}

async function peppers({ organizationId }: PepperOwner): Promise<number[]> {
  const rows = await queue.db
    .selectFrom('password_peppers')
    .where('organization_id', '=', organizationId)
    .select('version')
    .orderBy('version')
    .execute()
  return rows.map(({ version }) => version)
}

/** The number of wrapped hashes by version. */
async function wrapped({ organizationId }: PepperOwner): Promise<Record<number, number>> {
  const rows = await queue.db
    .selectFrom('passwords')
    .where('organization_id', '=', organizationId)
    .groupBy('pepper_version')
    .select(({ fn }) => ['pepper_version', fn.countAll<string>().as('count')])
    .execute()
  return Object.fromEntries(rows.map(({ pepper_version, count }) => [pepper_version, Number(count)]))
}

async function hashOf(user: PasswordOwner): Promise<string | undefined> {
  return (await findPassword(deps, queue.db, user))?.hash
}

describe('a pepper', () => {
  test('is replaced when its period is over, its hashes are wrapped anew, and it is destroyed', async () => {
    const organization = await givenOrganization()
    const users = [await givenPassword(organization, 'one'), await givenPassword(organization, 'two')]
    const before = await Promise.all(users.map((user) => findPassword(deps, queue.db, user)))
    queue.pass(periodMs - 1)
    expect(await rotatePeppers(deps)).toEqual({ made: 0, rewrapped: 0, destroyed: 0 })

    queue.pass(1)
    expect(await rotatePeppers(deps)).toEqual({ made: 1, rewrapped: 2, destroyed: 1 })

    expect(await peppers(organization.owner)).toEqual([2])
    expect(await wrapped(organization.owner)).toEqual({ 2: 2 })
    // The password is not new, so its time is unchanged, too.
    expect(await Promise.all(users.map((user) => findPassword(deps, queue.db, user)))).toEqual(before)
    expect(await rotatePeppers(deps)).toEqual({ made: 0, rewrapped: 0, destroyed: 0 })
  })

  test('is replaced by the job', async () => {
    const { owner } = await givenOrganization()
    queue.pass(periodMs)

    expect(jobHandlers.rotate_peppers.everySeconds).toBe(60)
    await jobHandlers.rotate_peppers.run(deps, {}, { isLast: false })

    expect(await peppers(owner)).toEqual([2])
  })

  test('is replaced once, however many processes rotate at once', async () => {
    const organization = await givenOrganization()
    const users = await Promise.all(
      ['one', 'two', 'three', 'four'].map((hash) => givenPassword(organization, hash)),
    )
    queue.pass(periodMs)

    const runs = await Promise.all(Array.from({ length: 5 }, () => rotatePeppers(deps)))
    await rotatePeppers(deps)

    expect(runs.reduce((sum, { made }) => sum + made, 0)).toBe(1)
    expect(await peppers(organization.owner)).toEqual([2])
    expect(await Promise.all(users.map(hashOf))).toEqual(['one', 'two', 'three', 'four'])
  })

  test('stays while a run has not come to all of its hashes', async () => {
    const organization = await givenOrganization()
    const users = await Promise.all(['one', 'two', 'three'].map((hash) => givenPassword(organization, hash)))
    queue.pass(periodMs)

    expect(await rotatePeppers(deps, 2)).toEqual({ made: 1, rewrapped: 2, destroyed: 0 })
    expect(await wrapped(organization.owner)).toEqual({ 1: 1, 2: 2 })
    expect(await Promise.all(users.map(hashOf))).toEqual(['one', 'two', 'three'])

    expect(await rotatePeppers(deps, 2)).toEqual({ made: 0, rewrapped: 1, destroyed: 1 })
    expect(await peppers(organization.owner)).toEqual([2])
    expect(await Promise.all(users.map(hashOf))).toEqual(['one', 'two', 'three'])
  })

  test('has a period of an hour at least, and of a year at most', async () => {
    const { owner } = await givenOrganization()
    const setPeriod = (pepper_rotation_period: number) =>
      queue.db
        .updateTable('password_connections')
        .set({ pepper_rotation_period })
        .where('organization_id', '=', owner.organizationId)
        .execute()

    for (const seconds of [0, 3_599, 31_536_001])
      await expect(setPeriod(seconds)).rejects.toMatchObject({
        constraint: 'password_connections_rotation_check',
      })
  })

  test('that wraps a hash cannot be deleted', async () => {
    const organization = await givenOrganization()
    await givenPassword(organization, 'one')

    const deletion = queue.db
      .deleteFrom('password_peppers')
      .where('organization_id', '=', organization.owner.organizationId)
      .execute()

    await expect(deletion).rejects.toMatchObject({ constraint: 'passwords_pepper_fkey' })
  })
})

describe('while peppers rotate', () => {
  test('nobody’s right password is refused', async () => {
    const organization = await givenOrganization()
    const hash = await deps.passwords.admit('acme', (hashes) => hashes.hash('correct horse'))
    const users = await Promise.all(Array.from({ length: 40 }, () => givenPassword(organization, hash)))
    let isRotating = true
    let verified = 0
    const signIn = async (lane: number) => {
      for (let round = 0; isRotating; round += 1) {
        const user = users[(lane + round * 7) % users.length] ?? (await givenUser(organization))
        const password = await findPassword(deps, queue.db, user)
        const isRight = await deps.passwords.admit('acme', (hashes) =>
          hashes.verify(password?.hash, 'correct horse'),
        )
        expect(isRight).toBe(true)
        verified += 1
      }
    }

    const lanes = [0, 1, 2, 3].map(signIn)
    for (let rotation = 0; rotation < 20; rotation += 1) {
      queue.pass(periodMs)
      await Promise.all([rotatePeppers(deps, 25), rotatePeppers(deps, 25)])
    }
    isRotating = false
    await Promise.all(lanes)
    await rotatePeppers(deps)

    expect(verified).toBeGreaterThan(20)
    expect(await peppers(organization.owner)).toEqual([21])
    expect(await wrapped(organization.owner)).toEqual({ 21: users.length })
  })

  test('a password that was being written with the former pepper is kept, and wrapped anew later', async () => {
    const organization = await givenOrganization()
    const user = await givenUser(organization)
    const finish = await holding((trx) => writePassword(deps, trx, user, 'one'))
    queue.pass(periodMs)

    expect(await rotatePeppers(deps)).toEqual({ made: 1, rewrapped: 0, destroyed: 0 })
    await finish()
    expect(await wrapped(organization.owner)).toEqual({ 1: 1 })
    expect(await hashOf(user)).toBe('one')

    expect(await rotatePeppers(deps)).toEqual({ made: 0, rewrapped: 1, destroyed: 1 })
    expect(await hashOf(user)).toBe('one')
  })

  test('a password that is being replaced is left alone, and the pepper of the former one stays for it', async () => {
    const organization = await givenOrganization()
    const user = await givenPassword(organization, 'one')
    queue.pass(periodMs)
    await rotatePeppers(deps, 0)
    const finish = await holding((trx) => writePassword(deps, trx, user, 'two'))

    expect(await rotatePeppers(deps)).toEqual({ made: 0, rewrapped: 0, destroyed: 0 })
    expect(await hashOf(user)).toBe('one')
    await finish()

    expect(await rotatePeppers(deps)).toEqual({ made: 0, rewrapped: 0, destroyed: 1 })
    expect(await hashOf(user)).toBe('two')
  })

  test('who waits for a pepper that is destroyed meanwhile takes its successor', async () => {
    const { owner } = await givenOrganization()
    const ofVersion = (trx: Transaction<DB>, version: number) =>
      trx
        .deleteFrom('password_peppers')
        .where('organization_id', '=', owner.organizationId)
        .where('version', '=', version)
        .execute()
    // One transaction inserts the successor and deletes the former pepper after the statement below has started.
    const finish = await holding(async (trx) => {
      await trx
        .insertInto('password_peppers')
        .values({
          account_id: owner.accountId,
          environment: owner.environment,
          organization_id: owner.organizationId,
          version: 2,
          key_sealed: makePepperKey(deps.keys.master, owner, 2),
          inserted_at: queue.now(),
        })
        .execute()
      await ofVersion(trx, 1)
    })

    const pepper = inTransaction((trx) => lockNewestPepper(trx, owner))
    await untilSomebodyWaits()
    await finish()

    expect(await Promise.allSettled([pepper])).toMatchObject([{ status: 'fulfilled', value: { version: 2 } }])
  })

  test('a better hash of a password is not written over a password that was set meanwhile', async () => {
    const organization = await givenOrganization()
    const user = await givenPassword(organization, 'old form')
    const seen = await findPassword(deps, queue.db, user)
    if (seen === undefined) throw new Error('there is no password')
    queue.pass(periodMs)
    await rotatePeppers(deps)

    expect(await inTransaction((trx) => upgradePassword(deps, trx, user, seen, 'new form'))).toBe(true)
    expect(await findPassword(deps, queue.db, user)).toEqual({ ...seen, hash: 'new form' })

    await inTransaction((trx) => writePassword(deps, trx, user, 'another password'))
    expect(await inTransaction((trx) => upgradePassword(deps, trx, user, seen, 'late'))).toBe(false)
    expect(await hashOf(user)).toBe('another password')
  })
})

describe('a hash that does not open', () => {
  test('is no password: not when it was copied from another user, nor to another organization, nor altered', async () => {
    const [here, elsewhere] = [await givenOrganization(), await givenOrganization()]
    const source = await givenPassword(here, 'hash one')
    const { hash_wrapped } = await queue.db
      .selectFrom('passwords')
      .where('user_id', '=', source.userId)
      .select('hash_wrapped')
      .executeTakeFirstOrThrow()
    const targets = [
      await givenPassword(here, 'hash two'),
      await givenPassword(elsewhere, 'hash three'),
      await givenPassword(here, 'hash four'),
      await givenPassword(here, 'hash five'),
    ]
    const altered = Buffer.from(hash_wrapped)
    altered.writeUInt8(altered.readUInt8(30) ^ 1, 30)
    const contents = [hash_wrapped, hash_wrapped, altered, Buffer.alloc(0)]
    for (const [index, { userId }] of targets.entries())
      await queue.db
        .updateTable('passwords')
        .set({ hash_wrapped: contents[index] })
        .where('user_id', '=', userId)
        .execute()

    for (const target of targets) expect(await findPassword(deps, queue.db, target)).toBeUndefined()

    expect(await hashOf(source)).toBe('hash one')
    expect(logLines).toHaveLength(targets.length)
    for (const line of logLines) expect(line).toContain('a stored password does not open')
    expect(logLines.join('')).not.toMatch(/hash (one|two|three|four|five)/)
  })

  test('stays as it is when peppers rotate, and hinders no other', async () => {
    const organization = await givenOrganization()
    const users = await Promise.all(['one', 'two', 'three'].map((hash) => givenPassword(organization, hash)))
    const [broken, ...others] = users.toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
    const expected = await Promise.all(others.map(hashOf))
    await queue.db
      .updateTable('passwords')
      .set({ hash_wrapped: Buffer.alloc(60) })
      .where('user_id', '=', broken?.userId ?? '')
      .execute()
    queue.pass(periodMs)

    expect(await rotatePeppers(deps, 1)).toEqual({ made: 1, rewrapped: 1, destroyed: 0 })
    expect(await rotatePeppers(deps, 1)).toEqual({ made: 0, rewrapped: 1, destroyed: 0 })

    expect(await wrapped(organization.owner)).toEqual({ 1: 1, 2: 2 })
    expect(await Promise.all(others.map(hashOf))).toEqual(expected)
  })
})

describe('the master key', () => {
  test('a copy of the database verifies no password without it: it does not start, and nothing opens', async () => {
    const organization = await givenOrganization()
    const user = await givenPassword(organization, 'one')
    await checkMasterKeys(queue.db, deps.keys.master)
    const { owner } = organization
    const { hash_wrapped, key_sealed } = await queue.db
      .selectFrom('passwords')
      .innerJoin('password_peppers as pepper', 'pepper.organization_id', 'passwords.organization_id')
      .where('user_id', '=', user.userId)
      .select(['hash_wrapped', 'key_sealed'])
      .executeTakeFirstOrThrow()
    const pepper = { version: 1, keySealed: key_sealed }
    expect(unwrapHash(deps.keys.master, pepper, user, hash_wrapped)).toBe('one')

    for (const version of ['v1', 'v2']) {
      const another = parseMasterKeys(`${version}:${Buffer.alloc(32, 2).toString('base64')}`)
      await expect(checkMasterKeys(queue.db, another)).rejects.toThrow('MASTER_KEYS are not the keys')
      expect(() => unwrapHash(another, pepper, user, hash_wrapped)).toThrow()
      const keys = { ...deps.keys, master: another }
      expect(await findPassword({ ...deps, keys }, queue.db, user)).toBeUndefined()
      const made = { version: 1, keySealed: makePepperKey(another, owner, 1) }
      expect(() => unwrapHash(another, made, user, hash_wrapped)).toThrow()
    }
  })

  test('a new one seals peppers anew, and passwords open without the former', async () => {
    const organization = await givenOrganization()
    const user = await givenPassword(organization, 'one')
    await checkMasterKeys(queue.db, deps.keys.master)
    const former = Buffer.alloc(32, 1).toString('base64')
    const next = Buffer.alloc(32, 2).toString('base64')

    await rewrapSealed(
      { db: queue.db, keys: { ...deps.keys, master: parseMasterKeys(`v2:${next},v1:${former}`) } },
      () => undefined,
    )

    const only = (text: string) => ({ ...deps, keys: { ...deps.keys, master: parseMasterKeys(text) } })
    expect((await findPassword(only(`v2:${next}`), queue.db, user))?.hash).toBe('one')
    expect(await findPassword(only(`v1:${former}`), queue.db, user)).toBeUndefined()
  })
})

/** Resolves once a statement waits for a lock. */
async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ is_waiting: boolean }>`
      select exists (select from pg_locks where not granted) as is_waiting`.execute(queue.db)
    if (rows[0]?.is_waiting) return
  }
}
