import { createInterface } from 'node:readline/promises'

/**
 * Asks a person at a terminal; whatever is not yes ends the command.
 *
 * @throws Error a sentence when nobody is there to be asked, and when the answer is not yes.
 */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new Error(`${question} Add --yes to do it.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} Only yes does it: `)
    if (answer.trim().toLowerCase() !== 'yes') throw new Error('Nothing was done.')
  } finally {
    terminal.close()
  }
}
