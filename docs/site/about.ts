import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './contents.js'

/** What the manifest of the repository says, as far as pages repeat it. */
export interface Manifest {
  readonly version: string
  /** Where the repository is hosted, once it is. */
  readonly repository?: string | { readonly url: string }
}

export function readManifest(): Manifest {
  // The file that npm itself reads.
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
}

/** Where a document is edited on the host of the repository; undefined as long as the manifest names none. */
export function editAddress({ repository }: Manifest, file: string): string | undefined {
  const url = typeof repository === 'string' ? repository : repository?.url
  const [, host, path] = /^(?:git\+)?https:\/\/([^/]+)\/(.+?)(?:\.git)?$/.exec(url ?? '') ?? []
  if (host === undefined || path === undefined) return undefined
  return `https://${host}/${path}/${host.includes('gitlab') ? '-/' : ''}edit/main/${file}`
}
