import { expect, test } from 'vitest'
import { contentWithout, probed, removalsOf } from './removals.js'

const guardsOf = (content: string) => removalsOf('a.ts', content).filter(({ site }) => site !== undefined)
const keysOf = (content: string) => guardsOf(content).map(({ key }) => key)
const removed = (content: string) => guardsOf(content).map((removal) => contentWithout(content, [removal]))
/** The file without a piece that no list requires. */
const without = (key: string, content: string) =>
  contentWithout(
    content,
    removalsOf('a.ts', content).filter((removal) => removal.key === key),
  )

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

test('any piece of the code can be removed where a line says so', () => {
  expect(without('f: || b', 'function f() { return a || b || c }')).toBe('function f() { return a || c }')
  expect(without('f: && a', 'function f() { return a && b }')).toBe('function f() { return b }')
  expect(without('f: if (a) …', 'function f() { if (a) b(); else c() }')).toBe('function f() { c() }')
  expect(without('f: if (a) …', 'function f() { if (a) { b() } }')).toBe('function f() { ; }')
  expect(without('f: a as true', 'function f() { return a ? b : c }')).toBe(
    'function f() { return true ? b : c }',
  )
  expect(without('f: b as false', 'const f = { b: a() }')).toBe('const f = { b: false }')
  expect(without('f: without b()', 'function f() { a()\n b() }')).toBe('function f() { a()\n ; }')
  expect(without('f: without b', 'function f() { return [a, b, c] }')).toBe('function f() { return [a, c] }')
  expect(without('f: without c', 'function f() { return { a, b, c } }')).toBe(
    'function f() { return { a, b } }',
  )
  expect(without('f: .filter(b)', 'const f = a.filter(b).map(c)')).toBe('const f = a.map(c)')
  expect(without('f: a(b, c) as its argument 2', 'const f = a(b, c)')).toBe('const f = c')
  expect(without('f: without b in text', 'const f = `a ${b} c`')).toBe('const f = `a  c`')
})

test('several removals are made at once, each in another place', () => {
  const content = 'const f = () => (a && b) || c.d()'
  const [both, left] = ['f: && b', 'f: || c.d()'].map((key) =>
    removalsOf('a.ts', content).filter((removal) => removal.key === key),
  )

  expect(contentWithout(content, [...(both ?? []), ...(left ?? [])])).toBe('const f = () => (a)')
  expect(() => contentWithout(content, removalsOf('a.ts', content))).toThrow('in the same place')
})

test('each condition in an SQL text can be true', () => {
  const text = "sql`select from a where b = ${c} and (d between 1 and 2 or e = 'x and y') order by f`"
  const conditions = removalsOf('a.ts', `const f = () => ${text}`).flatMap(({ key }) => {
    const [, condition] = /^f: sql (?!select)(.*) as true$/.exec(key) ?? []
    return condition ?? []
  })

  expect(conditions).toEqual([
    'b = ${c}',
    'd between 1 and 2',
    "e = 'x and y'",
    "(d between 1 and 2 or e = 'x and y')",
  ])
  expect(without("f: sql e = 'x and y' as true", `const f = () => ${text}`)).toContain(
    '(d between 1 and 2 or true) order by f',
  )
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
