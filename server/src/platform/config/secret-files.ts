import { readFileSync } from 'node:fs'
import { isErrorWithCode } from '../system-error.js'

type Present = Readonly<Record<string, string | undefined>>

/** The one whose file has lines. */
const listOfLines = 'CELLS'

/** What follows the name of a secret in the name of the variable that has the path of its file. */
export const fileSuffix = '_FILE'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no file at that path',
  EACCES: 'the user of the process has no right to',
  EISDIR: 'the path leads to a folder',
}

/**
 * Reads secrets from files, as containers get them: NAME_FILE has the path of a file whose one line is the value of NAME.
 *
 * @param names The secrets that may be given so.
 * @returns The variables with the secrets that were read; what is wrong by the name of the variable that names a file; and
 * the secrets that are given by a file, readable or not.
 */
export function readSecretFiles(
  given: Present,
  names: readonly string[],
): { values: Present; faults: ReadonlyMap<string, string>; fromFiles: ReadonlySet<string> } {
  const values = { ...given }
  const faults = new Map<string, string>()
  const fromFiles = new Set<string>()
  for (const name of names) {
    const path = given[name + fileSuffix]
    if (path === undefined) continue
    fromFiles.add(name)
    const read =
      given[name] === undefined
        ? readSecret(path, name === listOfLines)
        : { fault: `is set beside ${name}: unset one of them` }
    if ('fault' in read) faults.set(name + fileSuffix, read.fault)
    else values[name] = read.secret
  }
  return { values, faults, fromFiles }
}

/** The path stays out of faults: the secret itself may have been put in its place. */
function readSecret(path: string, hasLines: boolean): { secret: string } | { fault: string } {
  let text
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const code = Object.keys(reasons).find((known) => isErrorWithCode(error, known))
    const reason = code === undefined ? 'the system refuses it' : reasons[code]
    return { fault: `must be the path of a file that the process can read: ${reason}` }
  }
  const secret = text.replace(/(?:\r?\n)+$/, '')
  if (secret === '') return { fault: 'must be the path of a file with the secret: the file is empty' }
  if (!hasLines && /[\r\n]/.test(secret)) return { fault: 'must be the path of a file of one line' }
  return { secret }
}
