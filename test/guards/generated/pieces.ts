import ts from 'typescript'
import { normalized, type Splice } from './splice.js'

/**
 * The pieces of code removable at a node: a statement, a call from its chain, a call around its argument, an operand, an
 * item of a list, a value from a text; and expressions replaceable by true, false or undefined.
 */
export function piecesAt(node: ts.Node): Splice[] {
  if (ts.isIfStatement(node)) return [...ifPieces(node), ...fixed(node.expression, ['true'])]
  if (ts.isReturnStatement(node)) return [without(node, ';'), ...fixed(node.expression, constants)]
  if (ts.isExpressionStatement(node) || ts.isThrowStatement(node) || ts.isForOfStatement(node))
    return [without(node, ';')]
  if (ts.isCallExpression(node)) return callPieces(node)
  if (ts.isNewExpression(node)) return items(node.arguments)
  if (ts.isArrayLiteralExpression(node)) return items(node.elements)
  if (ts.isObjectLiteralExpression(node)) return items(node.properties)
  if (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node))
    return fixed(node.initializer, constants, node.name)
  if (ts.isConditionalExpression(node)) return fixed(node.condition, ['true', 'false'])
  if (ts.isArrowFunction(node)) return ts.isBlock(node.body) ? [] : fixed(node.body, constants)
  if (ts.isTemplateSpan(node)) {
    const range = { start: node.expression.getFullStart() - 2, end: node.literal.getStart() + 1 }
    return [{ what: `without ${textOf(node.expression)} in text`, ...range, replacement: '' }]
  }
  return ts.isBinaryExpression(node) && operators.has(node.operatorToken.kind) ? operandPieces(node) : []
}

interface Range {
  readonly start: number
  readonly end: number
}

const constants = ['true', 'false', 'undefined'] as const

const operators = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.MinusToken,
  ts.SyntaxKind.AsteriskToken,
])

/** An expression replaced by each of some constants. */
function fixed(value: ts.Node | undefined, others: readonly string[], name = value): Splice[] {
  if (value === undefined || name === undefined) return []
  return others.map((other) => ({
    what: `${textOf(name)} as ${other}`,
    ...rangeOf(value),
    replacement: other,
  }))
}

function without(node: ts.Node, replacement: string, range = rangeOf(node)): Splice {
  return { what: `without ${textOf(node)}`, ...range, replacement }
}

/** Each item of a list with the following comma, or for the last one the preceding comma. */
function items(list: readonly ts.Node[] = []): Splice[] {
  return list.map((item, index) => {
    const [next, previous] = [list[index + 1], list[index - 1]]
    const start = next === undefined && previous !== undefined ? previous.end : item.getStart()
    return without(item, '', { start, end: next?.getStart() ?? item.end })
  })
}

function ifPieces(node: ts.IfStatement): Splice[] {
  const { expression, thenStatement, elseStatement } = node
  const what = `if (${textOf(expression)}) …`
  const start = node.getStart()
  if (elseStatement === undefined) return [{ what, start, end: node.end, replacement: ';' }]
  return [
    { what, start, end: elseStatement.getStart(), replacement: '' },
    { what: `${what} without else`, start: thenStatement.end, end: node.end, replacement: '' },
  ]
}

function callPieces(call: ts.CallExpression): Splice[] {
  const { expression: callee } = call
  const own = ts.isPropertyAccessExpression(callee)
    ? [
        {
          what: `.${shortened(call.getText().slice(callee.name.getStart() - call.getStart()))}`,
          start: callee.expression.end,
          end: call.end,
          replacement: '',
        },
      ]
    : call.arguments.map((argument, index) => ({
        what: `${textOf(call)} as its argument${index === 0 ? '' : ` ${index + 1}`}`,
        ...rangeOf(call),
        replacement: argument.getText(),
      }))
  return [
    ...items(call.arguments),
    ...call.arguments.flatMap((argument) => fixed(argument, ['true'])),
    ...own,
  ]
}

function operandPieces({ left, right, operatorToken }: ts.BinaryExpression): Splice[] {
  const operator = operatorToken.getText()
  const isChain = ts.isBinaryExpression(left) && left.operatorToken.kind === operatorToken.kind
  const first = {
    what: `${operator} ${textOf(left)}`,
    start: left.getStart(),
    end: right.getStart(),
    replacement: '',
  }
  return [
    ...(isChain ? [] : [first]),
    { what: `${operator} ${textOf(right)}`, start: left.end, end: right.end, replacement: '' },
    ...(operator === '||'
      ? (isChain ? [right] : [left, right]).flatMap((operand) => fixed(operand, ['true']))
      : []),
  ]
}

function rangeOf(node: ts.Node): Range {
  return { start: node.getStart(), end: node.end }
}

function textOf(node: ts.Node): string {
  return shortened(node.getText())
}

/** Shortens code in a name, so that it does not repeat a whole function. */
function shortened(code: string): string {
  // Cut first, because normalizing the rest of a long text would be wasted for each enclosing piece.
  const text = normalized(code.slice(0, 10 * maxText))
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text
}

const maxText = 120
