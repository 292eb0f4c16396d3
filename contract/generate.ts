import { readFileSync, writeFileSync } from 'node:fs'
import { exportsOfSources } from './exports.js'

// Writes the exports of package.json.

const file = new URL('package.json', import.meta.url)
const text = readFileSync(file, 'utf8')
const description = JSON.parse(text) as Readonly<Record<string, unknown>>
const written = `${JSON.stringify({ ...description, exports: exportsOfSources() }, null, 2)}\n`
if (written !== text) writeFileSync(file, written)
