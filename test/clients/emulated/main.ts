import { runThroughEmulator } from './run.js'

/*
 *     npm run test:emulator                          every test that uses a service
 *     npm run test:emulator -- test/api/users   those whose path contains a word
 */
process.exitCode = await runThroughEmulator(process.argv.slice(2))
