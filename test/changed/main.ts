import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../full/pieces.js'
import { chooseTests } from './choose-tests.js'
import { guardTestsOf } from './guard-tests.js'

/*
 *     npm run test:changed              tests of the changes since the last commit
 *     npm run test:changed -- main      tests of the changes since a branch or commit
 *
 * A heuristic by imports, names and guards for use during development; npx vitest run is authoritative.
 */
const [base = 'HEAD'] = process.argv.slice(2)
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
if (!isRevision(base)) {
  process.stderr.write(`${base} is no branch or commit.\n`)
  process.exit(1)
}
const say = (line: string) => process.stdout.write(`${line}\n`)

const changed = [
  ...new Set([
    ...git('diff', '--name-only', base, '--'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]),
]
const known = [...new Set([...git('ls-files'), ...changed])]
const { files, unknown } = chooseTests(root, known, changed, guardTestsOf)

say(`${changed.length} files have changed, ${files.length} files of tests are chosen.`)
if (files.length > 0) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...files], { cwd: root, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
const long = changed.filter((file) => file.includes('.long.test.'))
for (const file of long) say(`Only npm run test:full -- ${file} runs what has changed there.`)
if (unknown.length > 0) {
  say('No test is known to be about these; npx vitest run is the judge of them:')
  for (const file of unknown) say(`  ${file}`)
}

function isRevision(name: string): boolean {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
  return spawnSync('git', args, { cwd: root, stdio: 'ignore' }).status === 0
}
