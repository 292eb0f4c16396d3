import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The parts of a released contract that tests read (contract/gate/description.ts). */
export interface Released {
  readonly version: string
  readonly operations: Readonly<Record<string, ReleasedOperation>>
  readonly errorCodes: Readonly<Record<string, { readonly status: number }>>
  readonly schemas: Readonly<Record<string, object>>
  /** By code. */
  readonly events: Readonly<Record<string, unknown>>
}

export interface ReleasedOperation {
  readonly method: string
  readonly path: string
  readonly access: { readonly auth: string }
  readonly inputs: Readonly<Partial<Record<string, { readonly properties?: object }>>>
  readonly sampleBody?: Readonly<Record<string, unknown>>
  readonly success: { readonly status: number; readonly schema: object }
  readonly errorCodes: readonly string[]
}

const folder = fileURLToPath(new URL('../../contract/released', import.meta.url))

/** The last released contract. */
export async function lastRelease(): Promise<Released> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json'))
  const [last] = files.toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true }))
  if (last === undefined) throw new Error('no contract is released: npm run contract:release')
  // Only contract/gate/release.ts writes it.
  return JSON.parse(await readFile(join(folder, last), 'utf8')) as Released
}
