import { guard, unitTest } from './guard.js'

const settings = 'server/src/cli/emulator/settings.ts'

const refuses = (name: string, value: string) =>
  unitTest(settings, `an emulator does not start with ${name}=${value}`)
const mayListen = unitTest(settings, 'an emulator may listen on 127.0.0.1')

/** What keeps an emulator away from whatever somebody relies on, and others away from an emulator. */
export const emulatorGuards = [
  guard({
    name: 'emulator: with no master keys of somebody else',
    file: settings,
    find: "MASTER_KEYS: 'what an emulator",
    replace: "NO_KEYS: 'what an emulator",
    red: refuses('MASTER_KEYS', 'v1:x'),
    green: mayListen,
  }),
]
