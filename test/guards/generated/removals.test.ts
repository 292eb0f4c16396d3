import { expect, test } from 'vitest'
import { probed, removalsOf } from './removals.js'

const keysOf = (content: string) => removalsOf('a.ts', content).map(({ key }) => key)
const removed = (content: string) => removalsOf('a.ts', content).map((removal) => removal.content)

test('each condition of a query is removed, and that of a join replaced by one that is true', () => {
  expect(removed("function f() {\n  db.where('id', '=', id).where(isOpen)\n}")).toEqual([
    "function f() {\n  db.where('id', '=', id)\n}",
    'function f() {\n  db.where(isOpen)\n}',
  ])
  expect(removed("const f = join.on(sameTenant('a', 'b')).onRef('a.id', '=', 'b.id')")).toEqual([
    "const f = join.on(sameTenant('a', 'b')).onTrue()",
    "const f = join.onTrue().onRef('a.id', '=', 'b.id')",
  ])
})

test('a condition on the tenant is also removed without each of its columns', () => {
  expect(keysOf("function f() { db.where(ofTenant(tenant, 'users')) }")).toEqual([
    "f: .where(ofTenant(tenant, 'users'))",
    "f: .where(ofTenant(tenant, 'users')) without account_id",
    "f: .where(ofTenant(tenant, 'users')) without environment",
    "f: .where(ofTenant(tenant, 'users')) without organization_id",
  ])
})

test('a refusal is removed, or each of its conditions', () => {
  expect(removed("function f() { if (!a) throw new Error('b') }")).toEqual(['function f() { ; }'])
  expect(removed('function f() { if (a || !b || c) { return undefined } }')).toEqual([
    'function f() { if (!b || c) { return undefined } }',
    'function f() { if (a || c) { return undefined } }',
    'function f() { if (a || !b) { return undefined } }',
  ])
  expect(removed('function f() { if (a) return b; else throw c }')).toEqual([])
})

test('a check that is a statement is removed, and one whose result is used is not', () => {
  expect(removed('function f() { await checkUser(a)\n const b = checkUser(a) }')).toEqual([
    'function f() { ;\n const b = checkUser(a) }',
  ])
})

test('a key is the same however lines are broken, and another for each guard', () => {
  expect(keysOf('function f() { db.where(is(\n  a,\n  b,\n)) }')).toEqual(
    keysOf('function f() { db.where(is(a, b)) }'),
  )
  expect(keysOf('function f() { db.where(a).where(a) }')).toEqual(['f: .where(a)', 'f: .where(a) (2)'])
})

test('a guard tells that it is reached, and decides as before', () => {
  const content = 'if (a || b) throw a\ncheckAll(a)'

  expect(probed('a.ts', content)).toBe(
    "if ((globalThis.guardReached?.('a.ts:4'), a || b)) throw a\n" +
      "void (globalThis.guardReached?.('a.ts:20'), checkAll(a))",
  )
})
