import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import type { NamedTest } from './vitest-run.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The content of a file of the repository; empty where the file is not there. */
export function contentOf(file: string): string {
  return existsSync(root + file) ? readFileSync(root + file, 'utf8') : ''
}

/** The statements of a file that an edit changes, before and after it, without comments: whole functions, mostly. */
export function codeAround(file: string, before: string, after: string): string {
  const [old, edited] = [statementsOf(file, before), statementsOf(file, after)]
  return [
    ...old.filter((text) => !edited.includes(text)),
    ...edited.filter((text) => !old.includes(text)),
  ].join('\n')
}

const statements = new Map<string, string[]>()

function statementsOf(file: string, content: string): string[] {
  const key = `${file}\n${content}`
  const known = statements.get(key)
  if (known !== undefined) return known
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest)
  const found = source.statements.map((statement) => wordsOf(source, statement).join(' '))
  // What an edit makes is asked for once.
  if (content === contentOf(file)) statements.set(key, found)
  return found
}

/** The code of a test without comments; of its whole file where its title is made, as those of a table are. */
export function codeOfTest({ file, title }: NamedTest): string {
  const tests = testsOf(file)
  const found = tests.get(title)
  return found?.length === 1 ? found.join('') : [...(tests.get(wholeFile) ?? [])].join('')
}

const wholeFile = ''
const testsOfFiles = new Map<string, Map<string, string[]>>()

/** The code of the tests in a file by title, with the titles of the groups around it. */
function testsOf(file: string): Map<string, string[]> {
  const known = testsOfFiles.get(file)
  if (known !== undefined) return known
  const source = ts.createSourceFile(file, contentOf(file), ts.ScriptTarget.Latest)
  const found = new Map([[wholeFile, [wordsOf(source, source).join(' ')]]])
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const title = titleOf(node)
    const titles = title === undefined ? groups : [...groups, title]
    if (title !== undefined) {
      const name = titles.join(' ')
      found.set(name, [...(found.get(name) ?? []), wordsOf(source, node).join(' ')])
    }
    ts.forEachChild(node, (child) => visit(child, titles))
  }
  visit(source, [])
  testsOfFiles.set(file, found)
  return found
}

/** The title of a call such as test('…', …) or describe('…', …). */
function titleOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return undefined
  const [title] = node.arguments
  const isOfTests = /^(?:test|it|describe|longTest|longDescribe)$/.test(node.expression.text)
  return isOfTests && title !== undefined && ts.isStringLiteralLike(title) ? title.text : undefined
}

/** The words of the code of a node. */
export function wordsOf(source: ts.SourceFile, top: ts.Node): string[] {
  const words: string[] = []
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source)
    if (children.length === 0) words.push(node.getText(source))
    // A docstring is a child of what it describes.
    else for (const child of children) if (!ts.isJSDoc(child)) visit(child)
  }
  visit(top)
  return words
}
