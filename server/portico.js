import { compile } from './compile.js'

// The command line of the repository: compiles what has changed, then is the program itself.
await compile()
await import('./dist/cli/main.js')
