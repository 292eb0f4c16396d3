import { guard, unitTest } from './guard.js'

const settings = 'server/src/cli/emulator/settings.ts'
const router = 'server/src/cli/emulator/router.ts'
const random = 'server/src/platform/crypto/random.ts'

const refuses = (name: string, value: string) =>
  unitTest(settings, `an emulator does not start with ${name}=${value}`)
const mayListen = unitTest(settings, 'an emulator may listen on 127.0.0.1')
const programAsks = unitTest(router, 'a program on this machine asks the control')

/** What keeps an emulator away from whatever somebody relies on, and others away from an emulator. */
export const emulatorGuards = [
  guard({
    name: 'emulator: not in production',
    file: settings,
    find: "NODE_ENV === 'production'",
    replace: 'false',
    red: refuses('NODE_ENV', 'production'),
    green: mayListen,
  }),
  guard({
    name: 'emulator: on no database of somebody else',
    file: settings,
    find: "  DATABASE_URL: 'an emulator has a database of its own',\n",
    replace: '',
    red: refuses('DATABASE_URL', 'postgres://db.example/app'),
    green: mayListen,
  }),
  guard({
    name: 'emulator: with no master keys of somebody else',
    file: settings,
    find: "MASTER_KEYS: 'what an emulator",
    replace: "NO_KEYS: 'what an emulator",
    red: refuses('MASTER_KEYS', 'v1:x'),
    green: mayListen,
  }),
  guard({
    name: 'emulator: loopback alone, where it listens',
    file: settings,
    find: "HOST && !(isLoopbackHost(HOST) || HOST === '::1')",
    replace: 'false',
    red: refuses('HOST', '0.0.0.0'),
    green: mayListen,
  }),
  guard({
    name: 'emulator: loopback alone, by its name',
    file: settings,
    find: 'BASE_URL && !isLoopbackAddress(BASE_URL)',
    replace: 'false',
    red: refuses('BASE_URL', 'https://auth.example'),
    green: mayListen,
  }),
  guard({
    name: 'emulator: control for this machine alone',
    file: router,
    find: 'isLocalRequest(req) && ',
    replace: '',
    red: unitTest(router, 'nobody asks the control through a proxy'),
    green: programAsks,
  }),
  guard({
    name: 'emulator: control for no page in a browser',
    file: router,
    find: ' && req.headers.origin === undefined',
    replace: '',
    red: unitTest(router, 'no page in a browser asks the control: origin: https://evil.example'),
    green: programAsks,
  }),
  guard({
    name: 'emulator: control for no page of another site',
    file: router,
    find: ' && !isOfOtherSite(req)',
    replace: '',
    red: unitTest(router, 'no page of another site asks the control: cross-site'),
    green: programAsks,
  }),
  guard({
    name: 'emulator: all of it by names of this machine alone',
    file: router,
    find: '!isAskedByLoopbackName(req)',
    replace: 'false',
    red: unitTest(router, 'nobody asks the service, or anything else, by the name "rebound.example"'),
    green: unitTest(router, 'the service is asked by names of this machine, with a port or without'),
  }),
  guard({
    name: 'emulator: nothing derived in a process that serves',
    file: random,
    find: '  isUsed = true\n',
    replace: '',
    red: unitTest(
      'server/src/cli/emulator/derived-randomness.ts',
      'a process that has made an id at random cannot begin to derive',
    ),
    green: unitTest(
      'server/src/cli/emulator/derived-randomness.ts',
      'what is derived from the name of an entry is the same in every run, and on every machine',
    ),
  }),
]
