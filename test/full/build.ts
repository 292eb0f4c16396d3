import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './pieces.js'

// The build of a release: types, declarations, the packages, the site. It counts as one test.
for (const folder of ['sdk/types', 'docs/dist']) rmSync(join(root, folder), { recursive: true, force: true })
// Output of earlier compilations, possibly of other sources, must not be included.
const leftBehind = join(root, 'server/dist/left-behind.js')
mkdirSync(dirname(leftBehind), { recursive: true })
writeFileSync(leftBehind, '')
const { status } = spawnSync('npm', ['run', 'build'], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
const isBuilt = status === 0 && !existsSync(leftBehind)
process.stdout.write(isBuilt ? '1 passed, 0 failed\n' : '0 passed, 1 failed\n')
process.exitCode = isBuilt ? 0 : 1
