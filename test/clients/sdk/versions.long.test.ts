import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundler, compile, nodeNext, packedConsumer, tscOf, type Consumer } from './packed.js'
import { mockProgram, programs, smokeProgram } from './programs.js'
import { installToolchain, nodeOf, toolchain } from './toolchain.js'

const run = promisify(execFile)

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
  ] as const)('runs on Node %s', async (version, begins) => {
    const node = await nodeOf(version)
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
