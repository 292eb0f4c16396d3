import { contractChanges } from './contract-changes.js'
import { describeContract, partsOfContract } from './description.js'
import { lastRelease, presentVersion, readChangelog } from './files.js'
import { reportOf } from './report.js'
import { objections } from './verdict.js'

// Tells what callers notice of this contract beside the one that is released, and fails when they may not:
// npm run contract:diff. With --json the changes are written for programs.
const released = lastRelease()
const version = presentVersion()
const changes = contractChanges(released, await describeContract(version, partsOfContract()))
const today = new Date().toISOString().slice(0, 10)
const circumstances = { changes, released: released.version, version, changelog: readChangelog(), today }
const refused = objections(circumstances)

if (process.argv.includes('--json')) {
  process.stdout.write(`${JSON.stringify({ changes, objections: refused })}\n`)
} else {
  const counted = changes.length === 0 ? 'Nothing is different' : reportOf(changes)
  process.stdout.write(`The contract ${version} beside the released ${released.version}.\n\n${counted}\n`)
  if (released.version.startsWith('0.'))
    process.stdout.write('\nBefore 1.0.0 the minor version is the one that may break.\n')
  for (const objection of refused) process.stderr.write(`\n✗ ${objection}\n`)
}
process.exitCode = refused.length > 0 ? 1 : 0
