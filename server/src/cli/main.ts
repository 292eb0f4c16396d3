#!/usr/bin/env node
import { toSentence } from './failure.js'
import { runCommand } from './run.js'
import { ownTerminal } from './terminal.js'
import { isErrorWithCode } from '../platform/system-error.js'

/** Reads .env in the current directory; variables that are set already stay unchanged. */
function loadEnvFile(): void {
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    if (!isErrorWithCode(error, 'ENOENT')) throw error
  }
}

try {
  loadEnvFile()
  process.exitCode = await runCommand(process.argv.slice(2), ownTerminal())
} catch (error) {
  process.stderr.write(`portico: ${toSentence(error)}\n`)
  process.exitCode = 1
}
