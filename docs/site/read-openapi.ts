import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiDocument, OpenApiDocument } from '@portico/contract/openapi'
import { root } from './contents.js'

/** The document as it was built: to make it anew would take as long as all the pages. */
export function readOpenApi(): OpenApiDocument {
  return read('docs/openapi.json') as OpenApiDocument
}

/** The document of an emulator's control, as it was built. */
export function readEmulatorOpenApi(): ApiDocument {
  return read('docs/openapi-emulator.json') as ApiDocument
}

/** What `npm run -w docs build` writes, and its check compares. */
function read(file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), 'utf8'))
}
