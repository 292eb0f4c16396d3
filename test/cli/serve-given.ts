import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyTemplate } from '@portico/server/embedded-template'
import { givenFolder } from './portico.js'
import type { Key } from './portico-given.js'

export interface Credentials {
  readonly base_url: string
  readonly domain: string
  readonly sandbox: Key
  readonly production: Key
}

export function credentialsIn(dataDir: string): Credentials {
  return JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials
}

/** A data directory with a migrated database; portico-serve.long.test.ts covers a first start, which creates one. */
export async function givenDataDir(): Promise<string> {
  const dataDir = givenFolder()
  await mkdir(cacheDir, { recursive: true })
  await copyTemplate(cacheDir, dataDir, new Date())
  return dataDir
}

const cacheDir = fileURLToPath(new URL('../../node_modules/.cache/portico', import.meta.url))
