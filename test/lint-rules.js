import { posix, relative } from 'node:path'
import { tenantTables } from './tenant-tables.js'

// Rules of this repository for oxlint (oxlint.config.js): code shapes allowed in one file or in none, and import rules.
// test/lint-rules.test.ts tests each of them.

const sqlClock = String.raw`/\b((now|(clock|statement|transaction)_timestamp)\s*\(|current_(timestamp|date|time)\b|localtime(stamp)?\b)/i`

// Each becomes the rule portico/<name>: an ESQuery selector, and the message with the alternative.
const shapes = {
  'no-export-star': {
    ExportAllDeclaration: 'Export names one by one, from the file that defines them.',
  },
  'no-default-export': {
    'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]':
      'Use a named export; only the configuration file of a tool has a default export.',
  },
  'no-class': {
    ':matches(ClassDeclaration, ClassExpression):not([superClass.name=/Error$/])':
      'Write functions over plain values; a class is only for extending Error.',
  },
  clock: {
    [[
      'NewExpression[callee.name="Date"][arguments.length=0]',
      'CallExpression[callee.name="Date"]',
      'MemberExpression[object.name="Date"][property.name="now"]',
    ].join(', ')]: 'Take the time from deps.now(), or as a parameter.',
  },
  ids: {
    'ImportDeclaration[source.value="uuid"]':
      'Take ids from server/src/platform/crypto/random.ts, so that a seeded emulator makes the same ones each time.',
  },
  'sql-clock': {
    [[
      `TaggedTemplateExpression[tag.name="sql"] TemplateElement[value.raw=${sqlClock}]`,
      `CallExpression[callee.object.name="sql"] Literal[value=${sqlClock}]`,
      `CallExpression[callee.object.name="sql"] TemplateElement[value.raw=${sqlClock}]`,
    ].join(', ')]: 'Pass deps.now() as a parameter; tests cannot set the clock of the database.',
  },
  environment: {
    [[
      'MemberExpression[object.name="process"]:matches([property.name="env"], [property.value="env"])',
      'MemberExpression[object.property.name="process"][property.name="env"]',
      'VariableDeclarator[init.name="process"] > ObjectPattern > Property[key.name="env"]',
      'ImportDeclaration[source.value=/^(node:)?process$/] ImportSpecifier[imported.name="env"]',
    ].join(', ')]:
      'Read the setting from Config: only server/src/platform/config/config.ts reads process.env.',
  },
  bodies: {
    [[
      'MemberExpression[object.name="express"][property.name=/^(json|urlencoded|text|raw)$/]',
      'ImportDeclaration[source.value="express"] ImportSpecifier[imported.name=/^(json|urlencoded|text|raw)$/]',
      'ImportDeclaration[source.value="body-parser"]',
    ].join(', ')]: 'Read bodies by server/src/platform/http/body.ts, which bounds their size and structure.',
  },
  console: {
    'Identifier[name="console"]': 'Log through deps.log; only a command (src/cli) writes to a terminal.',
  },
  'access-from-primary': {
    'Identifier[name="readDb"]':
      'Read from deps.db: what gives access, such as a session, a key or a secret, must be as it is now.',
  },
  'no-raw-html': {
    'JSXAttribute[name.name="dangerouslySetInnerHTML"], Property[key.name="dangerouslySetInnerHTML"], Property[key.value="dangerouslySetInnerHTML"]':
      'Write elements and text, which Preact escapes; markup from a string allows script injection.',
  },
}

function ruleOfShape(shape) {
  const report = (context, message) => (node) => context.report({ node, message })
  return {
    create: (context) =>
      Object.fromEntries(
        Object.entries(shape).map(([selector, message]) => [selector, report(context, message)]),
      ),
  }
}

const noTodo = {
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (!/\b(TODO|FIXME|XXX|todo:)/.test(comment.value)) continue
        context.report({
          loc: comment.loc,
          message: 'Do it, or write it in the issue tracker; a comment describes the code as it is.',
        })
      }
    },
  }),
}

/** Visits the module of each import, and whether it imports types only. */
function everyImport(visit) {
  return {
    ImportDeclaration: (node) => visit(node.source, node.importKind === 'type'),
    ExportNamedDeclaration: (node) => visit(node.source, node.exportKind === 'type'),
    ExportAllDeclaration: (node) => visit(node.source, node.exportKind === 'type'),
    ImportExpression: (node) => visit(node.source, false),
    TSImportType: (node) => visit(node.source ?? node.argument?.literal, true),
  }
}

/** The room and the folder of a file below a root; the folder of a file directly in the room is '.'. */
function folderOf(file, root = 'server/src') {
  const [room = '', folder = '.', ...rest] = file.replace(`${root}/`, '').split('/')
  return [room, rest.length === 0 ? '.' : folder]
}

/** An import may not go up in the ordered list of rooms and their folders. */
const roomsRule = {
  meta: { schema: false },
  create(context) {
    const [root, rooms] = context.options
    const file = relative(context.cwd, context.filename).replaceAll('\\', '/')
    const positionOf = (path) => {
      const [room, folder] = folderOf(path, root)
      const index = rooms.findIndex(([name]) => name === room)
      return { room, folder, index, within: index < 0 ? -1 : rooms[index][1].indexOf(folder) }
    }
    const own = positionOf(file)

    function check(source) {
      const name = source?.value ?? source?.quasis?.[0]?.value.cooked
      if (typeof name !== 'string' || !name.startsWith('.')) return
      const path = posix.join(posix.dirname(file), name)
      if (!path.startsWith(`${root}/`)) return
      const other = positionOf(path)
      const isUp = other.index < own.index || (other.index === own.index && other.within < own.within)
      if (!isUp) return
      context.report({
        node: source,
        message: `An import goes down: ${own.room}/${own.folder} may not know ${other.room}/${other.folder}. Move the shared code down, or pass it in as a parameter.`,
      })
    }

    return {
      Program(node) {
        if (own.within < 0)
          context.report({
            node,
            message: `${own.room}/${own.folder} is in no room: add it to the ordered list in oxlint.config.js.`,
          })
      },
      ...everyImport((source) => check(source)),
    }
  },
}

const importsRule = {
  meta: { schema: false },
  create(context) {
    const file = relative(context.cwd, context.filename).replaceAll('\\', '/')
    const placeholders = {
      '{own}': posix.dirname(file),
      '{folder}': folderOf(file).join('/'),
      '{room}': folderOf(file)[0],
      '{workspace}': file.split('/')[0],
    }

    function check(source, types) {
      const name = source?.value ?? source?.quasis?.[0]?.value.cooked
      if (typeof name !== 'string') return
      const module = name.startsWith('.')
        ? posix.join(posix.dirname(file), name).replace(/\.(js|tsx?)$/, '')
        : name
      const matches = (patterns = []) => patterns.some((pattern) => patternOf(pattern).test(module))

      for (const { deny, allow, allowTypes, message } of context.options) {
        if (types && matches(allowTypes)) continue
        if (matches(deny) || (allow && !matches(allow))) context.report({ node: source, message })
      }
    }

    function patternOf(pattern) {
      const filled = Object.entries(placeholders).reduce(
        (text, [key, value]) => text.replace(key, value),
        pattern,
      )
      return new RegExp(`^(?:${filled})$`)
    }

    return everyImport(check)
  },
}

/** A predicate by its name, or a comparison of the column; to select the column is none. */
const tenantPredicates = new RegExp(
  [
    String.raw`\b(?:ofTenant|ofOwner|ofEnvironment|ofOrganization|sameTenant|sameEnvironment|sameOrganization)\b`,
    String.raw`\b(?:isOrganizationOf|isConnection|isOfConnection|isVisible)\b`,
    String.raw`\baccount_id(?:['"], *['"](?:=|in)['"]| (?:=|in\b|is not distinct\b))`,
  ].join('|'),
)

const tables = tenantTables()

/** A query of a tenant's table has a tenant predicate in the same expression. */
const tenantRule = {
  create(context) {
    const namesOf = (node) =>
      node?.type === 'ArrayExpression' ? node.elements.flatMap(namesOf) : [String(node?.value).split(' ')[0]]
    return {
      CallExpression(node) {
        if (!/^(selectFrom|updateTable|deleteFrom)$/.test(node.callee.property?.name ?? '')) return
        const table = namesOf(node.arguments[0]).find((name) => tables.has(name))
        if (table === undefined) return
        let query = node
        while (query.parent.type === 'MemberExpression' && query.parent.parent.type === 'CallExpression')
          query = query.parent.parent
        if (tenantPredicates.test(context.sourceCode.getText(query))) return
        context.report({
          node,
          message: `Say whose rows of ${table} these are, with a predicate of server/src/platform/db/tenant-predicate.ts.`,
        })
      },
    }
  },
}

/** An advisory lock is of one server, so that it is taken in a statement that none but the first of a cluster runs. */
const lockRule = {
  create: (context) => ({
    TaggedTemplateExpression(node) {
      if (node.tag.name !== 'sql') return
      const text = node.quasi.quasis.map(({ value }) => value.raw).join('?')
      if (!/\bpg_(?:try_)?advisory_/.test(text) || !/\b(?:from|with|insert|update|delete)\b/i.test(text))
        return
      context.report({
        node,
        message:
          'Take an advisory lock in a statement without a table: a cluster runs others where the table is.',
      })
    },
  }),
}

const foundValues =
  /\b(?:tenantColumns|organizationIdOf|openOrganizationId)\b|\bsql(?:<[^`]*>)?`[^`]*\bselect\b/

/** A query in the values of an insert. */
const valuesRule = {
  create: (context) => ({
    CallExpression(node) {
      const { callee } = node
      if (callee.property?.name !== 'values' || node.arguments.length === 0) return
      if (!/\.insertInto\(/.test(context.sourceCode.getText(callee.object))) return
      if (!node.arguments.some((argument) => foundValues.test(context.sourceCode.getText(argument)))) return
      context.report({
        node,
        message:
          'Insert what a query finds by insertFound() or insertFrom(): a cluster takes no query in values.',
      })
    },
  }),
}

/** What Citus refuses of `alter table` where a schema is distributed, by its subcommands without strings and brackets. */
const refusedAlterations = [
  [
    (parts) =>
      parts.length > 1 &&
      parts.some((part) => /^add (?:constraint|primary|unique|foreign|check|exclude)\b/.test(part)),
    'Add a constraint in a statement of its own: a cluster refuses it beside another subcommand.',
  ],
  [
    (parts) =>
      parts.some((part) =>
        /^add column (?!.*\bconstraint\b).*\b(?:check|references|unique|primary key)\b/.test(part),
      ),
    'Name the constraint of a new column: a cluster refuses one without a name.',
  ],
  [
    (parts) =>
      parts.some((part) => /^add column .*(?:\bas identity\b|\b(?:big|small)?serial\d?\b)/.test(part)),
    'A cluster adds no identity column to a table that is there: make a new table, or give ids yourself.',
  ],
  [
    (parts) => parts.some((part) => part.startsWith('rename constraint')),
    'A cluster renames no constraint: drop it, and add it by its new name.',
  ],
]

const migrationRule = {
  create: (context) => ({
    TaggedTemplateExpression(node) {
      const text = node.quasi.quasis
        .map(({ value }) => value.raw)
        .join('?')
        .replace(/--.*$/gm, '')
        .replace(/'(?:[^']|'')*'/g, "''")
        .replace(/\s+/g, ' ')
      for (const statement of text.toLowerCase().split(';')) {
        if (/^ ?drop index .*,/.test(statement))
          context.report({
            node,
            message: 'Drop one index in each statement: a cluster drops no two at once.',
          })
        const [, subcommands] = /^ ?alter table (?:if exists )?(?:only )?\S+ (.*)$/.exec(statement) ?? []
        if (subcommands === undefined) continue
        const parts = withoutBrackets(subcommands)
          .split(',')
          .map((part) => part.trim())
        const [, message] = refusedAlterations.find(([isFound]) => isFound(parts)) ?? []
        if (message !== undefined) context.report({ node, message })
      }
    },
  }),
}

function withoutBrackets(text) {
  const next = text.replace(/\([^()]*\)/g, '')
  return next === text ? text : withoutBrackets(next)
}

export default {
  meta: { name: 'portico' },
  rules: {
    imports: importsRule,
    rooms: roomsRule,
    tenant: tenantRule,
    'advisory-lock': lockRule,
    'found-values': valuesRule,
    migration: migrationRule,
    'no-todo': noTodo,
    ...Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, ruleOfShape(shape)])),
  },
}
