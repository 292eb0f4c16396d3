import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { chooseTests } from './choose-tests.js'
import { root } from '../full/pieces.js'

/*
 *     npm run test:changed              tests of what differs from the last commit
 *     npm run test:changed -- main      from a branch or commit
 *
 * A guess by imports and names, for the minutes in which one writes; npm test decides.
 */
const [base = 'HEAD'] = process.argv.slice(2)
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
const changed = [
  ...git('diff', '--name-only', base, '--'),
  ...git('ls-files', '--others', '--exclude-standard'),
]
const tracked = [...git('ls-files'), ...changed]

const { files, unknown } = chooseTests(root, [...new Set(tracked)], changed)
for (const file of unknown) process.stdout.write(`No test is known to be about ${file}.\n`)
process.stdout.write(`${changed.length} files have changed, ${files.length} files of tests are about them.\n`)
if (files.length > 0) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...files], { cwd: root, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
