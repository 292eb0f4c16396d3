import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const guide = fileURLToPath(new URL('../../docs/guides/testing.md', import.meta.url))

/** Runs a block of docs/guides/testing.md against a server at another URL, and returns the answer to each call. */
export function runBlock(mark: string, baseUrl: string): string[] {
  const [, block] =
    new RegExp(`^\`\`\`sh ${mark}\\n([^]*?)^\`\`\`$`, 'm').exec(readFileSync(guide, 'utf8')) ?? []
  if (block === undefined) throw new Error(`the guide has no block marked ${mark}`)
  const [first = '', ...rest] = block.split('\n')
  if (!first.startsWith('base=')) throw new Error(`the block ${mark} does not begin with an address`)
  // Adds a line break after each answer.
  const script = [`base=${baseUrl}`, 'curl() { command curl "$@"; echo; }', ...rest].join('\n')
  const said = execFileSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], { encoding: 'utf8' })
  return said.split('\n').filter((line) => line !== '')
}
