/** The entries of @portico/server that tests may import, as a pattern; package.json lists the same. */
const testedEntries =
  'command|compile|config|deps|log|metrics-server|variables|app|call|cell-key|find-cell|rights|processes|server|worker|backlog|accounts|staff-organization|console-start|credentials-file|attempts|sms-limits|api-keys|last-uses|embedded|embedded-template|migrate|mailer|sms-sender|purge|erase-user|export-user|outbound-target|stored-password|rotate-signing-keys|account-keys|tenant|audit|list-audit|health|statistics|count-log-events|users|(people|promotion|saml)/[a-z-]+'

// First the import rules (docs/style.md), then the others by files. The rules portico/… are in test/lint-rules.js;
// test/lint-rules.test.ts tests each of them. `npm run lint` checks types in the same pass.

const tests = ['**/*.test.ts', '**/*.test.tsx', 'test/**/*.ts']

/**
 * The rooms of server/src with their folders; '.' are the files directly in a room. An import may only go down: to a lower
 * room, or to a lower folder of the same room (docs/architecture.md).
 */
const rooms = {
  cli: ['.', 'emulator', 'sample-data'],
  app: ['.', 'http', 'cells'],
  console: ['.', 'texts', 'labels'],
  screens: ['.', 'texts'],
  operations: [
    '.',
    'health',
    'doctor',
    'citus',
    'backup',
    'purge',
    'promotion',
    'people',
    'search',
    'import',
    'master-keys',
    'staff',
    'accounts',
  ],
  pages: [
    ...[
      '.',
      'outbox',
      'test-idp',
      'onboarding',
      'sso',
      'social',
      'account-sign-in',
      'sign-in',
      'magic-link',
      'relay',
      'set-password',
      'invitation',
    ],
    ...['account', 'email-link', 'own-sessions', 'logout', 'impersonation', 'message'],
    ...['steps', 'views', 'frame', 'texts'],
  ],
  protocols: ['scim', 'oidc', 'discoveries', 'oauth'],
  sso: [
    'social',
    'test-idp',
    'tutorials',
    'onboarding',
    'oidc',
    'sign-in',
    'admins',
    'connections',
    'invitations',
    'saml',
  ],
  'sign-in': [
    'own-account',
    'identities',
    'passkeys',
    'invitations',
    'account-flows',
    'impersonation',
    'relays',
    'totp',
    'magic-link',
    'password',
    'joining',
    'flows',
    '.',
  ],
  directory: [
    ...[
      'directory-sync',
      'sessions',
      'token-customization',
      'invitations',
      'join-requests',
      'roles',
      'users',
    ],
    ...['application-secrets', 'applications', 'organizations', 'organization-policy', 'pending-invitations'],
    ...['domains', 'meta-keys', 'account-record', '.'],
  ],
  tokens: ['.', 'api-keys', 'signing-keys'],
  delivery: ['webhooks', 'outbox', 'sms', 'mail', 'log-events', 'events', 'audit', 'jobs', '.', 'limits'],
  platform: [
    ...['deps', 'passwords', 'openid', 'sms', 'http', 'observability', 'mail', 'db', 'config', 'crypto'],
    ...['outbound', '.'],
  ],
}

/** The folders of contract/src; '.' are contract.ts, which composes them, and the files that walk over it. */
const foldersOfContract = ['openapi', '.', 'console', 'events', 'protocols', 'resources', 'core']

/** The files of the server that handle HTTP and have no queries. */
const webFiles = ['server/src/{app,platform}/http/**/*.ts']

const resourceFiles = [
  'server/src/*/**/*.{ts,tsx}',
  '!server/src/{app,platform}/http/**',
  '!server/src/platform/{db,crypto}/**',
  '!server/src/cli/*',
  '!server/src/delivery/{request-context,events/answer}.ts',
  '!**/routes.ts',
  '!**/record.ts',
  '!**/router.ts',
  // It mounts the router in an app.
  '!**/router.test.ts',
]

const pureFiles = [
  'server/src/directory/organizations/slug.ts',
  'server/src/directory/applications/redirects.ts',
  'server/src/directory/meta-keys/meta-value.ts',
  'server/src/tokens/{pkce,claims,role-claims}.ts',
  'server/src/sign-in/password/policy.ts',
]

// Patterns are regular expressions over the imported module: the name of a package, or the path of a relative import from
// the root of the repository, without extension. {own}, {folder} and {room} are the directory, folder and room of the importer.
const everywhere = [
  {
    deny: ['zod(/(?!v4$).*)?'],
    message: "Import from 'zod/v4': plain 'zod' has the types of version 3 and runs as version 4.",
  },
  {
    // Examples are files to copy, not a package; tests import them directly.
    deny: ['(?!{workspace}/|docs/examples/)(contract|server|sdk|docs)/.*'],
    message: 'Import another workspace by its package name, through its exports.',
  },
]

const tracing = 'server/src/platform/observability'

const serverWide = [
  {
    deny: ['@opentelemetry/.*', `${tracing}/(spans|trace-export)`],
    message: 'Without a collector nothing of OpenTelemetry is loaded: import observability/traces.js.',
  },
  {
    deny: ['@portico/(sdk|docs|test)(/.*)?', '(sdk|docs|test)/.*'],
    message: 'The server stands alone: it imports the contract and its own files (src/cli may use the SDK).',
  },
  {
    deny: ['server/src/(?!{folder}/)cli/emulator/.*'],
    message: 'The emulator is for tests and not part of the service: only its command imports it.',
  },
]

const noOutside = {
  deny: [
    ...['express', '@ts-rest/.*', '.*/routes', '.*/router'],
    ...[
      'server/src/delivery/(request-context|events/answer)',
      'server/src/platform/http/(?!(if-none-match|body-fault)$).*',
    ],
  ],
  message:
    'A domain file knows no HTTP: accept (deps, tenant, input), return a record, throw ApiError(code).',
}

const noForeignRecord = {
  deny: ['server/src/(?!{folder}/).*/record'],
  message: "Call the other resource's operation; only that resource maps its rows.",
}

const noProtocolInternals = {
  deny: [
    'server/src/(?!{folder}/)protocols/(oauth|oidc)/(?!(error|live-token|id-token-hint|account-authorization)$).*',
  ],
  message:
    'Another protocol’s files are its own; import a domain file (or its error, live-token, id-token-hint or account-authorization file).',
}

/** The import rules of some files, in addition to those for all files; for each file the last matching call applies. */
function imports(files, ...rules) {
  return {
    files: files.filter((pattern) => !pattern.startsWith('!')),
    excludeFiles: files.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)),
    rules: { 'portico/imports': ['error', ...everywhere, ...rules] },
  }
}

const importRules = [
  imports(['**/*.{ts,tsx}']),

  imports(['contract/**/*.ts'], {
    allow: ['zod/v4', '@ts-rest/core', 'contract/.*'],
    message: 'The contract runs anywhere: it imports zod/v4, @ts-rest/core and its own files only.',
  }),
  imports(
    ['contract/src/openapi/openapi.ts', 'contract/**/*.test.ts', 'contract/*.ts', 'contract/gate/*.ts'],
    {
      allow: ['zod/v4', '@ts-rest/core', 'contract/.*', 'node:.*', 'vitest'],
      message:
        'The contract imports zod/v4, @ts-rest/core and its own files; its generator and tests also node:*.',
    },
  ),

  imports(['sdk/src/**/*.ts'], {
    allow: ['sdk/src/.*'],
    message:
      'The SDK has no dependency: write what it needs from the contract into generated.ts (sdk/generate.ts).',
  }),
  imports(['sdk/src/webhooks.ts'], {
    allow: ['sdk/src/.*', '@portico/contract/webhook-signature'],
    message:
      'The receiver’s side imports the SDK’s own files, and from the contract the one file without dependencies.',
  }),
  imports(['sdk/src/mock.ts'], {
    allow: ['sdk/src/.*', 'msw'],
    message: 'The mock imports the SDK’s own files and msw, its optional peer.',
  }),
  imports(['sdk/src/next.ts'], {
    allow: ['sdk/src/.*', 'next/(headers|navigation|server)\\.js'],
    message: 'The session layer of Next.js imports the SDK’s own files and next, its optional peer.',
  }),
  imports(['sdk/src/emulator-process.ts'], {
    allow: ['sdk/src/.*', 'node:.*'],
    message: 'The code that starts an emulator imports only the SDK’s own files and Node.',
  }),
  imports(['sdk/src/conformance.ts'], {
    allow: ['sdk/src/.*', '@portico/contract(/.*)?', 'zod/v4'],
    message:
      'The conformance check compares the generated types with the contract, and imports nothing else.',
  }),
  imports(['sdk/*.ts', 'sdk/**/*.test.ts', 'docs/**/*.ts'], {
    deny: ['@portico/(server|test)(/.*)?'],
    message: 'The SDK and the docs are built from the contract, without the server.',
  }),

  imports(
    ['test/**/*.ts'],
    {
      deny: [`@portico/server(?!/(${testedEntries})$)(/.*)?`],
      message: 'Tests go in through the front door: they import only the exports of server/package.json.',
    },
    {
      deny: ['kysely(/.*)?'],
      message: 'Arrange and assert through the API (test/given/given.ts), not with queries.',
    },
  ),

  imports(['server/**/*.{ts,tsx}'], ...serverWide),
  imports(['server/src/cli/*.ts'], {
    deny: ['@portico/(docs|test)(/.*)?', 'express', '@ts-rest/.*'],
    message: 'A command calls operations with Deps, or the API through the SDK.',
  }),
  imports(webFiles, ...serverWide, {
    deny: ['kysely(/.*)?', 'pg', 'server/src/platform/db/schema'],
    message: 'Queries live in domain files; a middleware calls their operations.',
  }),
  imports(['server/src/platform/{db,crypto}/**/*.ts'], ...serverWide, {
    deny: ['express', '@ts-rest/.*'],
    message: 'db and crypto know no HTTP: accept values, and return values.',
  }),
  imports(resourceFiles, ...serverWide, noOutside, noForeignRecord),
  // These compose a whole service, as app/processes.ts does.
  imports(['server/src/cli/emulator/{emulator,run}.ts'], ...serverWide, noForeignRecord),
  imports(
    [
      'server/src/{protocols/oauth,protocols/oidc,pages}/**/*.{ts,tsx}',
      ...['!**/router.ts', '!**/router.test.ts', '!**/record.ts'],
    ],
    ...serverWide,
    {
      ...noOutside,
      message: 'express is for router.ts alone; other protocol files accept and return values.',
    },
    noForeignRecord,
    noProtocolInternals,
  ),
  imports(
    ['server/src/{protocols/oauth,protocols/oidc,pages,console}/**/{router,page-route}.ts'],
    ...serverWide,
    {
      deny: ['@ts-rest/.*', 'kysely(/.*)?', 'server/src/platform/db/.*', '.*/routes'],
      message: 'A router mounts addresses and calls operations; contract routes and queries are elsewhere.',
    },
    noForeignRecord,
  ),
  imports(['server/src/console/**/*.{ts,tsx}', '!**/router.ts'], ...serverWide, noForeignRecord, {
    deny: ['express', '@ts-rest/.*', '.*/routes'],
    message: 'A page of the console answers an Exchange; its address is mounted in router.ts.',
  }),
  imports(['server/src/*/*/routes.ts'], {
    allow: [
      '{own}/.*',
      '@portico/contract(/.*)?',
      'server/src/delivery/(deps|request-context|events/answer)',
      'server/src/tokens/issuer',
      '@ts-rest/express',
    ],
    allowTypes: ['express'],
    message:
      'A handler imports its own domain files, the contract, tokens/issuer.js, and of delivery/ deps.js, request-context.js and events/answer.js; put the rest into an operation.',
  }),
  imports(['server/src/*/*/record.ts'], {
    allow: ['@portico/contract(/.*)?', 'server/src/platform/db/schema', 'server/src/platform/tenant'],
    allowTypes: ['kysely', 'server/src/{room}/.*'],
    message:
      'record.ts converts and does nothing else: the contract, platform/db/schema.js and platform/tenant.js (types of kysely and of its own room).',
  }),
  imports([`${tracing}/open-traces.ts`], {
    deny: ['@opentelemetry/.*'],
    message: 'It opens what others are made of.',
  }),
  imports([`${tracing}/spans.ts`], {
    deny: ['@opentelemetry/(?!api$).*'],
    message: 'Spans are made by the API of OpenTelemetry; its SDK is for trace-export.ts alone.',
  }),
  imports([`${tracing}/trace-export.ts`], {
    deny: ['@opentelemetry/api', `${tracing}/spans`],
    message: 'The SDK is opened here; spans are made in spans.ts.',
  }),
  imports(pureFiles, ...serverWide, noForeignRecord, noProtocolInternals, {
    deny: [
      'server/src/(?!{folder}/|tokens/(acr|role-claims)$|platform/(crypto/|(errors|tenant|loopback|config/rp-id)$)).*',
      'server/src/.*/(routes|router)',
      'kysely(/.*)?',
      'pg',
      'express',
      '@ts-rest/.*',
    ],
    message: 'This file is pure: accept values, time included, and return values.',
  }),
]

/** ESLint's recommended rules. */
const recommended = [
  ...[
    'for-direction',
    'no-async-promise-executor',
    'no-case-declarations',
    'no-compare-neg-zero',
    'no-cond-assign',
  ],
  ...[
    'no-constant-binary-expression',
    'no-constant-condition',
    'no-control-regex',
    'no-debugger',
    'no-delete-var',
  ],
  ...['no-dupe-else-if', 'no-duplicate-case', 'no-empty', 'no-empty-character-class', 'no-empty-pattern'],
  ...['no-empty-static-block', 'no-ex-assign', 'no-extra-boolean-cast', 'no-fallthrough', 'no-global-assign'],
  ...[
    'no-invalid-regexp',
    'no-irregular-whitespace',
    'no-loss-of-precision',
    'no-misleading-character-class',
  ],
  ...['no-nonoctal-decimal-escape', 'no-prototype-builtins', 'no-regex-spaces', 'no-self-assign'],
  ...['no-shadow-restricted-names', 'no-sparse-arrays', 'no-unexpected-multiline', 'no-unsafe-finally'],
  ...['no-unsafe-optional-chaining', 'no-unused-labels', 'no-unused-private-class-members'],
  ...[
    'no-useless-backreference',
    'no-useless-catch',
    'no-useless-escape',
    'require-yield',
    'use-isnan',
    'valid-typeof',
  ],
]

/** ESLint's further recommended rules for JavaScript; for TypeScript the compiler checks them. */
const recommendedForJavaScript = [
  ...['constructor-super', 'getter-return', 'no-class-assign', 'no-const-assign', 'no-dupe-class-members'],
  ...['no-dupe-keys', 'no-func-assign', 'no-import-assign', 'no-new-native-nonconstructor', 'no-obj-calls'],
  ...['no-redeclare', 'no-setter-return', 'no-this-before-super', 'no-undef', 'no-unreachable'],
  ...['no-unsafe-negation', 'no-unused-vars', 'no-with'],
]

const handlers = ['onClick', 'onMouseDown', 'onMouseUp', 'onKeyPress', 'onKeyDown', 'onKeyUp']
const lists = ['listbox', 'menu', 'menubar', 'radiogroup', 'tablist', 'tree', 'treegrid']
const listItems = ['menuitem', 'menuitemradio', 'menuitemcheckbox', 'option', 'row', 'tab', 'treeitem']
const keys = ['onKeyUp', 'onKeyDown', 'onKeyPress']
const tabbable = ['button', 'checkbox', 'link', 'searchbox', 'spinbutton', 'switch', 'textbox']

/** The recommended rules of jsx-a11y. */
const accessible = {
  ...errors(
    ...[
      'alt-text',
      'anchor-has-content',
      'anchor-is-valid',
      'aria-activedescendant-has-tabindex',
      'aria-props',
    ],
    ...['aria-proptypes', 'aria-role', 'aria-unsupported-elements', 'autocomplete-valid'],
    ...['click-events-have-key-events', 'heading-has-content', 'html-has-lang', 'iframe-has-title'],
    ...[
      'img-redundant-alt',
      'label-has-associated-control',
      'media-has-caption',
      'mouse-events-have-key-events',
    ],
    ...['no-access-key', 'no-autofocus', 'no-distracting-elements', 'no-redundant-roles'],
    ...['role-has-required-aria-props', 'role-supports-aria-props', 'scope', 'tabindex-no-positive'],
  ),
  'interactive-supports-focus': ['error', { tabbable }],
  'no-interactive-element-to-noninteractive-role': [
    'error',
    { tr: ['none', 'presentation'], canvas: ['img'] },
  ],
  'no-noninteractive-element-interactions': [
    'error',
    {
      handlers: ['onError', 'onLoad', ...handlers],
      ...{ alert: keys, dialog: keys },
      ...{ body: ['onError', 'onLoad'], iframe: ['onError', 'onLoad'], img: ['onError', 'onLoad'] },
    },
  ],
  'no-noninteractive-element-to-interactive-role': [
    'error',
    {
      ...{ ul: lists, ol: lists, li: listItems },
      ...{ table: ['grid'], td: ['gridcell'], fieldset: ['radiogroup', 'presentation'] },
    },
  ],
  'no-noninteractive-tabindex': ['error', { tags: [], roles: ['tabpanel'], allowExpressionValues: true }],
  'no-static-element-interactions': ['error', { allowExpressionValues: true, handlers }],
}

function errors(...names) {
  return Object.fromEntries(names.map((name) => [name, 'error']))
}

/** Prefixes rules with the name of their plugin. */
function of(plugin, rules) {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [`${plugin}/${name}`, rule]))
}

const config = {
  plugins: ['typescript', 'jsx-a11y', 'import'],
  jsPlugins: ['./test/lint-rules.js'],
  categories: { correctness: 'off' },
  options: { reportUnusedDisableDirectives: 'error', typeAware: true, typeCheck: true },
  ignorePatterns: ['**/dist/', '**/node_modules/', '**/coverage/', '.data/', 'tmp/'],
  env: { builtin: true },
  rules: {
    ...errors(...recommended, ...recommendedForJavaScript),
    'portico/no-todo': 'error',
    'portico/no-export-star': 'error',
  },
  overrides: [
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        ...Object.fromEntries(recommendedForJavaScript.map((name) => [name, 'off'])),
        ...errors('no-var', 'prefer-const', 'prefer-rest-params', 'prefer-spread'),
        eqeqeq: ['error', 'always', { null: 'ignore' }],
        'no-unused-vars': [
          'error',
          { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
        ],
        ...of('typescript', {
          ...errors('await-thenable', 'consistent-type-imports', 'no-explicit-any', 'no-floating-promises'),
          ...errors('no-for-in-array', 'no-import-type-side-effects', 'no-misused-promises'),
          ...errors('no-non-null-assertion'),
          'ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description' }],
          'only-throw-error': ['error', { allowThrowingUnknown: true }],
          'return-await': ['error', 'error-handling-correctness-only'],
          'switch-exhaustiveness-check': [
            'error',
            { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
          ],
        }),
        'portico/no-class': 'error',
        'portico/no-default-export': 'error',
        'portico/sql-clock': 'error',
      },
    },
    {
      files: ['contract/src/**/*.ts'],
      excludeFiles: tests,
      rules: {
        'portico/rooms': ['error', 'contract', [['src', foldersOfContract]]],
        'import/no-cycle': ['error', { ignoreTypes: false }],
      },
    },
    {
      // Tests and their fixtures may import from every room.
      files: ['server/src/**/*.{ts,tsx}'],
      excludeFiles: [...tests, '**/*.given.ts', '**/*.given.tsx'],
      rules: {
        'portico/rooms': ['error', 'server/src', Object.entries(rooms)],
        'import/no-cycle': ['error', { ignoreTypes: false }],
      },
    },
    {
      // Parsed bodies and rows need a type before use; tests may access untyped answers.
      files: ['{contract,server,sdk}/src/**/*.{ts,tsx}'],
      excludeFiles: tests,
      rules: of(
        'typescript',
        errors(
          ...['no-base-to-string', 'no-unsafe-argument', 'no-unsafe-assignment', 'no-unsafe-call'],
          ...['no-unsafe-member-access', 'no-unsafe-return'],
        ),
      ),
    },
    { files: ['server/src/{pages,console}/**/*.tsx'], rules: of('jsx-a11y', accessible) },
    {
      // Scripts for browsers: of the hosted pages, and of the documentation site.
      files: ['server/src/pages/frame/{passkey,script}.js', 'docs/site/assets/site.js'],
      globals: {
        AbortController: 'readonly',
        document: 'readonly',
        matchMedia: 'readonly',
        navigator: 'readonly',
        setTimeout: 'readonly',
        window: 'readonly',
      },
    },

    // Next.js takes pages and its proxy by their default export.
    {
      files: ['**/*.config.{ts,js}', 'docs/examples/next-product/{app/**/*.tsx,proxy.ts}'],
      rules: { 'portico/no-default-export': 'off' },
    },
    // Two subclasses for node:http, without which Express changes the prototype of every request.
    { files: ['server/src/app/http/server.ts'], rules: { 'portico/no-class': 'off' } },

    ...importRules,

    {
      files: ['{contract,sdk}/src/**/*.ts'],
      // emulator-process.ts uses the global process: importing node:process breaks the CommonJS bundle.
      excludeFiles: [...tests, 'contract/src/openapi/openapi.ts', 'sdk/src/emulator-process.ts'],
      rules: {
        'no-restricted-globals': [
          'error',
          ...['Buffer', 'process', 'setImmediate'].map((name) => ({
            name,
            message: 'This runs in browsers too: use APIs of every runtime (Uint8Array, WebCrypto, fetch).',
          })),
        ],
      },
    },
    {
      files: ['server/src/**/*.{ts,tsx}'],
      rules: errors('portico/clock', 'portico/console', 'portico/no-raw-html'),
    },
    {
      files: ['server/src/**/*.{ts,tsx}'],
      excludeFiles: [
        ...tests,
        // Generators of random and derived ids, and bulk sample data.
        'server/src/platform/crypto/random.ts',
        'server/src/cli/emulator/derived-randomness.ts',
        'server/src/cli/sample-data/**',
      ],
      rules: { 'portico/ids': 'error' },
    },
    { files: ['{contract,server,sdk}/src/**/*.{ts,tsx}'], rules: { 'portico/environment': 'error' } },
    {
      files: ['server/src/**/*.{ts,tsx}'],
      excludeFiles: [...tests, 'server/src/platform/http/body.ts'],
      rules: { 'portico/bodies': 'error' },
    },
    {
      files: ['server/src/**/*.ts'],
      excludeFiles: [
        ...tests,
        '**/*.given.ts',
        'server/src/platform/db/migrations/**',
        // Operators find an API key by its id and read the outbox of a whole installation; a worker returns its own job.
        'server/src/tokens/api-keys/api-keys.ts',
        'server/src/delivery/outbox/outbox.ts',
        'server/src/delivery/jobs/queue.ts',
      ],
      rules: { 'portico/tenant': 'error' },
    },
    {
      files: ['server/src/**/*.ts'],
      excludeFiles: [...tests, 'server/src/platform/db/migrations/**'],
      rules: errors('portico/advisory-lock', 'portico/found-values'),
    },
    {
      // Those before are applied before a database becomes one of a cluster.
      files: ['server/src/platform/db/migrations/{005[89],00[6-9]?,0[1-9]??,[1-9]???}-*.ts'],
      rules: { 'portico/migration': 'error' },
    },
    {
      files: [
        'server/src/{tokens,protocols,pages,sign-in}/**/*.{ts,tsx}',
        'server/src/directory/{sessions,application-secrets}/**/*.ts',
      ],
      excludeFiles: [...tests, 'server/src/sign-in/relays/relays.ts'],
      rules: { 'portico/access-from-primary': 'error' },
    },
    { files: ['server/src/platform/system-clock.ts'], rules: { 'portico/clock': 'off' } },
    {
      files: [
        'server/src/platform/config/config.ts',
        'server/src/cli/terminal.ts',
        'sdk/src/emulator-process.ts',
        // The options of an application are those that it leaves to its environment.
        'sdk/src/session/options.ts',
      ],
      rules: { 'portico/environment': 'off' },
    },
    { files: ['server/src/cli/**'], rules: { 'portico/console': 'off' } },
  ],
  settings: { 'jsx-a11y': { attributes: { for: ['htmlFor', 'for'] } } },
}

/** Generated files: types are checked, other rules are off. */
const ruleNames = [config, ...config.overrides].flatMap(({ rules = {} }) => Object.keys(rules))
const generated = {
  files: ['sdk/src/generated.ts'],
  rules: Object.fromEntries(ruleNames.map((name) => [name, 'off'])),
}

export default { ...config, overrides: [...config.overrides, generated] }
