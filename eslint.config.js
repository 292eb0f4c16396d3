import { dirname, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import eslint from '@eslint/js'
import { defineConfig } from 'eslint/config'
import jsxA11y from 'eslint-plugin-jsx-a11y'
import tseslint from 'typescript-eslint'

/** The entries of @portico/server that tests may import, as a pattern; package.json lists the same. */
const testedEntries =
  'command|config|deps|log|variables|app|server|worker|accounts|api-keys|embedded|embedded-template|migrate|mailer|sms-sender|purge|erase-user|export-user|outbound-target|stored-password|(saml|promotion)/[a-z-]+'

// In this order: who may import what (docs/style.md); shapes of code that have one owner or none; the rules that say
// so, which ESLint does not have; and what holds where. test/lint-rules.test.ts proves that each fence stands.

const root = dirname(fileURLToPath(import.meta.url))

const tests = ['**/*.test.ts', '**/*.test.tsx', 'test/**/*.ts']
const protocols = 'oauth|oidc|pages'

// Of every folder of server/src but these four, which have rules of their own.
const resourceFiles = [
  'server/src/*/**/*.{ts,tsx}',
  '!server/src/{http,db,crypto,cli}/**',
  '!**/routes.ts',
  '!**/record.ts',
  '!**/router.ts',
  // It mounts the router in an app, as nothing else of the folder does.
  '!**/router.test.ts',
]

const pureFiles = [
  'server/src/organizations/slug.ts',
  'server/src/applications/redirects.ts',
  'server/src/token-customization/meta-value.ts',
  'server/src/webhooks/retry-schedule.ts',
  'server/src/oauth/{pkce,claims}.ts',
  'server/src/password/policy.ts',
]

// Patterns are regular expressions over the imported module: a package's name, or, for a relative import, its path
// from the root of the repository without its ending. {own} is the folder of the importing file.
const everywhere = [
  {
    deny: ['zod(/(?!v4$).*)?'],
    message: "Import from 'zod/v4': plain 'zod' has the types of version 3 here and runs as version 4.",
  },
  {
    // Examples are files that readers copy, and no package; tests run them as they are.
    deny: ['(?!{workspace}/|docs/examples/)(contract|server|sdk|docs)/.*'],
    message: 'Import another workspace by its package name, so that its exports stay its boundary.',
  },
]

const serverWide = [
  {
    deny: ['@portico/(sdk|docs|test)(/.*)?', '(sdk|docs|test)/.*'],
    message: 'The server stands alone: it imports the contract and its own files (src/cli may use the SDK).',
  },
  {
    deny: ['server/src/(?!{folder}/)emulator/.*'],
    message: 'The emulator is for tests, and no part of what serves: only its command imports it.',
  },
]

const noOutside = {
  deny: ['express', '@ts-rest/.*', 'server/src/http/.*', '.*/routes', '.*/router'],
  message: 'A domain file knows no HTTP: take (deps, tenant, input), return a record, throw ApiError(code).',
}

const noForeignRecord = {
  deny: ['server/src/(?!{folder}/)[^/]+/record'],
  message: "Call the other resource's operation; only that resource maps its own rows.",
}

const noProtocolInternals = {
  deny: [
    `server/src/(?!{folder}/)(${protocols})/(?!(claims|acr|scopes|pkce|error|access-token|live-token|id-token-hint|locale)$).*`,
  ],
  message:
    'Another protocol’s files are its own; share a domain file (or its claims, acr, scopes, pkce, error, access-token, live-token, id-token-hint or locale file).',
}

/** Import rules of one set of files, on top of those that hold everywhere; a later call for a file replaces an earlier one. */
function imports(files, ...rules) {
  return {
    files: files.filter((pattern) => !pattern.startsWith('!')),
    ignores: files.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)),
    rules: { 'portico/imports': ['error', ...everywhere, ...rules] },
  }
}

const importRules = [
  imports(['**/*.{ts,tsx}']),

  imports(['contract/**/*.ts'], {
    allow: ['zod/v4', '@ts-rest/core', 'contract/.*'],
    message: 'The contract runs anywhere: it imports zod/v4, @ts-rest/core and its own files only.',
  }),
  imports(['contract/src/openapi.ts', 'contract/**/*.test.ts', 'contract/*.ts', 'contract/gate/*.ts'], {
    allow: ['zod/v4', '@ts-rest/core', 'contract/.*', 'node:.*', 'vitest'],
    message:
      'The contract imports zod/v4, @ts-rest/core and its own files; its generator and tests also node:*.',
  }),

  imports(['sdk/src/**/*.ts'], {
    allow: ['sdk/src/.*'],
    message:
      'The SDK has no dependency: write what it needs from the contract into generated.ts (sdk/generate.ts).',
  }),
  imports(['sdk/src/webhooks.ts'], {
    allow: ['sdk/src/.*', '@portico/contract/webhook-signature'],
    message:
      'The receiver’s side imports the SDK’s own files, and of the contract the one file without a dependency.',
  }),
  imports(['sdk/src/mock.ts'], {
    allow: ['sdk/src/.*', 'msw'],
    message: 'The mock imports the SDK’s own files and msw, its optional peer.',
  }),
  imports(['sdk/src/emulator-process.ts'], {
    allow: ['sdk/src/.*', 'node:.*'],
    message: 'What starts an emulator imports the SDK’s own files and Node alone.',
  }),
  imports(['sdk/src/conformance.ts'], {
    allow: ['sdk/src/.*', '@portico/contract(/.*)?', 'zod/v4'],
    message:
      'The conformance check compares the generated types with the contract, and imports nothing else.',
  }),
  imports(['sdk/*.ts', 'sdk/**/*.test.ts', 'docs/**/*.ts'], {
    deny: ['@portico/(server|test)(/.*)?'],
    message: 'The SDK and the docs are built from the contract; nothing of the server is known there.',
  }),

  imports(
    ['test/**/*.ts'],
    {
      deny: [`@portico/server(?!/(${testedEntries})$)(/.*)?`],
      message: 'Tests go in through the front door: what server/package.json exports, and nothing behind it.',
    },
    {
      deny: ['kysely(/.*)?'],
      message: 'Arrange and assert through the API (test/given.ts), not with queries.',
    },
  ),

  imports(['server/**/*.{ts,tsx}'], ...serverWide),
  imports(['server/src/cli/**/*.ts'], {
    deny: ['@portico/(docs|test)(/.*)?', 'express', '@ts-rest/.*'],
    message: 'A command calls operations with Deps, or the API through the SDK.',
  }),
  imports(['server/src/http/**/*.ts'], ...serverWide, {
    deny: ['kysely(/.*)?', 'pg', 'server/src/db/schema'],
    message: 'Queries live in domain files; a middleware calls their operations.',
  }),
  imports(['server/src/{db,crypto}/**/*.ts'], ...serverWide, {
    deny: ['server/src/(?!(db|crypto)/|(errors|tenant|config|deps)$).*', 'express', '@ts-rest/.*'],
    message: 'db and crypto are below every resource: take values, and let the resource call you.',
  }),
  imports(resourceFiles, ...serverWide, noOutside, noForeignRecord),
  // It puts a whole service together, as main.ts does.
  imports(['server/src/emulator/{emulator,run}.ts'], ...serverWide, noForeignRecord),
  imports(
    [`server/src/{${protocols.replaceAll('|', ',')}}/**/*.{ts,tsx}`, '!**/router.ts', '!**/record.ts'],
    ...serverWide,
    {
      ...noOutside,
      message: 'express is for router.ts alone; other protocol files take values and return them.',
    },
    noForeignRecord,
    noProtocolInternals,
  ),
  imports(
    [`server/src/{${protocols.replaceAll('|', ',')}}/**/router.ts`],
    ...serverWide,
    {
      deny: ['@ts-rest/.*', 'kysely(/.*)?', 'server/src/db/.*', '.*/routes'],
      message: 'A router mounts addresses and calls operations; contract routes and queries are elsewhere.',
    },
    noForeignRecord,
  ),
  imports(['server/src/*/routes.ts'], {
    allow: [
      '{own}/.*',
      '@portico/contract(/.*)?',
      'server/src/http/(answer|request-context)',
      'server/src/deps',
      '@ts-rest/express',
    ],
    allowTypes: ['express'],
    message:
      'A handler imports its own domain files, the contract, ../http/answer.js, ../http/request-context.js and ../deps.js; put the rest into an operation.',
  }),
  imports(['server/src/*/record.ts'], {
    allow: ['@portico/contract(/.*)?', 'server/src/db/schema', 'server/src/tenant'],
    allowTypes: ['kysely', '{own}/.*'],
    message:
      'record.ts converts and does nothing else: the contract, ../db/schema.js and ../tenant.js (types of kysely and of its own folder).',
  }),
  imports(pureFiles, ...serverWide, noForeignRecord, noProtocolInternals, {
    deny: [
      'server/src/(?!{folder}/|crypto/|(errors|tenant|loopback)$).*',
      'server/src/.*/(routes|router)',
      'kysely(/.*)?',
      'pg',
      'express',
      '@ts-rest/.*',
    ],
    message: 'This file is pure: take values, time included, and return values.',
  }),
]

const sqlClock = String.raw`/\b((now|(clock|statement|transaction)_timestamp)\s*\(|current_(timestamp|date|time)\b|localtime(stamp)?\b)/i`

// Each becomes the rule portico/<name>: a shape of code (an ESQuery selector), and what is right instead.
const shapes = {
  'no-export-star': {
    ExportAllDeclaration: 'Export names one by one, from the file that defines them.',
  },
  'no-default-export': {
    'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]':
      'Use a named export; only a tool’s configuration file has a default one.',
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
      'Take ids from server/src/crypto/random.ts, so that a seeded emulator makes the same ones each time.',
  },
  'sql-clock': {
    [[
      `TaggedTemplateExpression[tag.name="sql"] TemplateElement[value.raw=${sqlClock}]`,
      `CallExpression[callee.object.name="sql"] Literal[value=${sqlClock}]`,
      `CallExpression[callee.object.name="sql"] TemplateElement[value.raw=${sqlClock}]`,
    ].join(', ')]: 'Pass deps.now() as a parameter; nobody can set the clock of the database.',
  },
  environment: {
    [[
      'MemberExpression[object.name="process"]:matches([property.name="env"], [property.value="env"])',
      'MemberExpression[object.property.name="process"][property.name="env"]',
      'VariableDeclarator[init.name="process"] > ObjectPattern > Property[key.name="env"]',
      'ImportDeclaration[source.value=/^(node:)?process$/] ImportSpecifier[imported.name="env"]',
    ].join(', ')]: 'Read the setting from Config (server/src/config.ts), which alone reads process.env.',
  },
  console: {
    'Identifier[name="console"]': 'Log through deps.log; only a command (src/cli) speaks to a terminal.',
  },
  'no-raw-html': {
    'JSXAttribute[name.name="dangerouslySetInnerHTML"], Property[key.name="dangerouslySetInnerHTML"], Property[key.value="dangerouslySetInnerHTML"]':
      'Write elements and text, which Preact escapes; markup from a string is how scripts get in.',
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
          message: 'Do it, or write it in the issue tracker; a comment says what is true of this code.',
        })
      }
    },
  }),
}

const importsRule = {
  meta: { schema: false },
  create(context) {
    const file = relative(root, context.filename).replaceAll('\\', '/')
    const places = {
      '{own}': posix.dirname(file),
      '{folder}': posix.dirname(file).replace('server/src/', '').split('/')[0],
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
      const filled = Object.entries(places).reduce((text, [key, value]) => text.replace(key, value), pattern)
      return new RegExp(`^(?:${filled})$`)
    }

    return {
      ImportDeclaration: (node) => check(node.source, node.importKind === 'type'),
      ExportNamedDeclaration: (node) => check(node.source, node.exportKind === 'type'),
      ExportAllDeclaration: (node) => check(node.source, node.exportKind === 'type'),
      ImportExpression: (node) => check(node.source, false),
      TSImportType: (node) => check(node.source ?? node.argument?.literal, true),
    }
  },
}

const portico = {
  rules: {
    imports: importsRule,
    'no-todo': noTodo,
    ...Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, ruleOfShape(shape)])),
  },
}

export default defineConfig(
  {
    ignores: ['**/dist/', '**/node_modules/', '**/coverage/', '.data/', 'tmp/', 'sdk/src/generated.ts'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,

  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    rules: {
      ...tseslint.configs.eslintRecommended.rules,
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-undef': 'off',
      'no-unused-vars': 'off',

      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-for-in-array': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
    },
  },
  {
    // What a parsed body or row is, must be said before it is used; tests may look into an answer as it is.
    files: ['{contract,server,sdk}/src/**/*.{ts,tsx}'],
    ignores: tests,
    rules: {
      '@typescript-eslint/no-base-to-string': 'error',
      '@typescript-eslint/no-unsafe-argument': 'error',
      '@typescript-eslint/no-unsafe-assignment': 'error',
      '@typescript-eslint/no-unsafe-call': 'error',
      '@typescript-eslint/no-unsafe-member-access': 'error',
      '@typescript-eslint/no-unsafe-return': 'error',
    },
  },
  {
    ...jsxA11y.flatConfigs.recommended,
    files: ['server/src/pages/**/*.tsx'],
    // Preact writes the attribute as HTML does: for.
    settings: { 'jsx-a11y': { attributes: { for: ['htmlFor', 'for'] } } },
  },

  {
    // The files that run in browsers: of the hosted pages, and of the documentation.
    files: ['server/src/pages/script.js', 'docs/site/assets/site.js'],
    languageOptions: {
      sourceType: 'script',
      globals: {
        document: 'readonly',
        matchMedia: 'readonly',
        navigator: 'readonly',
        setTimeout: 'readonly',
        window: 'readonly',
      },
    },
  },

  { plugins: { portico }, rules: { 'portico/no-todo': 'error', 'portico/no-export-star': 'error' } },
  { files: ['**/*.{ts,tsx}'], rules: { 'portico/no-class': 'error', 'portico/no-default-export': 'error' } },
  { files: ['**/*.config.{ts,js}'], rules: { 'portico/no-default-export': 'off' } },
  // Two prototypes of node:http, without which Express changes the prototype of every request.
  { files: ['server/src/http/server.ts'], rules: { 'portico/no-class': 'off' } },

  ...importRules,

  {
    files: ['{contract,sdk}/src/**/*.ts'],
    // Its process is the global one: a bundle of CommonJS that imports the module's default exports a function of the bundler.
    ignores: [...tests, 'contract/src/openapi.ts', 'sdk/src/emulator-process.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['Buffer', 'process', 'setImmediate'].map((name) => ({
          name,
          message: 'This runs in browsers too: use what every runtime has (Uint8Array, WebCrypto, fetch).',
        })),
      ],
    },
  },
  {
    files: ['server/src/**/*.{ts,tsx}'],
    rules: { 'portico/clock': 'error', 'portico/console': 'error', 'portico/no-raw-html': 'error' },
  },
  {
    files: ['server/src/**/*.{ts,tsx}'],
    ignores: [
      ...tests,
      // What makes them, by chance and without it, and people who are made up in bulk.
      'server/src/crypto/random.ts',
      'server/src/emulator/derived-randomness.ts',
      'server/src/sample-data/**',
    ],
    rules: { 'portico/ids': 'error' },
  },
  { files: ['**/*.{ts,tsx}'], rules: { 'portico/sql-clock': 'error' } },
  { files: ['{contract,server,sdk}/src/**/*.{ts,tsx}'], rules: { 'portico/environment': 'error' } },
  { files: ['server/src/system-clock.ts'], rules: { 'portico/clock': 'off' } },
  { files: ['server/src/config.ts', 'sdk/src/emulator-process.ts'], rules: { 'portico/environment': 'off' } },
  { files: ['server/src/cli/**'], rules: { 'portico/console': 'off' } },
)
