import { emulator } from '@portico/contract/emulator'
import { routes, type Route } from '@portico/contract/walk'
import ts from 'typescript'

const service = routes()
const operations = new Set(service.map(({ name }) => name))
const resources = new Set(service.map(({ resource }) => resource))
/** What the control of an emulator is called where it is used; its operations are not the service's. */
const control = 'control'
const segments = new Set([...service, ...routes(emulator)].flatMap(segmentsOf))

/** The words of a path; what stands for a parameter is none. */
function segmentsOf({ path }: Route): string[] {
  return path.split('/').filter((segment) => segment !== '' && !segment.startsWith(':'))
}

/**
 * What a source says of routes by itself, each as `line: text`: the name of an operation, as a text or by a chain of members;
 * a resource that a route's is compared with; a path, or a piece of one. Comments and the names of modules are none of it.
 */
export function findRouteNames(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  // Elsewhere organizations.get() is a look into a map.
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
  // `oauth.${string}` begins with the first of these.
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
