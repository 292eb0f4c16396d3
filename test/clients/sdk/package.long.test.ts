import { readFile } from 'node:fs/promises'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { afterAll, describe, expect, test } from 'vitest'
import { manifestOf, npm, packedConsumer } from './packed.js'

// Two tools read the whole archive in 5 s of CPU. package.test.ts runs publint and compiles programs of every kind.
const consumer = await packedConsumer()

afterAll(() => consumer.remove())

describe('the archive', () => {
  test('can be published: npm says so without publishing it, and has nothing to correct', async () => {
    const { name, version, license, description, keywords, private: isPrivate } = await manifestOf(consumer)

    const { stdout, stderr } = await npm(
      ['publish', '--dry-run', '--json', consumer.tarball],
      consumer.folder,
    )

    expect(stdout).toContain(`"${String(name)}@${String(version)}"`)
    expect(stderr).not.toMatch(/warn|error/i)
    expect([license, isPrivate]).toEqual(['Apache-2.0', undefined])
    expect([description, keywords]).toEqual([
      expect.stringMatching(/\w/),
      expect.arrayContaining(['portico']),
    ])
  })

  test('has types that are right for whoever imports or requires it, in Node and in bundlers', async () => {
    const checked = await checkPackage(createPackageFromTarballData(await readFile(consumer.tarball)))

    if (checked.types === false) expect.unreachable('the package has no types')
    expect(Object.keys(checked.entrypoints)).toEqual(
      expect.arrayContaining(['.', './webhooks', './mock', './testing', './session', './express']),
    )
    // Faults of Node 10's resolution without `exports` are ignored, because the SDK requires Node 20.
    const faults = checked.problems.filter(
      (problem) => !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
    )
    expect(faults).toEqual([])
  })
})
