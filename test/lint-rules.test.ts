import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** File, code, and the beginning of the expected message. */
type Case = [file: string, code: string, message: string]

const refusedImports: Case[] = [
  ['contract/src/resources/users.ts', "import { z } from 'zod'", "Import from 'zod/v4'"],
  ['test/given/given.ts', "import { z } from 'zod/v3'", "Import from 'zod/v4'"],
  ['contract/src/resources/users.ts', "import { join } from 'node:path'", 'The contract runs anywhere'],
  ['contract/src/resources/users.ts', "import { Kysely } from 'kysely'", 'The contract runs anywhere'],
  ['contract/src/openapi/openapi.ts', "import express from 'express'", 'The contract imports zod/v4'],
  ['sdk/src/client.ts', "import { User } from '@portico/contract/users'", 'The SDK has no dependency'],
  ['sdk/src/webhooks.ts', "import { Event } from '@portico/contract/events'", 'The receiver’s side imports'],
  ['sdk/src/client.ts', "import { createHmac } from 'node:crypto'", 'The SDK has no dependency'],
  ['sdk/src/client.ts', "import type { Deps } from '@portico/server/deps'", 'The SDK has no dependency'],
  [
    'server/src/app/open-deps.ts',
    "import { trace } from '@opentelemetry/api'",
    'Without a collector nothing of OpenTelemetry',
  ],
  [
    'server/src/platform/observability/log.ts',
    "import { openSpans } from './spans.js'",
    'Without a collector nothing of OpenTelemetry',
  ],
  [
    'server/src/platform/observability/spans.ts',
    "import { TracerProvider } from '@opentelemetry/sdk-trace'",
    'Spans are made by the API',
  ],
  [
    'server/src/platform/observability/trace-export.ts',
    "import { trace } from '@opentelemetry/api'",
    'The SDK is opened here',
  ],
  ['sdk/generate.ts', "import { x } from '@portico/server/app'", 'The SDK and the docs are built'],
  ['docs/build.ts', "import { x } from '@portico/server/app'", 'The SDK and the docs are built'],
  [
    'docs/build.ts',
    "import { x } from '../contract/src/resources/users.js'",
    'Import another workspace by its package name',
  ],
  [
    'test/given/given.ts',
    "import { x } from '@portico/server/users/users'",
    'Tests go in through the front door',
  ],
  [
    'test/given/given.ts',
    "import { x } from '../../server/src/directory/users/users.js'",
    'Import another workspace by its package',
  ],
  ['test/given/given.ts', "import { sql } from 'kysely'", 'Arrange and assert through the API'],
  ['server/src/directory/users/users.ts', "import { x } from '@portico/sdk'", 'The server stands alone'],
  [
    'server/src/app/processes.ts',
    "import { x } from '../../../test/given/given.js'",
    'The server stands alone',
  ],
  ['server/src/app/http/https-only.ts', "import { sql } from 'kysely'", 'Queries live in domain files'],
  [
    'server/src/platform/db/page.ts',
    "import { x } from '../../directory/users/users.js'",
    'An import goes down: platform/db may not know directory/users',
  ],
  [
    'server/src/platform/crypto/jwt.ts',
    "import type { x } from '../db/connect.js'",
    'An import goes down: platform/crypto may not know platform/db',
  ],
  ['server/src/platform/crypto/jwt.ts', "import type { x } from 'express'", 'db and crypto know no HTTP'],
  [
    'server/src/platform/errors.ts',
    "export { x } from './db/connect.js'",
    'An import goes down: platform/. may not know platform/db',
  ],
  [
    'server/src/directory/users/users.ts',
    "const x = await import('../../sso/admins/admins.js')",
    'An import goes down: directory/users may not know sso/admins',
  ],
  [
    'contract/src/core/fields.ts',
    "import type { x } from '../resources/users.js'",
    'An import goes down: src/core may not know src/resources',
  ],
  [
    'contract/src/resources/users.ts',
    "import { x } from '../contract.js'",
    'An import goes down: src/resources may not know src/.',
  ],
  ['server/src/cellar/wine.ts', 'export const a = 1', 'cellar/. is in no room'],
  ['server/src/directory/wine/wine.ts', 'export const a = 1', 'directory/wine is in no room'],
  [
    'server/src/directory/users/routes.ts',
    "import { x } from '../../platform/db/connect.js'",
    'A handler imports its own domain files',
  ],
  [
    'server/src/directory/users/routes.ts',
    "import { x } from '../applications/applications.js'",
    'A handler imports its own domain files',
  ],
  [
    'server/src/directory/users/routes.ts',
    "import type { Kysely } from 'kysely'",
    'A handler imports its own domain files',
  ],
  [
    'server/src/directory/users/users.ts',
    "import type { Request } from 'express'",
    'A domain file knows no HTTP',
  ],
  [
    'server/src/directory/users/users.ts',
    "import { initServer } from '@ts-rest/express'",
    'A domain file knows no HTTP',
  ],
  [
    'server/src/directory/users/users.ts',
    "import { x } from '../../delivery/events/answer.js'",
    'A domain file knows no HTTP',
  ],
  ['server/src/directory/users/users.ts', "import { x } from './routes.js'", 'A domain file knows no HTTP'],
  ['server/src/directory/users/users.ts', "const x = await import('express')", 'A domain file knows no HTTP'],
  ['server/src/directory/users/users.ts', "let x: import('express').Request", 'A domain file knows no HTTP'],
  [
    'server/src/directory/users/users.ts',
    "export { x } from '../../delivery/request-context.js'",
    'A domain file knows no HTTP',
  ],
  [
    'server/src/directory/users/users.ts',
    "import { x } from '../applications/record.js'",
    "Call the other resource's operation",
  ],
  [
    'server/src/directory/users/record.ts',
    "import { x } from './users.js'",
    'record.ts converts and does nothing else',
  ],
  [
    'server/src/directory/users/record.ts',
    "import { sql } from 'kysely'",
    'record.ts converts and does nothing else',
  ],
  ['server/src/protocols/oauth/token.ts', "import express from 'express'", 'express is for router.ts alone'],
  [
    'server/src/protocols/oauth/token.ts',
    "import { x } from '../oidc/discovery.js'",
    'Another protocol’s files are its own',
  ],
  ['server/src/pages/router.ts', "import { sql } from 'kysely'", 'A router mounts addresses'],
  ['server/src/tokens/pkce.ts', "import { x } from '../platform/config/config.js'", 'This file is pure'],
  ['server/src/directory/organizations/slug.ts', "import { sql } from 'kysely'", 'This file is pure'],
  ['server/src/cli/redeliver.ts', "import express from 'express'", 'A command calls operations'],
]

const refusedCode: Case[] = [
  ['contract/src/contract.ts', "export * from './users.js'", 'Export names one by one'],
  ['server/src/directory/users/users.ts', 'export default function getUser() {}', 'Use a named export'],
  ['server/src/directory/users/users.ts', 'export class Users {}', 'Write functions over plain values'],
  [
    'server/src/directory/users/users.ts',
    'export const Users = class {}',
    'Write functions over plain values',
  ],
  ['sdk/src/transport.ts', 'export class Transport extends Base {}', 'Write functions over plain values'],
  [
    'server/src/directory/users/users.ts',
    "import { v7 } from 'uuid'",
    'Take ids from server/src/platform/crypto/random.ts',
  ],
  ['server/src/directory/users/users.ts', 'export const at = new Date()', 'Take the time from deps.now()'],
  ['server/src/directory/users/users.ts', 'export const at = Date.now()', 'Take the time from deps.now()'],
  ['server/src/directory/users/slug.test.ts', 'export const at = Date()', 'Take the time from deps.now()'],
  [
    'server/src/directory/users/users.ts',
    'export const q = sql`select now()`',
    'Pass deps.now() as a parameter',
  ],
  [
    'server/src/directory/users/users.ts',
    'export const q = sql<Date>`a < ${b} and c < NOW ()`',
    'Pass deps.now() as a parameter',
  ],
  [
    'server/src/platform/db/migrations/1.ts',
    'export const q = sql`CURRENT_TIMESTAMP`',
    'Pass deps.now() as a parameter',
  ],
  [
    'server/src/directory/users/users.ts',
    "export const q = sql.raw('now()')",
    'Pass deps.now() as a parameter',
  ],
  [
    'server/src/directory/users/users.ts',
    'export const port = process.env.PORT',
    'Read the setting from Config',
  ],
  [
    'server/src/directory/users/users.ts',
    "export const port = process['env']",
    'Read the setting from Config',
  ],
  ['server/src/directory/users/users.ts', 'export const { env } = process', 'Read the setting from Config'],
  [
    'server/src/directory/users/users.ts',
    "import { env } from 'node:process'",
    'Read the setting from Config',
  ],
  ['sdk/src/transport.ts', 'export const port = process.env.PORT', 'Read the setting from Config'],
  ['sdk/src/transport.ts', "export const a = Buffer.from('a')", 'This runs in browsers too'],
  [
    'server/src/protocols/scim/router.ts',
    'export const read = express.json()',
    'Read bodies by server/src/platform/http/body',
  ],
  [
    'server/src/protocols/scim/router.ts',
    "import { urlencoded } from 'express'",
    'Read bodies by server/src/platform/http/body',
  ],
  [
    'server/src/directory/users/users.ts',
    "export const q = db.selectFrom('users').where('id', '=', id)",
    'Say whose rows of users these are',
  ],
  [
    'server/src/directory/users/users.ts',
    "export const q = trx.updateTable('sessions as session').set({ ended_at: at })",
    'Say whose rows of sessions these are',
  ],
  [
    'server/src/directory/users/users.ts',
    "export const q = db.selectFrom(['accounts', 'relays']).select('id')",
    'Say whose rows of relays these are',
  ],
  [
    'server/src/directory/users/users.ts',
    "export const q = db.selectFrom('users').where('id', '=', id).select(['account_id', 'email'])",
    'Say whose rows of users these are',
  ],
  [
    'server/src/directory/users/users.ts',
    "export const q = db.insertInto('users').values({ ...tenantColumns(tenant), id }).execute()",
    'Insert what a query finds by insertFound()',
  ],
  [
    'server/src/directory/users/users.ts',
    "export const q = db.insertInto('users').values({ id, at: sql<Date>`(select max(at) from users)` })",
    'Insert what a query finds by insertFound()',
  ],
  [
    'server/src/directory/users/users.ts',
    'export const q = sql`select pg_advisory_xact_lock(${key}) from users where id = ${id}`',
    'Take an advisory lock in a statement without a table',
  ],
  ...[
    'drop constraint a_check, add constraint a_check check (b in (1, 2))',
    "add column b text default ',' , -- A column.\n add constraint a_check check (num_nonnulls(b, c) = 1)",
    'add foreign key (b, c) references d (e, f), drop column g',
  ].map((subcommands): Case => [
    'server/src/platform/db/migrations/0058-a.ts',
    `export const q = sql\`alter table a ${subcommands}\``,
    'Add a constraint in a statement of its own',
  ]),
  [
    'server/src/platform/db/migrations/0100-a.ts',
    'export const q = sql`alter table ${sql.table(table)} add column b bigint generated always as identity`',
    'A cluster adds no identity column',
  ],
  [
    'server/src/platform/db/migrations/0058-a.ts',
    "export const q = sql`alter table a add column b text check (b <> 'c')`",
    'Name the constraint of a new column',
  ],
  [
    'server/src/platform/db/migrations/0058-a.ts',
    'export const q = sql`drop index a_one, a_other`',
    'Drop one index in each statement',
  ],
  [
    'server/src/platform/db/migrations/0061-a.ts',
    'export const q = sql`update a set b = 1; alter table a rename constraint a_check to b_check`',
    'A cluster renames no constraint',
  ],
  [
    'server/src/directory/sessions/sessions.ts',
    'export const list = ({ readDb }) => readDb',
    'Read from deps.db: what gives access',
  ],
  ['server/src/tokens/families.ts', 'export const list = (deps) => deps.readDb', 'Read from deps.db'],
  ['server/src/directory/users/users.ts', "console.log('hello')", 'Log through deps.log'],
  ['server/src/directory/users/users.ts', 'export const { log } = console', 'Log through deps.log'],
  [
    'server/src/pages/views/login.tsx',
    'export const a = <p dangerouslySetInnerHTML={b} />',
    'Write elements and text',
  ],
  [
    'server/src/pages/views/login.tsx',
    'export const a = { dangerouslySetInnerHTML: b }',
    'Write elements and text',
  ],
  ['server/src/pages/views/login.tsx', 'export const a = <img src="a.png" />', 'Missing `alt` attribute'],
  ['docs/build.ts', '// TODO: write this', 'Do it, or write it in the issue tracker'],
  ['oxlint.config.js', '/* FIXME */', 'Do it, or write it in the issue tracker'],
  ['server/src/directory/users/users.ts', 'export let a: any', 'Unexpected `any`'],
  ['server/src/directory/users/users.ts', 'export const a = b!.c', 'Forbidden non-null assertion'],
]

const accepted: [file: string, code: string][] = [
  ['server/src/platform/db/page.given.ts', "import { x } from '../../directory/users/users.js'\nx()"],
  ['server/src/directory/users/users.ts', "import { x } from '../meta-keys/meta-value.js'\nx()"],
  ['server/src/sso/sign-in/arrive.ts', "import type { x } from '../saml/checks.js'\nexport type Y = x"],
  [
    'contract/src/resources/users.ts',
    "import { z } from 'zod/v4'\nimport { id } from './fields.js'\nexport const a = z.object({ id: id() })",
  ],
  [
    'contract/src/openapi/openapi.ts',
    "import { STATUS_CODES } from 'node:http'\nexport const a = STATUS_CODES",
  ],
  ['sdk/src/webhooks.ts', "import { a } from '@portico/contract/webhook-signature'\nexport const b = a"],
  ['sdk/src/mock.ts', "import { http } from 'msw'\nexport const a = http"],
  ['sdk/src/api-error.ts', 'export class ApiError extends Error {}'],
  [
    'server/src/app/http/server.ts',
    "import { IncomingMessage } from 'node:http'\nexport class Request extends IncomingMessage {}",
  ],
  ['server/src/platform/system-clock.ts', 'export const now = () => new Date()'],
  ['server/src/platform/config/config.ts', 'export const port = process.env.PORT'],
  ['server/src/cli/main.ts', "console.log('hello')"],
  ['server/src/directory/users/users.ts', 'export const list = ({ readDb }) => readDb'],
  [
    'server/src/directory/users/users.ts',
    'export const parsed = new Date(text)\nexport const q = sql`a < ${now} and know(b)`',
  ],
  [
    'server/src/directory/users/users.ts',
    "import { toUser } from './record.js'\nimport { checkClient } from '../applications/applications.js'\ncheckClient(toUser)",
  ],
  [
    'server/src/directory/users/routes.ts',
    "import { getUser } from './users.js'\nimport { tenantOf } from '../../delivery/request-context.js'\ntenantOf(getUser)",
  ],
  [
    'server/src/directory/users/record.ts',
    "import type { Selectable } from 'kysely'\nimport { User } from '@portico/contract/users'\nexport const a: Selectable<unknown> = User",
  ],
  ['server/src/directory/users/users.ts', "export const q = db.selectFrom('accounts').where('id', '=', id)"],
  [
    'server/src/directory/users/users.ts',
    "export const q = db.selectFrom('users').where(ofTenant(tenant)).where('id', '=', id)",
  ],
  [
    'server/src/directory/users/users.ts',
    "export const q = db.selectFrom('users').where('users.account_id', '=', id).select('email')",
  ],
  [
    'server/src/directory/users/users.ts',
    "export const q = db.insertInto('users').values({ ...ownerColumns(owner), at: sql<Date>`'infinity'` })",
  ],
  ['server/src/directory/users/users.ts', 'export const q = sql`select pg_advisory_xact_lock(${key})`'],
  [
    'server/src/platform/db/migrations/0058-a.ts',
    'export const q = sql`alter table a add constraint a_check check (b in (1, 2) and num_nonnulls(c, d) = 1)`',
  ],
  [
    'server/src/platform/db/migrations/0059-a.ts',
    'export const q = sql`alter table a add column b text constraint a_b check (b in (1, 2)), drop column c`',
  ],
  [
    'server/src/platform/db/migrations/0058-b.ts',
    'export const q = sql`create table a (b bigint generated always as identity, constraint a_key unique (b, c))`',
  ],
  [
    'server/src/platform/db/migrations/0057-a.ts',
    'export const q = sql`alter table a add column b text, add constraint a_check check (b in (1, 2))`',
  ],
  ['server/src/pages/router.ts', "import express from 'express'\nexpress()"],
  ['test/given/given.ts', "import { buildApp } from '@portico/server/app'\nbuildApp()"],
  ['vitest.config.ts', 'export default {}'],
]

/** The messages of each case, by file and code. */
const messages = new Map<string, readonly string[]>()
const folders: string[] = []

beforeAll(async () => {
  const cases = [...refusedImports, ...refusedCode, ...accepted].map(([file, code]) => ({ file, code }))
  const found = await lint(cases, '{}')
  for (const [index, { file, code }] of cases.entries()) messages.set(`${file} ${code}`, found[index] ?? [])
}, 120_000)

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

describe('lint refuses an import that', () => {
  test.each(refusedImports)('%s: %s', refuse)
})

describe('lint refuses', () => {
  test.each(refusedCode)('%s: %s', refuse)
})

test.each(accepted)('lint accepts in %s: %s', (file, code) => {
  expect(messages.get(`${file} ${code}`)).toEqual([])
})

test('lint refuses a promise that nobody waits for, and a missing case', { timeout: 60_000 }, async () => {
  const file = 'contract/src/core/errors.ts'
  const code = [
    'export async function save(): Promise<void> {}',
    'export function twice(kind: "a" | "b"): number {',
    '  save()',
    '  switch (kind) {',
    '    case "a":',
    '      return 1',
    '  }',
    '}',
  ].join('\n')

  const [found] = await lint([{ file, code }], '{ typeAware: true }')

  expect(found).toContainEqual(expect.stringContaining('Promises must be awaited'))
  expect(found).toContainEqual(expect.stringContaining('Switch is not exhaustive'))
})

test('lint refuses files that import each other, by their types alone too', async () => {
  const [found] = await lint(
    [
      {
        file: 'server/src/platform/db/page.ts',
        code: "import type { Total } from './totals.js'\nexport type Page = Total",
        beside: {
          'server/src/platform/db/totals.ts':
            "import type { Page } from './page.js'\nexport type Total = Page[]",
        },
      },
    ],
    '{}',
  )

  expect(found).toContainEqual(expect.stringContaining('Dependency cycle'))
})

function refuse(file: string, code: string, message: string): void {
  expect(messages.get(`${file} ${code}`)).toContainEqual(expect.stringContaining(message))
}

interface Report {
  readonly diagnostics: readonly {
    readonly message: string
    readonly code: string
    readonly filename: string
  }[]
}

/** The configuration for a folder of repositories, each with the file of one case. */
const configOf = (options: string) => `import config from ${JSON.stringify(join(root, 'oxlint.config.js'))}
  const below = (patterns) => patterns?.map((each) => (each.startsWith('**/') ? each : '*/' + each))
  const overrides = config.overrides.map(({ files, excludeFiles, ...rest }) => ({
    ...rest,
    files: below(files),
    ...(excludeFiles && { excludeFiles: below(excludeFiles) }),
  }))
  const ignorePatterns = below(config.ignorePatterns)
  const jsPlugins = ['./lint-rules.js']
  export default { ...config, overrides, ignorePatterns, options: ${options}, jsPlugins }`

/** The rules, which take the repository of a file as the root. */
const rules = `import plugin from ${JSON.stringify(join(root, 'test/lint-rules.js'))}
  import { join, relative, sep } from 'node:path'
  const inRepository = (rule) => ({
    ...rule,
    create: (context) => rule.create({
      cwd: join(context.cwd, relative(context.cwd, context.filename).split(sep)[0]),
      filename: context.filename,
      options: context.options,
      sourceCode: context.sourceCode,
      report: (fault) => context.report(fault),
    }),
  })
  const rules = Object.entries(plugin.rules).map(([name, rule]) => [name, inRepository(rule)])
  export default { ...plugin, rules: Object.fromEntries(rules) }`

interface Linted {
  readonly file: string
  readonly code: string
  /** Further files of its repository, by path. */
  readonly beside?: Readonly<Record<string, string>>
}

/**
 * Lints each file as if it were in the repository; its imports do not exist, so types are unknown. In one process,
 * because starting one takes half a second.
 *
 * @returns The messages of each file.
 */
async function lint(cases: readonly Linted[], options: string): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-lint-'))
  folders.push(folder)
  await writeFile(join(folder, 'lint.config.js'), configOf(options))
  await writeFile(join(folder, 'lint-rules.js'), rules)
  await writeFile(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }')
  const paths = cases.map(({ file }, index) => `${index}/${file}`)
  for (const [index, { file, code, beside }] of cases.entries())
    for (const [name, text] of Object.entries({ ...beside, [file]: code })) {
      const path = join(folder, String(index), name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, `${text}\n`)
    }
  const args = [join(root, 'node_modules/oxlint/bin/oxlint'), '-c', 'lint.config.js', '-f', 'json', ...paths]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (failure: { stdout: string }) => failure,
  )
  const { diagnostics } = JSON.parse(stdout) as Report
  // The examples are single lines, whose declarations are unused.
  const told = diagnostics.filter(({ code }) => code !== 'eslint(no-unused-vars)')
  return paths.map((path) => told.filter(({ filename }) => filename === path).map(({ message }) => message))
}
