import { readFile } from 'node:fs/promises'

/** Whether a system call failed for this reason. */
export function isErrorWithCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** The text of a file; undefined where there is none, or a file in the place of its folder. */
export async function readUnlessMissing(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isErrorWithCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}
