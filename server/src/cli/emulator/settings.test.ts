import { expect, test } from 'vitest'
import { cacheFolder, emulatorSettings, faultsForEmulator } from './settings.js'

test.each(['127.0.0.1', 'localhost', '::1'])('an emulator may listen on %s', (HOST) => {
  expect(faultsForEmulator({ HOST, NODE_ENV: 'test', BASE_URL: 'http://localhost:3000' })).toEqual([])
})

test.each([
  ['NODE_ENV', 'production'],
  ['DATABASE_URL', 'postgres://db.example/app'],
  ['MASTER_KEYS', 'v1:x'],
  ['SMTP_URL', 'smtps://mail.example'],
  ['SMS_URL', 'https://a:b@sms.example?from=1'],
  ['DATABASE_URL_FILE', '/run/secrets/database_url'],
  ['MASTER_KEYS_FILE', '/run/secrets/master_keys'],
  ['HOST', '0.0.0.0'],
  ['BASE_URL', 'https://auth.example'],
])('an emulator does not start with %s=%s', (name, value) => {
  const faults = faultsForEmulator({ [name]: value })

  expect(faults).toHaveLength(1)
  expect(faults[0]).toContain(name)
})

test('whatever is given, it listens here, on its own database and with its own keys', () => {
  const own = { port: 4000, databaseUrl: 'postgres://127.0.0.1/run_1', masterKeys: 'v1:own' }

  const settings = emulatorSettings({ HOST: '0.0.0.0', PORT: '1', MAILS_PER_ADDRESS: '9' }, own)

  expect(settings).toMatchObject({
    HOST: '127.0.0.1',
    PORT: '4000',
    BASE_URL: 'http://localhost:4000',
    DATABASE_URL: own.databaseUrl,
    MASTER_KEYS: 'v1:own',
    MAILS_PER_ADDRESS: '9',
  })
})

test('the cache is where the system has it', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: '/caches' })).toBe('/caches/portico')
})
