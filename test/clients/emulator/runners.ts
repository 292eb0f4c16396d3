import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll } from 'vitest'
import { packedConsumer, root, type Consumer } from '../sdk/packed.js'
import { command } from './emulator.js'

const run = promisify(execFile)
const guide = readFileSync(join(root, 'docs/guides/testing.md'), 'utf8')

/**
 * The folder of a program with the packed SDK and these packages. It is outside of the repository, whose settings of the
 * runners would otherwise apply.
 */
export function runnersFolder(packages: readonly string[]): () => string {
  let consumer: Consumer | undefined
  beforeAll(async () => {
    consumer = await packedConsumer()
    for (const name of packages) await consumer.link(name)
  }, 120_000)
  afterAll(() => consumer?.remove())
  return () => consumer?.folder ?? ''
}

/** The code block of the guide with this mark, and with this beginning where several have the mark. */
export function blockOf(mark: string, beginning = ''): string {
  const block = new RegExp(`^\`\`\`\\w+ ${mark}\\n(${beginning}[^]*?)^\`\`\`$`, 'm')
  const [, text = ''] = block.exec(guide) ?? []
  if (text === '') throw new Error(`the guide has no block ${mark}`)
  return text
}

/** Runs a program of the folder, in which the command is installed. */
export function runNode(folder: string, args: readonly string[]) {
  const { PATH, HOME } = process.env
  return run(process.execPath, [...args], {
    cwd: folder,
    env: { PATH, HOME, PORTICO_COMMAND: command.join(' '), CI: '1' },
  })
}
