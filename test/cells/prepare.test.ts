import { expect, test } from 'vitest'
import { portico } from '../cli/portico.js'
import { emptyDatabase, plainDatabase } from '../given/own-service.js'

async function refusalOf(args: readonly string[], variables: Record<string, string>): Promise<string> {
  const { code, stderr } = await portico(['cells', 'prepare', ...args], variables)
  expect(code).toBe(1)
  return stderr
}

test('a database becomes no schema of a cluster before it is migrated', async () => {
  const DATABASE_URL = await emptyDatabase()
  expect(await refusalOf(['cell_1'], { DATABASE_URL })).toMatch(/run portico migrate first/)
})

test('a database becomes no schema of a cluster without Citus, and stays as it is', async () => {
  const DATABASE_URL = await plainDatabase()
  const refusal = await refusalOf(['cell_1', '--worker', 'localhost:1'], { DATABASE_URL })
  expect(refusal).toMatch(/no extension citus|has not loaded Citus/)
  expect(refusal).toMatch(/shared_preload_libraries/)
  const { code, stdout } = await portico(['migrate'], { DATABASE_URL })
  expect([code, stdout]).toEqual([0, expect.stringContaining('has every migration')])
})

test.each([
  [['public'], /not public/],
  [['Cell'], /small letters/],
  [['cell_1', '--worker', 'localhost'], /a server such as/],
  [[], /schema/],
])('a cluster is not prepared by %j', async (args, sentence) => {
  expect(await refusalOf(args, { DATABASE_URL: 'postgres://localhost:1/none' })).toMatch(sentence)
})

test('the embedded Postgres has no cluster', async () => {
  expect(await refusalOf(['cell_1'], {})).toMatch(/Postgres of your own in DATABASE_URL/)
})
