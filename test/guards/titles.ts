import ts from 'typescript'
import { escaped } from './repository-copy.js'

/** Patterns of the test titles in a source file; placeholders of tables match any text. */
export function titlesIn(content: string): RegExp[] {
  const titles: RegExp[] = []
  const visit = (node: ts.Node, before: string): void => {
    const [title, body] = ts.isCallExpression(node) ? node.arguments : []
    const word =
      ts.isCallExpression(node) &&
      /^(describe|test|it|longDescribe|longTest)\b/.exec(node.expression.getText())?.[1]
    const named = word && title && body ? before + patternOf(title) : before
    if (word && named !== before && !/describe$/i.test(word)) titles.push(new RegExp(`^${named}$`, 's'))
    node.forEachChild((child) => visit(child, named === before ? before : `${named} `))
  }
  visit(ts.createSourceFile('a.ts', content, ts.ScriptTarget.Latest, true), '')
  return titles
}

function patternOf(title: ts.Expression): string {
  if (ts.isStringLiteralLike(title)) return escaped(title.text).replace(/%[sdijo#]|\\\$[\w.]+/g, '.*')
  if (!ts.isTemplateExpression(title)) return '.*'
  return [title.head, ...title.templateSpans.map(({ literal }) => literal)]
    .map(({ text }) => escaped(text))
    .join('.*')
}
