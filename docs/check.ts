import { builtFiles, isStale } from './built-files.js'

// Fails when a built file is not what the contract says now: npm run -w docs check
const stale = builtFiles().filter(isStale)
for (const { name } of stale) process.stderr.write(`docs/${name} is stale. Run: npm run -w docs build\n`)
process.exitCode = stale.length > 0 ? 1 : 0
