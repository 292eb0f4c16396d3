import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ContractDescription } from './description.js'
import { isLater } from './version.js'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

const folder = `${root}contract/released/`

/** Where the description of a released version is. */
export function releasedFile(version: string): string {
  return `${folder}${version}.json`
}

/** Where the SDK of a released version is, as npm packs it. */
export function releasedSdk(version: string): string {
  return `${root}sdk/released/portico-sdk-${version}.tgz`
}

/** The versions that are released, the last one first. */
export function releasedVersions(): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : []
  const versions = files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []))
  return versions.toSorted((one, other) => (isLater(one, other) ? -1 : 1))
}

/** The contract as it was released last. */
export function lastRelease(): ContractDescription {
  const [version] = releasedVersions()
  if (version === undefined) throw new Error('no contract is released: npm run contract:release')
  // Written by release.ts alone.
  return JSON.parse(readFileSync(releasedFile(version), 'utf8')) as ContractDescription
}

/** The version of the contract as it is now, which is the SDK's, too. */
export function presentVersion(): string {
  const [contract, sdk] = ['contract', 'sdk'].map(versionIn)
  if (contract === undefined || contract !== sdk)
    throw new Error(`contract has version ${contract} and sdk ${sdk}: make them one`)
  return contract
}

function versionIn(workspace: string): string {
  const manifest: unknown = JSON.parse(readFileSync(`${root}${workspace}/package.json`, 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version)
  throw new Error(`${workspace}/package.json has no version`)
}

export function readChangelog(): string {
  return readFileSync(`${root}CHANGELOG.md`, 'utf8')
}
