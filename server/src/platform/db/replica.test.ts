import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  asChanges,
  asReads,
  furthest,
  openPositions,
  toPosition,
  type Fallback,
  type Positions,
} from './positions.js'
import type { StatementPool } from './prepared.js'
import { replicaPool } from './replica.js'

const accountId = 'a1'
const maxLagMs = 1_000

/** A pool whose rows say who has answered. */
function answering(by: string): StatementPool {
  return {
    connect: () =>
      Promise.resolve({ query: () => Promise.resolve(resultOf([{ by }])), release: () => undefined }),
    end: () => Promise.resolve(),
  }
}

function resultOf(rows: object[]): pg.QueryResult {
  return { command: '', rowCount: rows.length, oid: 0, fields: [], rows }
}

interface At {
  primary: string
  replica: string
  isReplica: boolean
  /** Of which database the replica is. */
  database: string
  /** Whether it does not answer how new it is. */
  isSilent: boolean
  /** What a statement fails with. */
  error: Error | undefined
}

/** A primary and a replica whose log has come to the given places. */
function givenReplica() {
  const at: At = {
    ...{ primary: '0/10', replica: '0/10', isReplica: true, database: '71/5' },
    ...{ isSilent: false, error: undefined },
  }
  const reads: (Fallback | 'replica')[] = []
  const positions = openPositions(maxLagMs, () =>
    Promise.resolve({ position: toPosition(at.primary), database: '71/5' }),
  )
  const replica: StatementPool = {
    connect: () =>
      Promise.resolve({
        query(_text, _values, before) {
          const replayed = toPosition(at.replica)
          const [own, old, database] = before?.values.map(String) ?? []
          const has = (position = '') => replayed >= position
          if (at.isSilent) return Promise.reject(at.error ?? new Error('silent'))
          const isSame = at.database === database
          before?.onAnswer([
            { is_replica: at.isReplica, is_same: isSame, has_own: has(own), has_old: has(old) },
          ])
          return at.error === undefined
            ? Promise.resolve(resultOf([{ by: 'replica' }]))
            : Promise.reject(at.error)
        },
        release: () => undefined,
      }),
    end: () => Promise.resolve(),
  }
  const pool = replicaPool(replica, {
    pool: answering('primary'),
    positions,
    onRead: (fallback) => reads.push(fallback ?? 'replica'),
  })
  const query = async () => {
    const client = await pool.connect()
    const { rows } = await client.query('select')
    client.release()
    return String(rows[0]?.by)
  }
  const read = (seen?: string) => asReads({ accountId, seen }, query)
  const change = (lsn: string) => changed(positions, lsn)
  /** The first read only begins to measure how far behind the replica may be. */
  const measured = async () => {
    await read()
    await vi.waitFor(() =>
      expect(positions.neededBy({ accountId, seen: undefined, onPrimaryFor: undefined })).toBeDefined(),
    )
    reads.length = 0
  }
  return { at, reads, query, read, change, measured }
}

/** A change of the account whose commit ended at this place of the log; returns what its caller is told. */
function changed(positions: Positions, lsn: string): string | undefined {
  let told: string | undefined
  asChanges({ accountId, onChange: (position) => (told = position) }, () =>
    positions.afterChange()?.onAnswer([{ lsn }]),
  )
  return told
}

/** Stops the clock of the process so much later, for the rest of the test; at a whole millisecond, where sums are exact. */
function later(ms: number): void {
  const now = Math.ceil(performance.now()) + ms
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now)
  onTestFinished(() => clock.mockRestore())
}

test('work outside of a request that reads is on the primary, and no fallback', async () => {
  const { query, reads, measured } = givenReplica()
  await measured()
  expect(await query()).toBe('primary')
  expect(await asChanges({ accountId, onChange: () => undefined }, query)).toBe('primary')
  expect(reads).toEqual([])
})

test('a read is on the replica once it is known how far behind that may be', async () => {
  const { read, reads, measured } = givenReplica()
  expect(await read()).toBe('primary')
  expect(reads).toEqual(['unmeasured'])
  await measured()
  expect(await read()).toBe('replica')
  expect(reads).toEqual(['replica'])
})

test('a caller reads what it has changed, by the position that it was told, and so does its account in this process', async () => {
  const { at, read, change, reads, measured } = givenReplica()
  await measured()
  expect(await read('00000000/00000011')).toBe('primary')
  expect(await read('00000000/00000010')).toBe('replica')

  expect(change('0/1F')).toBe('00000000/0000001F')
  // The answers of two changes may come in another order than their commits.
  change('0/1A')
  at.replica = '0/1B'
  expect(await read()).toBe('primary')
  at.replica = '0/1F'
  expect(await read()).toBe('replica')
  expect(reads).toEqual(['position', 'replica', 'position', 'replica'])
})

test('a position that no log reaches sends the read to the primary, and no other read', async () => {
  const { read, reads, measured } = givenReplica()
  await measured()
  expect(await read(furthest)).toBe('primary')
  expect(await read()).toBe('replica')
  expect(reads).toEqual(['position', 'replica'])
})

test('a replica that lacks what is older than the lag is not read, and rests for a second', async () => {
  const { at, read, reads, measured } = givenReplica()
  at.replica = '0/F'
  await measured()
  later(maxLagMs * 0.9)
  expect(await read()).toBe('primary')
  at.replica = '0/10'
  later(999)
  expect(await read()).toBe('primary')
  later(1)
  expect(await read()).toBe('replica')
  expect(reads).toEqual(['lag', 'lag', 'replica'])
})

test('a replica that lacks what is new is not behind, while nothing older is known', async () => {
  const { at, read, reads, measured } = givenReplica()
  at.replica = '0/F'
  await measured()
  expect(await read()).toBe('primary')
  at.replica = '0/10'
  expect(await read()).toBe('replica')
  expect(reads).toEqual(['unmeasured', 'replica'])
})

test('what was measured longer ago than the lag says nothing', async () => {
  const { read, reads, measured } = givenReplica()
  await measured()
  later(maxLagMs + 1)
  expect(await read()).toBe('primary')
  expect(reads).toEqual(['unmeasured'])
})

test('a request that was on the primary once stays there, and sees no older rows', async () => {
  const { at, query, reads, measured } = givenReplica()
  await measured()
  const answers = await asReads({ accountId, seen: '00000000/00000011' }, async () => {
    const first = await query()
    at.replica = '0/11'
    return [first, await query()]
  })
  expect(answers).toEqual(['primary', 'primary'])
  expect(reads).toEqual(['position', 'position'])
})

test('a server that takes writes is none', async () => {
  const { at, read, reads, measured } = givenReplica()
  await measured()
  at.isReplica = false
  expect(await read()).toBe('primary')
  expect(reads).toEqual(['not_replica'])
})

test('a replica of another server, or of another database, is none', async () => {
  const { at, read, reads, measured } = givenReplica()
  await measured()
  at.database = '71/6'
  expect(await read()).toBe('primary')
  expect(reads).toEqual(['not_replica'])
})

test.each([
  ['unreachable', '57P01'],
  ['conflict', '40001'],
] as const)('a statement that fails as %s is answered by the primary', async (reason, code) => {
  const { at, read, reads, measured } = givenReplica()
  await measured()
  at.error = Object.assign(new pg.DatabaseError('no', 0, 'error'), { code })
  expect(await read()).toBe('primary')
  expect(reads).toEqual([reason])
})

test('a server that does not say how new it is answers nothing', async () => {
  const { at, read, reads, measured } = givenReplica()
  await measured()
  at.isSilent = true
  expect(await read()).toBe('primary')
  expect(reads).toEqual(['unreachable'])
})

test('a statement that fails by itself fails', async () => {
  const { at, read, measured } = givenReplica()
  await measured()
  at.error = Object.assign(new pg.DatabaseError('no', 0, 'error'), { code: '22P02' })
  await expect(read()).rejects.toMatchObject({ code: '22P02' })
})
