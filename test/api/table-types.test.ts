import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('the table types, and the schema that doctor expects, are those of the migrated database; npm run -w server generate writes them', async () => {
  const verified = promisify(execFile)('npx', ['tsx', 'server/generate-schema.ts', '--verify'], { cwd: root })
  await expect(verified).resolves.toBeDefined()
})
