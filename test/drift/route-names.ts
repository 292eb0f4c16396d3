import { emulator } from '@portico/contract/emulator'
import { routes, type Route } from '@portico/contract/walk'
import ts from 'typescript'

const service = routes()
const operations = new Set(service.map(({ name }) => name))
const resources = new Set(service.map(({ resource }) => resource))
/** The variable name of an emulator's control, whose operations are not those of the service. */
const control = 'control'
const segments = new Set([...service, ...routes(emulator)].flatMap(segmentsOf))

/** The fixed segments of a path, without parameters. */
function segmentsOf({ path }: Route): string[] {
  return path.split('/').filter((segment) => segment !== '' && !segment.startsWith(':'))
}

/**
 * Routes hard-coded in a source, each as `line: text`: the name of an operation, as a string or a chain of members;
 * a resource compared with that of a route; a path or part of one. Comments and module names are ignored.
 */
export function findRouteNames(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  // Elsewhere, organizations.get() may be a lookup in a map.
  const knowsClients = /from '(@portico\/sdk|\.\/generated\.js|\.\/client\.js)'/.test(text)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (saysRoute(node) || (knowsClients && usesOperation(node))) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      found.push(`${line + 1}: ${node.getText()}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function saysRoute(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node))
    return [node.left, node.right].some(isResource) && /\.resource\b/.test(node.getText())
  return (
    (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) &&
    isNameOrPath(node.text)
  )
}

function isResource(node: ts.Expression): boolean {
  return ts.isStringLiteralLike(node) && resources.has(node.text)
}

function isNameOrPath(text: string): boolean {
  // Template literals such as `oauth.${string}` begin with a resource.
  const isBeginning = text.endsWith('.') && resources.has(text.slice(0, -1))
  const words = [...text.matchAll(/\/([\w.-]+)/g)].map(([, word = '']) => word)
  return isBeginning || operations.has(text) || words.some((word) => segments.has(word))
}

function usesOperation(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return isOperation(memberOf(node.expression), node.name.text)
  // const { list } = client.events
  if (ts.isVariableDeclaration(node) && node.initializer && ts.isObjectBindingPattern(node.name)) {
    const resource = memberOf(node.initializer)
    return node.name.elements.some(({ propertyName, name }) =>
      isOperation(resource, (propertyName ?? name).getText()),
    )
  }
  return false
}

/** The last name of a chain of members, such as events of client.events. */
function memberOf(node: ts.Expression): string | undefined {
  if (ts.isPropertyAccessExpression(node))
    return ts.isIdentifier(node.expression) && node.expression.text === control ? undefined : node.name.text
  return ts.isIdentifier(node) ? node.text : undefined
}

function isOperation(resource: string | undefined, verb: string): boolean {
  return operations.has(`${resource}.${verb}`)
}
