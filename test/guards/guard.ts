import type { Edit } from './repository-copy.js'
import { withoutColumn, type Column } from './generated/removals.js'
import type { NamedTest } from './vitest-run.js'

/** A predicate that refuses access, and the test that fails without it. */
export interface Guard {
  /** Kind and location of the predicate. */
  readonly name: string
  /** The edits that remove it; several if two places guard the same thing redundantly. */
  readonly edits: readonly Edit[]
  readonly red: NamedTest
  /** A test of the same code that still passes, which rules out that the edit merely broke a statement. */
  readonly green: NamedTest
}

interface GuardRow extends Edit {
  readonly name: string
  readonly also?: readonly Edit[]
  readonly red: NamedTest
  readonly green: NamedTest
}

/** Builds a guard from a table row: the first edit flat, further ones in `also`. */
export function guard({ name, red, green, also = [], ...edit }: GuardRow): Guard {
  return { name, edits: [edit, ...also], red, green }
}

/**
 * Removes one column from a predicate of server/src/platform/db/tenant-predicate.ts that is a complete condition.
 *
 * @param predicate As in the source: `ofTenant(tenant, 'users')`.
 * @param after The text after the condition, if the file contains it twice.
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
