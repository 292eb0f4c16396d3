import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describeContract, partsOfContract } from './description.js'
import { presentVersion, releasedFile, releasedSdk, root } from './files.js'

// Keeps the contract and the SDK of this version, which later ones are compared with: npm run contract:release.
// What is released stays as it is. With --again it is written once more, until the version is published.
const version = presentVersion()
const file = releasedFile(version)
if (existsSync(file) && !process.argv.includes('--again'))
  throw new Error(`${version} is released: raise the version, or say --again before it is published`)

const description = await describeContract(version, partsOfContract())
for (const path of [file, releasedSdk(version)]) mkdirSync(dirname(path), { recursive: true })
// Tests of edits need what edits are compared with, and no SDK.
if (!process.argv.includes('--contract-alone')) packSdk()
// Last: without it the version is not released. A line for each thing, so that differences can be read.
writeFileSync(file, linesOf(description))

function packSdk(): void {
  const to = dirname(releasedSdk(version))
  execFileSync('npm', ['pack', '--silent', '--workspace=sdk', `--pack-destination=${to}`], {
    cwd: root,
    stdio: 'inherit',
  })
}

function linesOf(value: object): string {
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const isTable = typeof member === 'object' && member !== null && !Array.isArray(member)
    const text = isTable
      ? `{\n${Object.entries(member)
          .map(([key, part]) => `${JSON.stringify(key)}: ${JSON.stringify(part)}`)
          .join(',\n')}\n}`
      : JSON.stringify(member)
    return `${JSON.stringify(name)}: ${text}`
  })
  return `{\n${members.join(',\n')}\n}\n`
}
