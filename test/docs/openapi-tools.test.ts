import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)

const root = fileURLToPath(new URL('../..', import.meta.url))

test.each(['openapi.json', 'openapi-3.0.json', 'openapi-emulator.json'])(
  'docs/%s is clean under redocly lint',
  async (file) => {
    const config = ['--config', 'docs/redocly.yaml', '--format', 'json', '--max-problems', '1000']
    const lint = await run('npx', ['redocly', 'lint', ...config, `docs/${file}`], { cwd: root, env: quiet() })

    const report = JSON.parse(lint.stdout) as { totals: object; problems: unknown[] }
    expect(report.problems).toEqual([])
    expect(report.totals).toMatchObject({ errors: 0, warnings: 0, ignored: 0 })
  },
  60_000,
)

describe.each(['openapi.json', 'openapi-3.0.json'])('docs/%s', (file) => {
  test('gives types that compile under strict options and know the records', async () => {
    const document = readFileSync(join(root, 'docs', file), 'utf8')
    const folder = mkdtempSync(join(tmpdir(), 'portico-openapi-'))
    try {
      writeFileSync(join(folder, 'api.ts'), astToString(await openapiTypescript(document)))
      writeFileSync(join(folder, 'use.ts'), use)

      await compile(folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }, 60_000)
})

const use = `
import type { components, operations } from './api.js'

type Created = operations['users.create']['responses'][201]['content']['application/json']
type NewUser = NonNullable<operations['users.create']['requestBody']>['content']['application/json']
type Conflict = operations['users.create']['responses'][409]['content']['application/json']

export const gender = (user: Created): 'female' | 'male' | 'other' | null => user.profile.gender
export const body: NewUser = { email: 'ada@awesome.example', nickname: null }
export const code = (failure: Conflict): 'email_taken' | 'idempotency_in_flight' => failure.error.code
export const same = (user: Created): components['schemas']['User'] => user
// @ts-expect-error A body has an e-mail address.
export const without: NewUser = {}
`

async function compile(folder: string): Promise<void> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const tsc = run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder], { cwd: root })
  await expect(tsc).resolves.toMatchObject({ stdout: '' })
}

const compilerOptions = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'es2023',
  module: 'nodenext',
  types: [],
}

/** Without telemetry and without asking the network for a newer version. */
function quiet(): NodeJS.ProcessEnv {
  return { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
}
