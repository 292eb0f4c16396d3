import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenApiDocument } from '@portico/contract/openapi'
import { root } from './contents.js'

/** The document as it was built: to make it anew would take as long as all the pages. */
export function readOpenApi(): OpenApiDocument {
  // What `npm run -w docs build` writes, and its check compares.
  return JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as OpenApiDocument
}
