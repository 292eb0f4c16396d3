import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { builtFiles, isStale, pathOf } from './built-files.js'

// Writes what is stale, and says so: npm run -w docs build
for (const file of builtFiles().filter(isStale)) {
  mkdirSync(dirname(pathOf(file)), { recursive: true })
  writeFileSync(pathOf(file), file.content)
  process.stdout.write(`docs/${file.name}\n`)
}
