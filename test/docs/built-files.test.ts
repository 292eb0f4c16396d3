import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

const docs = fileURLToPath(new URL('../../docs', import.meta.url))

test('the built files of docs are what the contract says; otherwise: npm run -w docs build', async () => {
  const check = run(process.execPath, ['--import', 'tsx', 'check.ts'], { cwd: docs })

  await expect(check).resolves.toMatchObject({ stdout: '' })
})
