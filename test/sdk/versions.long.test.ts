import { createHash } from 'node:crypto'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundler, compile, nodeNext, npm, packedConsumer, root, tscOf, type Consumer } from './packed.js'
import { mockProgram, programs, smokeProgram } from './programs.js'

const run = promisify(execFile)

const described = fileURLToPath(new URL('toolchain', import.meta.url))
const lock = readFileSync(join(described, 'package-lock.json'))
const cache = join(root, 'node_modules/.cache')
/** Another one for other versions, so that what is there is always whole and right. */
const toolchain = join(
  cache,
  `portico-toolchain-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`,
)

const isThere = await installToolchain()

let consumer: Consumer

beforeAll(async () => {
  consumer = await packedConsumer()
  for (const name of ['msw', '@types/node', 'undici-types']) await consumer.link(name)
}, 300_000)

afterAll(() => consumer.remove())

describe.skipIf(!isThere)('the packed SDK', () => {
  test.each([
    ['22', 'v22.'],
    ['24', 'v24.'],
  ])('runs on Node %s', async (version, begins) => {
    const node = join(toolchain, `node_modules/node-${version}/bin/node`)
    expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^${begins.replace('.', '\\.')}`))

    for (const ending of ['mjs', 'cjs'] as const)
      for (const [name, text] of [
        ['smoke', smokeProgram(ending)],
        ['mocking', mockProgram(ending)],
      ] as const) {
        await consumer.write(`${name}.${ending}`, text)
        const { stdout } = await run(node, [join(consumer.folder, `${name}.${ending}`)])
        expect(`${name}.${ending}: ${stdout}`).toBe(`${name}.${ending}: ok\n`)
      }
  })

  test.each([
    ['5.4', 'Version 5.4.'],
    ['6.0', 'Version 6.0.'],
  ])(
    'compiles under TypeScript %s in strict programs, which check their libraries',
    async (version, says) => {
      const tsc = tscOf(`typescript-${version}`, join(toolchain, 'package.json'))
      expect((await run(process.execPath, [tsc, '--version'])).stdout).toContain(says)

      const { ESM, CommonJS, bundled } = programs
      expect(await compile(consumer, { ...ESM, ...CommonJS }, { tsc, options: nodeNext })).toBe('')
      expect(await compile(consumer, bundled, { tsc, options: bundler })).toBe('')
    },
    120_000,
  )
})

/** Installs what toolchain/package-lock.json names, once; false where the registry cannot be reached. */
async function installToolchain(): Promise<boolean> {
  if (existsSync(toolchain)) return true
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'portico-toolchain-'))
  try {
    await cp(described, folder, { recursive: true })
    await npm(['ci'], folder)
    await rename(folder, toolchain)
    return true
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (existsSync(toolchain)) return true
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(String(error))) throw error
    process.stderr.write(
      `The SDK is not tried on other versions: the registry cannot be reached.\n${String(error)}\n`,
    )
    return false
  }
}
