import type { Edit } from './repository-copy.js'
import { withoutColumn, type Column } from './generated/removals.js'
import type { NamedTest } from './vitest-run.js'

/** A predicate that keeps somebody out, and the test that goes red without it. */
export interface Guard {
  /** What kind of predicate it is, and whose. */
  readonly name: string
  /** What removes it; more than one edit where two places guard the same thing, each enough alone. */
  readonly edits: readonly Edit[]
  readonly red: NamedTest
  /** A test that passes through the same code and stays green, so that a statement broken by the edit proves nothing. */
  readonly green: NamedTest
}

interface GuardRow extends Edit {
  readonly name: string
  readonly also?: readonly Edit[]
  readonly red: NamedTest
  readonly green: NamedTest
}

/** A guard from its row in a table: the first edit flat, what else must go beside it in `also`. */
export function guard({ name, red, green, also = [], ...edit }: GuardRow): Guard {
  return { name, edits: [edit, ...also], red, green }
}

/**
 * Leaves one column out of a predicate of server/src/platform/db/tenant-predicate.ts, which is a condition of its own.
 *
 * @param predicate As the source has it: `ofTenant(tenant, 'users')`.
 * @param after What follows the condition, where the file has the same one twice.
 */
export function without(column: Column, predicate: string, after = ''): Pick<Edit, 'find' | 'replace'> {
  const [, name = '', owner = '', table] = /^(\w+)\((.*?)(?:, ('\w+'))?\)$/.exec(predicate) ?? []
  const condition = withoutColumn(column, { name, owner, table })
  return { find: `.where(${predicate})${after}`, replace: `.where(${condition})${after}` }
}

const everyRoute = 'test/api/every-route.test.ts'
const declaredErrors = 'test/api/declared-errors.test.ts'

/** The tests that every route of the contract has. */
export function routeTests(route: string) {
  return {
    succeeds: test(
      everyRoute,
      `${route} answers its declared success with exactly what the contract declares`,
    ),
    hidesForeign: test(
      everyRoute,
      `${route} 404: what another tenant has is answered as what does not exist, and stays as it is`,
    ),
    demandsToken: test(
      everyRoute,
      `${route} 401: refuses a request without a token, and one with a token of somebody else’s making`,
    ),
    namesFaults: test(
      everyRoute,
      `${route} 422: names the parameters that are missing and those it does not know`,
    ),
    refuses: (code: string) => test(declaredErrors, `${route} answers ${code}, as it declares`),
  }
}

/** A test of a file in this folder. */
export function guardTest(name: string, title: string): NamedTest {
  return test(`test/guards/${name}.test.ts`, title)
}

/** A test of a file in test/contract. */
export function contractTest(name: string, title: string): NamedTest {
  return test(`test/api/${name}.test.ts`, title)
}

/** A test of a file in test/protocol. */
export function protocolTest(name: string, title: string): NamedTest {
  return test(`test/protocols/${name}.test.ts`, title)
}

/** A test of a file in test/saml. */
export function samlTest(name: string, title: string): NamedTest {
  return test(`test/protocols/saml/${name}.test.ts`, title)
}

/** A unit test, of a file beside its source. */
export function unitTest(source: string, title: string): NamedTest {
  return test(source.replace(/\.ts$/, '.test.ts'), title)
}

function test(file: string, title: string): NamedTest {
  return { file, title }
}
