import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod/v4'
import type { FirstCredentials } from './first-account.js'
import { readUnlessMissing } from '../../platform/system-error.js'

const Key = z.object({ client_id: z.string(), client_secret: z.string() })
const Credentials = z.object({ base_url: z.string(), domain: z.string(), sandbox: Key, production: Key })

/** The file with the keys of the first account, for the evaluation of the service. */
export function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json')
}

/** Writes the keys of the first account, readable only by their owner; the file appears whole or not at all. */
export async function writeCredentials(
  dataDir: string,
  credentials: { base_url: string; domain: string } & FirstCredentials,
): Promise<void> {
  const draft = `${credentialsPath(dataDir)}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(draft, credentialsPath(dataDir))
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Writes the address of this start into the file, so that examples that read it find the service.
 *
 * @param baseUrl Undefined: the address in the file stays.
 */
export async function refreshCredentials(
  dataDir: string,
  baseUrl: string | undefined,
): Promise<'kept' | 'missing'> {
  const credentials = await readCredentials(dataDir)
  if (credentials === undefined) return 'missing'
  if (baseUrl !== undefined && baseUrl !== credentials.base_url)
    await writeCredentials(dataDir, { ...credentials, base_url: baseUrl })
  return 'kept'
}

/** Reads the file; undefined when it is missing or is not such a file. */
export async function readCredentials(dataDir: string): Promise<z.output<typeof Credentials> | undefined> {
  const text = await readUnlessMissing(credentialsPath(dataDir))
  if (text === undefined) return undefined
  return Credentials.safeParse(parseJson(text)).data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
