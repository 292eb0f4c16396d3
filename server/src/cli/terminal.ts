import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Config } from '../platform/config/config.js'
import type { GivenDeps } from '../app/open-deps.js'

/** Where a command is run: the process of `portico`, or a test that runs many in one. */
export interface Terminal {
  /** The environment. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Whether a person is there to answer. */
  readonly isInteractive: boolean
  /** Whether a person sees tell() at once. */
  readonly isWatched: boolean
  readonly hasColors: boolean
  /** Writes the result, to stdout. */
  readonly write: (text: string) => void
  /** Writes other messages, to stderr. */
  readonly tell: (text: string) => void
  /** Asks a person, if one is there, for a line; a secret is not shown. */
  readonly ask: (question: string, kind: 'plain' | 'secret') => Promise<string>
  /** The exit code of the command when nothing is thrown. */
  exitCode: number
  /** Of several databases, the one that the command works on. */
  readonly cell?: ChosenCell
  /** Replaces what commands would open, in tests. */
  readonly given?: Pick<GivenDeps, 'newRsaKeyPair' | 'passwordCost'>
}

export interface ChosenCell {
  readonly name: string
  /** The database that has the names of all; undefined where it is this one. */
  readonly first: Config['database'] | undefined
  /** The command works on others, too, so that its results say of which they are. */
  readonly isOneOfSeveral: boolean
}

/** The terminal of this process. */
export function ownTerminal(): Terminal {
  const { stdin, stdout, stderr } = process
  return {
    variables: process.env,
    isInteractive: stdin.isTTY && stderr.isTTY,
    isWatched: stderr.isTTY,
    hasColors: stdout.isTTY && stdout.hasColors(),
    write: (text) => void stdout.write(text),
    tell: (text) => void stderr.write(text),
    ask: askHere,
    exitCode: 0,
  }
}

async function askHere(question: string, kind: 'plain' | 'secret'): Promise<string> {
  const isSecret = kind === 'secret'
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  if (isSecret) process.stderr.write(question)
  const prompt = createInterface({
    input: process.stdin,
    // What is typed is written there.
    output: isSecret ? nowhere : process.stderr,
    terminal: true,
  })
  try {
    return (await prompt.question(isSecret ? '' : question)).trim()
  } finally {
    prompt.close()
    if (isSecret) process.stderr.write('\n')
  }
}
