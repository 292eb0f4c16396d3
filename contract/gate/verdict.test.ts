import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Change } from './change.js'
import { contractChanges } from './contract-changes.js'
import { describeContract, partsOfContract } from './description.js'
import { lastRelease, presentVersion, readChangelog, releasedVersions, root } from './files.js'
import { reportOf } from './report.js'
import { objections } from './verdict.js'
import { isLater, mayBreak, nextBreaking } from './version.js'

const gone: Change = {
  level: 'breaking',
  subject: 'users.get',
  where: '',
  what: 'is gone',
  meaning: 'calls of it are answered 404 or 405, and do not compile',
}
const more: Change = { ...gone, level: 'additive', subject: 'User', what: 'is new' }
const circumstances = {
  changes: [gone, more],
  released: '1.2.3',
  version: '2.0.0',
  changelog: '# Changelog\n\n## 2.0.0\n\n- `users.get` is gone; call `users.find`.\n\n## 1.2.3\n\nNothing.\n',
  today: '2027-06-01',
}

describe('the contract as it is now', () => {
  test('breaks nobody without saying so: npm run contract:diff objects to nothing', async () => {
    const released = lastRelease()
    const version = presentVersion()
    const changes = contractChanges(released, await describeContract(version, partsOfContract()))
    const refused = objections({
      changes,
      released: released.version,
      version,
      changelog: readChangelog(),
      today: new Date().toISOString().slice(0, 10),
    })
    expect(refused, reportOf(changes)).toEqual([])
  })

  test('is not older than what is released', () => {
    const [last = ''] = releasedVersions()
    expect(isLater(last, presentVersion())).toBe(false)
  })
})

describe('a breaking change', () => {
  test('is let through with a version that may break and a changelog that names it', () => {
    expect(objections(circumstances)).toEqual([])
  })

  test.each(['1.2.3', '1.2.4', '1.3.0', '1.0.0'])('is refused in version %s', (version) => {
    expect(objections({ ...circumstances, version })).toEqual([
      `Version ${version} may not break programs written for 1.2.3: take the breaking changes back, or make it 2.0.0 in the package.json of contract and sdk.`,
    ])
  })

  test.each([
    [
      'has no section of the version',
      '# Changelog\n\n## 1.2.3\n\n`users.get`\n',
      'CHANGELOG.md has no section "## 2.0.0": say there what breaks.',
    ],
    [
      'has an empty one',
      '# Changelog\n\n## 2.0.0\n\n## 1.2.3\n\n`users.get`\n',
      'CHANGELOG.md says nothing of `users.get` under "## 2.0.0".',
    ],
    [
      'names something else',
      '## 2.0.0\n\n`users.getByEmail` is gone.\n',
      'CHANGELOG.md says nothing of `users.get` under "## 2.0.0".',
    ],
  ])('is refused where the changelog %s', (_fault, changelog, objection) => {
    expect(objections({ ...circumstances, changelog })).toEqual([objection])
  })

  test('is refused before the day until which it was promised to stay, whatever the version, and let through on it', () => {
    const changes = [{ ...gone, promisedUntil: '2028-01-01' }]
    expect(objections({ ...circumstances, changes })).toEqual([
      'users.get is gone: calls of it are answered 404 or 405, and do not compile. It was promised until 2028-01-01: keep it until then.',
    ])
    expect(objections({ ...circumstances, changes, today: '2028-01-01' })).toEqual([])
  })
})

test('what is additive needs neither version nor changelog', () => {
  expect(objections({ ...circumstances, changes: [more], version: '1.2.3', changelog: '' })).toEqual([])
})

test.each([
  ['0.1.0', '0.2.0'],
  ['0.1.9', '0.2.0'],
  ['1.0.0', '2.0.0'],
  ['1.10.3', '2.0.0'],
])('after %s, version %s is the first that may break', (released, version) => {
  expect(nextBreaking(released)).toBe(version)
  expect(mayBreak(version, released)).toBe(true)
  expect(mayBreak(released, released)).toBe(false)
})

// Whoever asks npm for a version of ours that is not there any more gets somebody else's, or nothing.
test('a version is raised in two places: no manifest asks for a certain version of a workspace', () => {
  const manifests = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\.|node_modules)/.test(entry.name))
    .flatMap(({ name }) => readManifest(name))
  const wanted = manifests.flatMap(({ dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => name.startsWith('@portico/')),
  )

  expect(wanted.length).toBeGreaterThan(5)
  expect(wanted.filter(([, version]) => version !== '*')).toEqual([])
})

type Manifest = Readonly<Partial<Record<'dependencies' | 'devDependencies', Record<string, string>>>>

function readManifest(folder: string): Manifest[] {
  try {
    return [JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest]
  } catch {
    // A folder that is no workspace.
    return []
  }
}

test('versions are compared by their numbers', () => {
  expect([isLater('0.10.0', '0.9.0'), isLater('0.9.0', '0.10.0'), isLater('1.0.0', '1.0.0')]).toEqual([
    true,
    false,
    false,
  ])
  expect(() => isLater('1.0', '1.0.0')).toThrow('1.0 is no version of three numbers')
})

test('the report has a line for each change under what it does to programs, and no empty heading', () => {
  expect(reportOf([more, gone])).toBe(
    'Breaking: programs written for the released contract fail, or compile no longer (1)\n' +
      '  users.get is gone: calls of it are answered 404 or 405, and do not compile\n\n' +
      'Additive: programs go on as they are (1)\n' +
      '  User is new: calls of it are answered 404 or 405, and do not compile',
  )
})
