import ts from 'typescript'

/**
 * The comments that an editor shows for members reachable through the exports of files of a folder, including types that
 * are not exported: `Type.member: comment` for each declaration of a member that has a comment, sorted.
 */
export function documentedMembers(program: ts.Program, files: readonly string[], folder: string): string[] {
  const checker = program.getTypeChecker()
  const seen = new Set<ts.Symbol>()
  const found: string[] = []
  files.forEach((file) => {
    const source = program.getSourceFile(file)
    const symbol = source && checker.getSymbolAtLocation(source)
    if (!symbol) throw new Error(`${file} is no module`)
    checker.getExportsOfModule(symbol).forEach(meet)
  })
  return found.toSorted()

  function meet(met: ts.Symbol): void {
    const symbol = (met.flags & ts.SymbolFlags.Alias) === 0 ? met : checker.getAliasedSymbol(met)
    if (seen.has(symbol)) return
    seen.add(symbol)
    // Bundling renames User to User$1.
    const name = symbol.name.replace(/\$\d+$/, '')
    for (const declaration of symbol.declarations ?? [])
      if (declaration.getSourceFile().fileName.startsWith(folder) && !isPart(declaration))
        declaration.forEachChild((child) => walk(child, name))
  }

  function walk(node: ts.Node, path: string): void {
    if (isCode(node)) return
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node)
      if (symbol) meet(symbol)
      return
    }
    const place = isMember(node) && node.name ? `${path}.${nameOf(node.name)}` : path
    if (isMember(node) && node.name) {
      const comment = checker.getSymbolAtLocation(node.name)?.getDocumentationComment(checker)
      const text = ts.displayPartsToString(comment)
      if (text !== '') found.push(`${place}: ${text}`)
    }
    node.forEachChild((child) => walk(child, place))
  }
}

function isMember(node: ts.Node): node is ts.TypeElement | ts.ClassElement | ts.ParameterPropertyDeclaration {
  return (
    ts.isTypeElement(node) || ts.isClassElement(node) || ts.isParameterPropertyDeclaration(node, node.parent)
  )
}

/** Whether a node is part of another declaration. */
function isPart(node: ts.Node): boolean {
  return isMember(node) || ts.isParameter(node) || ts.isTypeParameterDeclaration(node)
}

/** Function bodies and initializers, which declarations do not contain. */
function isCode(node: ts.Node): boolean {
  const { parent } = node
  return ts.isBlock(node) || (ts.hasOnlyExpressionInitializer(parent) && parent.initializer === node)
}

/** The name without quotes, which only one of the two files may have. */
function nameOf(name: ts.Node): string {
  return ts.isStringLiteral(name) ? name.text : name.getText()
}
