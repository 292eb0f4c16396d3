import ts from 'typescript'
import { piecesAt } from './pieces.js'
import { sqlConditions } from './sql-conditions.js'
import { normalized, type Splice } from './splice.js'

/** One guard of a source file, and the file without it. */
export interface Removal {
  readonly file: string
  /** The enclosing function and the guard; unique in the file and independent of line breaks. */
  readonly key: string
  /** Site of the expression reached with the guard, as reported by probed(); undefined for pieces that no list requires. */
  readonly site: string | undefined
  readonly splice: Pick<Splice, 'start' | 'end' | 'replacement'>
}

type Guard = Splice & { readonly reached: ts.Expression }

/**
 * Removes each guard of a source file, one at a time: conditions of queries, tenant predicates also without each
 * column; conditional refusals, of several conditions each; calls of `check…()` and `assert…()` as statements. These have
 * a site. The others are arbitrary pieces of code, few of which are guards, as listed in noticed.jsonl.
 */
export function removalsOf(file: string, content: string): Removal[] {
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true)
  const removals: Removal[] = []
  const counts = new Map<string, number>()
  const guards = splicesIn(source, (node) => guardsAt(node, source))
  const ranges = new Set(guards.map(toRange))
  const others = splicesIn(source, (node) => [...piecesAt(node), ...sqlConditions(node)])
  const splices: readonly (Splice & { readonly node: ts.Node; readonly reached?: ts.Expression })[] = [
    ...guards,
    ...others.filter((other) => !ranges.has(toRange(other))),
  ]
  for (const { node, what, reached, start, end, replacement } of splices) {
    const base = `${placeOf(node)}: ${normalized(what)}`
    const count = (counts.get(base) ?? 0) + 1
    counts.set(base, count)
    removals.push({
      file,
      key: count === 1 ? base : `${base} (${count})`,
      site: reached && siteOf(file, reached),
      splice: { start, end, replacement },
    })
  }
  return removals
}

/** A file without the pieces of several removals, all at different places. */
export function contentWithout(content: string, removals: readonly Removal[]): string {
  let [text, end] = [content, content.length]
  for (const { key, splice } of removals.toSorted((a, b) => b.splice.start - a.splice.start)) {
    if (splice.end > end) throw new Error(`${key} is in the same place as another removal`)
    text = text.slice(0, splice.start) + splice.replacement + text.slice(splice.end)
    end = splice.start
  }
  return text
}

function toRange({ start, end, replacement }: Splice): string {
  return `${start} ${end} ${replacement}`
}

/** The source with a call of `globalThis.guardReached` at each guard. */
export function probed(file: string, content: string): string {
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true)
  const insertions = [
    ...new Set(splicesIn(source, (node) => guardsAt(node, source)).map(({ reached }) => reached)),
  ].flatMap((reached) => [
    // Without the semicolon, a line that begins with a bracket would continue the previous one.
    {
      at: reached.getStart(source),
      text: `${ts.isExpressionStatement(reached.parent) ? 'void ' : ''}(globalThis.guardReached?.('${siteOf(file, reached)}'), `,
    },
    { at: reached.end, text: ')' },
  ])
  return insertions
    .toSorted((a, b) => b.at - a.at)
    .reduce((text, { at, text: inserted }) => text.slice(0, at) + inserted + text.slice(at), content)
}

function siteOf(file: string, reached: ts.Expression): string {
  return `${file}:${reached.getStart()}`
}

function splicesIn<Of extends Splice>(
  source: ts.SourceFile,
  at: (node: ts.Node) => readonly Of[],
): (Of & { readonly node: ts.Node })[] {
  const splices: (Of & { readonly node: ts.Node })[] = []
  const visit = (node: ts.Node): void => {
    splices.push(...at(node).map((splice) => ({ ...splice, node })))
    node.forEachChild(visit)
  }
  visit(source)
  return splices
}

function guardsAt(node: ts.Node, source: ts.SourceFile): Guard[] {
  if (ts.isCallExpression(node)) return conditionSplices(node, source)
  if (ts.isIfStatement(node)) return refusalSplices(node, source)
  if (!ts.isExpressionStatement(node) || !isCheck(node.expression)) return []
  const what = node.getText(source)
  return [{ what, reached: node.expression, start: node.getStart(source), end: node.end, replacement: ';' }]
}

/** Replacements of conditions, because a join needs one. */
const replacements = new Map([
  ['where', ''],
  ['whereRef', ''],
  ['on', '.onTrue()'],
  ['onRef', '.onTrue()'],
])

function conditionSplices(call: ts.CallExpression, source: ts.SourceFile): Guard[] {
  if (!ts.isPropertyAccessExpression(call.expression)) return []
  const { expression: query, name } = call.expression
  const replacement = replacements.get(name.text)
  const [condition] = call.arguments
  if (replacement === undefined || condition === undefined) return []
  const what = `.${source.text.slice(name.getStart(source), call.end)}`
  return [
    { what, reached: condition, start: query.end, end: call.end, replacement },
    ...columnSplices(condition, source).map((splice) => ({ ...splice, what: `${what} ${splice.what}` })),
  ]
}

const columns = {
  account_id: 'accountId',
  environment: 'environment',
  organization_id: 'organizationId',
} as const

/** A column of the tenant. */
export type Column = keyof typeof columns

/** The predicates of server/src/platform/db/tenant-predicate.ts for an owner, and their columns. */
const predicates: Readonly<Record<string, readonly Column[]>> = {
  ofTenant: ['account_id', 'environment', 'organization_id'],
  ofOwner: ['account_id', 'environment', 'organization_id'],
  ofEnvironment: ['account_id', 'environment'],
  ofOrganization: ['account_id', 'organization_id'],
}

/** A tenant predicate without each of its columns. */
function columnSplices(condition: ts.Expression, source: ts.SourceFile): Guard[] {
  if (!ts.isCallExpression(condition) || !ts.isIdentifier(condition.expression)) return []
  const name = condition.expression.text
  const [owner, table] = condition.arguments.map((argument) => argument.getText(source))
  if (owner === undefined) return []
  return (predicates[name] ?? []).map((column) => ({
    what: `without ${column}`,
    reached: condition,
    start: condition.getStart(source),
    end: condition.end,
    replacement: withoutColumn(column, { name, owner, table }),
  }))
}

interface Predicate {
  readonly name: string
  readonly owner: string
  /** The table in quotes, as in the source. */
  readonly table: string | undefined
}

/** The predicate without one of its columns, as an expression for `.where()` and `.on()`. */
export function withoutColumn(column: Column, { name, owner, table }: Predicate): string {
  const qualified = (of: string) => (table === undefined ? `'${of}'` : `\`\${${table}}.${of}\``)
  return name === 'ofTenant' && column === 'organization_id'
    ? `(eb) => eb.and([eb(${qualified('account_id')}, '=', ${owner}.accountId), eb(${qualified('environment')}, '=', ${owner}.environment)])`
    : // A row's own value always fits. The owner is no copy, because a parameter of statement() has nothing to be copied.
      `(eb) => ${name}({ __proto__: ${owner}, ${columns[column]}: eb.ref(${qualified(column)}) }${table === undefined ? '' : `, ${table}`})`
}

/** `if (a || b) throw …` without the statement, or without each of several conditions. */
function refusalSplices(statement: ts.IfStatement, source: ts.SourceFile): Guard[] {
  const action = refusalOf(statement.thenStatement)
  if (action === undefined || statement.elseStatement !== undefined) return []
  const text = (node: ts.Node) => node.getText(source)
  const conditions = operandsOf(statement.expression)
  const reached = statement.expression
  const whole = `if (${text(statement.expression)}) ${action}`
  if (conditions.length === 1)
    return [{ what: whole, reached, start: statement.getStart(source), end: statement.end, replacement: ';' }]
  return conditions.map((condition) => ({
    what: `${whole} without ${text(condition)}`,
    reached,
    start: statement.expression.getStart(source),
    end: statement.expression.end,
    replacement: conditions
      .filter((other) => other !== condition)
      .map(text)
      .join(' || '),
  }))
}

function operandsOf(expression: ts.Expression): ts.Expression[] {
  return ts.isBinaryExpression(expression) && expression.operatorToken.kind === ts.SyntaxKind.BarBarToken
    ? [...operandsOf(expression.left), ...operandsOf(expression.right)]
    : [expression]
}

/** The way a statement refuses; undefined for other statements. */
function refusalOf(statement: ts.Statement): 'throw' | 'return' | undefined {
  if (ts.isBlock(statement)) {
    const [only, ...others] = statement.statements
    return only === undefined || others.length > 0 ? undefined : refusalOf(only)
  }
  if (ts.isThrowStatement(statement)) return 'throw'
  return ts.isReturnStatement(statement) && isRefusal(statement.expression) ? 'return' : undefined
}

function isRefusal(value: ts.Expression | undefined): boolean {
  if (value === undefined || value.kind === ts.SyntaxKind.FalseKeyword) return true
  if (ts.isIdentifier(value)) return value.text === 'undefined'
  if (ts.isStringLiteral(value)) return true
  return ts.isCallExpression(called(value)) && /^(?:refuse|refusal|why)/.test(nameOfCall(called(value)))
}

function isCheck(expression: ts.Expression): boolean {
  return /^(?:check|assert)[A-Z]/.test(nameOfCall(called(expression)))
}

function called(expression: ts.Expression): ts.Expression {
  return ts.isAwaitExpression(expression) ? expression.expression : expression
}

function nameOfCall(expression: ts.Expression): string {
  if (!ts.isCallExpression(expression)) return ''
  const { expression: callee } = expression
  if (ts.isIdentifier(callee)) return callee.text
  return ts.isPropertyAccessExpression(callee) ? callee.name.text : ''
}

/** The named function that encloses a node. */
function placeOf(node: ts.Node): string {
  for (let around = node.parent; around !== undefined; around = around.parent) {
    if (ts.isFunctionDeclaration(around) || ts.isMethodDeclaration(around))
      return around.name?.getText() ?? 'default'
    if (ts.isVariableDeclaration(around) && ts.isSourceFile(around.parent.parent.parent))
      return around.name.getText()
  }
  return 'file'
}
