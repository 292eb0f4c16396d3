import { pathToFileURL } from 'node:url'
import { bundleProgram } from './compile.js'

// The command line of the repository: bundles the program where a source has changed, then is the program itself.
await import(pathToFileURL(await bundleProgram()).href)
