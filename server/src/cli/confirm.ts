import { createInterface } from 'node:readline/promises'
import type { OutputOptions } from './output.js'

/**
 * Asks a person at a terminal; any answer but yes ends the command.
 *
 * @throws Error a sentence without a terminal to ask at, and when the answer is not yes.
 */
export async function confirm({ terminal }: OutputOptions, question: string): Promise<void> {
  if (!terminal.isInteractive) throw new Error(`${question} Add --yes to do it.`)
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await prompt.question(`${question} Only yes does it: `)
    if (answer.trim().toLowerCase() !== 'yes') throw new Error('Nothing was done.')
  } finally {
    prompt.close()
  }
}
