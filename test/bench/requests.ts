import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One request a load may send. `{unique}` in its body becomes a text that no other request has. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  readonly token?: string
  /** A text is sent as a form. */
  readonly body?: object | string
  readonly cookie?: string
}

const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'))
let count = 0

/** Writes the requests that a load draws from at random, one a line with tabs between, as load.lua and load-node.ts read them. */
export function writeRequests(requests: readonly LoadRequest[]): string {
  count += 1
  const path = join(folder, `requests-${count}.tsv`)
  const lines = requests.map(({ method, path: target, token = '', body, cookie }) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '')
    const columns = [method, target, token, text]
    return [...columns, ...(cookie === undefined ? [] : [cookie])].join('\t')
  })
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}
