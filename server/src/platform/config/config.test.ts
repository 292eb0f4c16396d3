import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.js'
import { secretVariables, Variables } from './variables.js'

const production = {
  BASE_URL: 'https://auth.example.com',
  DATABASE_URL: 'postgres://portico@db.example.com/portico',
  MASTER_KEYS: 'v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  SMTP_URL: 'smtps://mail.example.com',
}

/** Variables of .env.example with the comment above each and the value it shows. */
function documented(): Map<string, { description: string; value: string }> {
  const lines = readFileSync(new URL('../../../../.env.example', import.meta.url), 'utf8').split('\n')
  const found = lines.flatMap((line, index): [string, { description: string; value: string }][] => {
    const [, name, value = ''] = /^#?([A-Z][A-Z_]+)=(.*)$/.exec(line) ?? []
    const above = lines[index - 1]?.replace(/^# /, '') ?? ''
    return name === undefined ? [] : [[name, { description: above, value }]]
  })
  return new Map(found)
}

function faultsOf(variables: Record<string, string>): readonly string[] {
  try {
    readConfig(variables)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('.env.example', () => {
  // NODE_ENV is Node's own; everything else with a description is the operator's to set.
  const described = Object.entries(Variables.shape).flatMap(([name, schema]) =>
    schema.description === undefined ? [] : [[name, schema.description] as const],
  )

  test('lists every variable, in the order and the words of the configuration', () => {
    expect([...documented()].map(([name, { description }]) => [name, description])).toEqual(described)
  })

  test('is a configuration that starts when everything in it is uncommented', () => {
    const ofOne = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL']
    const without = (names: readonly string[]) =>
      Object.fromEntries(
        [...documented()].flatMap(([name, { value }]) => (names.includes(name) ? [] : [[name, value]])),
      )

    expect(faultsOf(without(['CELLS']))).toEqual([])
    expect(faultsOf(without(ofOne))).toEqual([])
    expect(faultsOf(without([]))).toEqual(
      ofOne.map((name) => `${name} must be unset: CELLS names the databases`),
    )
  })

  test.each([
    ['{', 'must be a list in JSON'],
    ['[]', 'must be a list of databases'],
    ['[{"name":"One","url":"postgres://one/portico"}]', '0.name: must be lower-case letters'],
    ['[{"name":"one","url":"http://one:hunter2@one/"}]', '0.url: must be an address such as postgres://'],
    [
      '[{"name":"one","url":"postgres://one/portico","size":1}]',
      '0: takes no size, but name, url, direct_url, read_url, pool_size',
    ],
    [
      '[{"name":"one","url":"postgres://one/portico"},{"name":"one","url":"postgres://two/portico"}]',
      'one and one have the same name',
    ],
  ])('refuses the list of databases %s', (CELLS, fault) => {
    const [first = ''] = faultsOf({ CELLS })

    expect(first).toContain(fault)
    expect(first).not.toContain('hunter2')
  })

  test('says which settings a file may give', () => {
    const [intro = ''] = readFileSync(new URL('../../../../.env.example', import.meta.url), 'utf8').split(
      '\n\n',
    )

    expect([...intro.matchAll(/\b([A-Z_]+)_FILE\b/g)].map(([, name]) => name)).toEqual(secretVariables)
  })

  test('shows the defaults', () => {
    const withoutDefault = [
      'BASE_URL',
      'DATABASE_URL',
      'DATABASE_DIRECT_URL',
      'DATABASE_READ_URL',
      'CELLS',
      'SMTP_URL',
      'BREACH_CHECK_URL',
      'SMS_URL',
      'SMS_COUNTRIES',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_EXPORTER_OTLP_HEADERS',
    ]
    const values = [...documented()].filter(([name]) => !withoutDefault.includes(name))

    expect(readConfig(Object.fromEntries(values.map(([name, { value }]) => [name, value])))).toEqual(
      readConfig({}),
    )
  })
})

describe('readConfig', () => {
  test('needs nothing on loopback', () => {
    expect(readConfig({})).toMatchObject({
      baseUrl: 'http://localhost:3000',
      isProduction: false,
      isStrict: true,
    })
  })

  test('builds the base URL from the port', () => {
    expect(readConfig({ PORT: '4000' }).baseUrl).toBe('http://localhost:4000')
  })

  test('takes an empty variable for an absent one', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '' })).toEqual(readConfig({}))
  })

  test('reports every malformed variable at once, by name', () => {
    const faults = faultsOf({
      PORT: '70000',
      DATABASE_URL: 'mysql://x',
      LOG_LEVEL: 'loud',
      DB_PREPARED: 'maybe',
    })

    expect(faults.map((fault) => fault.split(' ')[0]).toSorted()).toEqual([
      'DATABASE_URL',
      'DB_PREPARED',
      'LOG_LEVEL',
      'PORT',
    ])
  })

  test('says of every fault what would be right', () => {
    expect(
      faultsOf({
        PORT: 'http',
        DB_PREPARED: 'maybe',
        TRUSTED_PROXIES: 'somewhere',
        MASTER_KEYS: 'v1:c2hvcnQ=',
        MAIL_FROM: 'somebody',
      }),
    ).toEqual([
      'PORT must be a port from 0 to 65535',
      'DB_PREPARED must be one of on, off',
      'MASTER_KEYS cannot be used: Master key v1 has 5 bytes; it must have 32.',
      'MAIL_FROM must be an e-mail address, or a name and one in angle brackets',
      'TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8, commas between',
    ])
  })

  test.each([
    'a@b.example',
    '<a@b.example>',
    'Ada <a@b.example>',
    '"Ada, of Portico" <a@b.example>',
    'Pörtico <no-reply@localhost>',
  ])('sends mail from %s', (MAIL_FROM) => {
    expect(readConfig({ MAIL_FROM }).mail.from).toBe(MAIL_FROM)
  })

  test.each([
    'Ada',
    'Ada a@b.example',
    'Ada <a>',
    'a@b.example, c@d.example',
    'A, B <a@b.example>',
    'A\n<a@b.example>',
  ])('sends no mail from %j', (MAIL_FROM) => {
    expect(faultsOf({ MAIL_FROM })).toEqual([expect.stringMatching(/^MAIL_FROM must be an e-mail address/)])
  })

  test.each(['10.0.0.0/8', '127.0.0.1, ::1', 'fd12:3456::/32', ''])(
    'opens the networks %j to outgoing connections',
    (OUTBOUND_ALLOW) => {
      expect(readConfig({ OUTBOUND_ALLOW }).outbound).toEqual({
        allowed: OUTBOUND_ALLOW.split(', ').filter((network) => network !== ''),
        isHttpAllowed: true,
      })
    },
  )

  test.each(['10', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'localhost', '0x7f.1/8', '::1/129'])(
    'opens no network %j',
    (OUTBOUND_ALLOW) => {
      expect(faultsOf({ OUTBOUND_ALLOW })).toEqual([
        'OUTBOUND_ALLOW must be addresses or networks such as 10.0.0.0/8, commas between',
      ])
    },
  )

  test('makes no traces without a collector', () => {
    expect(readConfig({ OTEL_TRACES_SAMPLER: 'always_on' }).traces).toBeUndefined()
  })

  test.each([
    ['always_on', 1, false],
    ['always_off', 0, false],
    ['traceidratio', 0.25, false],
    ['parentbased_always_on', 1, true],
    ['parentbased_always_off', 0, true],
    ['parentbased_traceidratio', 0.25, true],
  ])('sends traces to a collector, by the sampler %s', (OTEL_TRACES_SAMPLER, ratio, isParentBased) => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'https://otel.example:4318/tenant/'
    const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Basic%20a%3Ab==, x-team = sign in'
    const sampler = { OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: '0.25' }

    expect(
      readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, ...sampler }).traces,
    ).toEqual({
      url: 'https://otel.example:4318/tenant/v1/traces',
      headers: { authorization: 'Basic a:b==', 'x-team': 'sign in' },
      ratio,
      isParentBased,
    })
  })

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:hunter2@otel.example'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://otel.example/?key=hunter2'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://otel.example:port'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=hunter2%'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=hunter2,'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=hunter2%0d%0ax-other:'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
    ['OTEL_TRACES_SAMPLER_ARG', '10%'],
  ])('refuses the %s %s', (name, value) => {
    const faults = faultsOf({ [name]: value })

    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))])
    expect(faults.join()).not.toContain('hunter2')
  })

  test('reads the provider of text messages, and its countries', () => {
    const SMS_URL = 'https://AC1:a%3Atoken@sms.example:8443?from=%2B15005550006'

    expect(readConfig({ SMS_URL, SMS_COUNTRIES: 'FR, US' }).sms).toEqual({
      provider: {
        accountSid: 'AC1',
        authToken: 'a:token',
        from: '+15005550006',
        origin: 'https://sms.example:8443',
      },
      countries: ['FR', 'US'],
    })
    expect(readConfig({}).sms).toEqual({ provider: undefined, countries: [] })
  })

  test.each([
    'AC1:token@sms.example?from=Acme',
    'https://sms.example?from=Acme',
    'https://AC1@sms.example?from=Acme',
    'https://AC1:token@sms.example',
    'https://AC1:token@sms.example?from=',
    'https://AC1:token@sms.example?from=Acme&from=Other',
    'https://AC1:token@sms.example?from=Acme&region=eu',
    'https://AC1:token@sms.example/2010-04-01?from=Acme',
    'https://AC1:%zz@sms.example?from=Acme',
    'http://AC1:token@sms.example?from=Acme',
  ])('refuses the SMS_URL %s', (SMS_URL) => {
    expect(faultsOf({ SMS_URL, SMS_COUNTRIES: 'FR' })).toEqual([
      expect.stringMatching(/^SMS_URL must be an address such as https:/),
    ])
  })

  test('refuses an SMS_URL without SMS_COUNTRIES, and countries that are none', () => {
    const SMS_URL = 'http://AC1:token@127.0.0.1:8080?from=Acme'

    expect(faultsOf({ SMS_URL })).toEqual([expect.stringMatching(/^SMS_COUNTRIES must list the countries/)])
    for (const SMS_COUNTRIES of ['fr', 'FRA', 'XX', '33', '*'])
      expect(faultsOf({ SMS_URL, SMS_COUNTRIES })).toEqual([
        'SMS_COUNTRIES must be codes of ISO 3166-1 such as FR,US, commas between',
      ])
  })

  test('never repeats a value, which may be a secret', () => {
    const error = (() => {
      try {
        return readConfig({
          DATABASE_URL: 'hunter2',
          SMTP_URL: 'hunter2',
          SMS_URL: 'hunter2',
          MASTER_KEYS: 'hunter2',
        })
      } catch (thrown) {
        return thrown
      }
    })()

    expect(String(error)).not.toContain('hunter2')
  })

  test('cannot be changed', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true)
  })
})

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let count = 0
  function fileWith(text: string): string {
    const path = join(folder, String(++count))
    writeFileSync(path, text)
    return path
  }

  test('is any setting that has a password or a key', () => {
    expect(secretVariables).toEqual([
      'DATABASE_URL',
      'DATABASE_DIRECT_URL',
      'DATABASE_READ_URL',
      'CELLS',
      'MASTER_KEYS',
      'SMTP_URL',
      'SMS_URL',
      'OTEL_EXPORTER_OTLP_HEADERS',
    ])
  })

  test.each(['', '\n', '\r\n'])('is its only line, which may end with %j', (end) => {
    const { BASE_URL, ...secrets } = production
    const files = Object.entries(secrets).map(([name, value]) => [`${name}_FILE`, fileWith(value + end)])

    expect(readConfig({ BASE_URL, ...Object.fromEntries(files) })).toEqual(readConfig(production))
  })

  test('is refused beside the same secret in the environment', () => {
    expect(faultsOf({ ...production, MASTER_KEYS_FILE: fileWith(production.MASTER_KEYS) })).toEqual([
      'MASTER_KEYS_FILE is set beside MASTER_KEYS: unset one of them',
    ])
  })

  test('is what an empty variable beside it leaves it to be', () => {
    const DATABASE_URL_FILE = fileWith(production.DATABASE_URL)

    expect(readConfig({ ...production, DATABASE_URL: '', DATABASE_URL_FILE })).toEqual(readConfig(production))
    expect(readConfig({ ...production, DATABASE_URL_FILE: '' })).toEqual(readConfig(production))
  })

  test.each([
    ['/nowhere/hunter2', 'a file that the process can read: there is no file at that path'],
    [folder, 'a file that the process can read: the path leads to a folder'],
    [`${folder}/${'hunter2'.repeat(99)}`, 'a file that the process can read: the system refuses it'],
    [fileWith('\n'), 'a file with the secret: the file is empty'],
    [fileWith('smtp://hunter2\nsmtp://hunter3'), 'a file of one line'],
  ])('that cannot be read is one fault, with what would be right: %s', (SMTP_URL_FILE, sentence) => {
    expect(faultsOf({ ...production, SMTP_URL: '', SMTP_URL_FILE })).toEqual([
      `SMTP_URL_FILE must be the path of ${sentence}`,
    ])
  })

  test('is never repeated, nor is the path, which may be the secret itself', () => {
    const faults = faultsOf({
      DATABASE_URL_FILE: fileWith('hunter2'),
      MASTER_KEYS_FILE: fileWith('v1:hunter2'),
      SMTP_URL_FILE: 'smtps://hunter2@mail.example.com',
    })

    expect(faults).toEqual([
      'SMTP_URL_FILE must be the path of a file that the process can read: there is no file at that path',
      'DATABASE_URL (of DATABASE_URL_FILE) must be an address such as postgres://user:password@host:5432/database',
      expect.stringMatching(/^MASTER_KEYS \(of MASTER_KEYS_FILE\) cannot be used/),
    ])
    expect(faults.join()).not.toContain('hunter2')
  })
})

describe('production', () => {
  test('begins with a public BASE_URL, and demands all that it needs at once', () => {
    const faults = faultsOf({ BASE_URL: 'https://auth.example.com' })

    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['DATABASE_URL', 'MASTER_KEYS', 'SMTP_URL'])
  })

  test('begins with a HOST that others can reach, whatever BASE_URL says', () => {
    expect(faultsOf({ HOST: '0.0.0.0' }).map((fault) => fault.split(' ')[0])).toEqual([
      'BASE_URL',
      'DATABASE_URL',
      'MASTER_KEYS',
      'SMTP_URL',
    ])
  })

  test('reports what is malformed together with what it lacks', () => {
    expect(
      faultsOf({ BASE_URL: 'https://auth.example.com/auth', LOG_LEVEL: 'loud', SMTP_URL: 'mail' }),
    ).toEqual([
      'SMTP_URL must be an address such as smtps://user:password@mail.example.com',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
      'BASE_URL must be scheme, host and port alone: no path, query, fragment or user name',
      expect.stringMatching(/^DATABASE_URL must name a Postgres database/),
      expect.stringMatching(/^MASTER_KEYS must be set/),
    ])
  })

  test.each(['auth.example.com', 'ftp://auth.example.com', 'https://auth.example.com:70000', 'https://'])(
    'begins with a malformed BASE_URL that is not loopback: %s',
    (BASE_URL) => {
      expect(faultsOf({ BASE_URL }).map((fault) => fault.split(' ')[0])).toEqual([
        'BASE_URL',
        'DATABASE_URL',
        'MASTER_KEYS',
        'SMTP_URL',
      ])
    },
  )

  test.each(['localhost', 'localhost:3000', 'ftp://127.0.0.1/', 'http://[::1]:70000'])(
    'does not begin with a malformed BASE_URL that is loopback: %s',
    (BASE_URL) => {
      expect(faultsOf({ BASE_URL })).toEqual(['BASE_URL must be an address such as https://auth.example.com'])
    },
  )

  test('is accepted with all of it', () => {
    expect(readConfig(production)).toMatchObject({
      isProduction: true,
      isHttps: true,
      isStrict: false,
      outbound: { allowed: [], isHttpAllowed: false },
    })
  })

  test('refuses plain http', () => {
    expect(faultsOf({ ...production, BASE_URL: 'http://auth.example.com' })).toEqual([
      'BASE_URL must be https, or http on localhost, 127.0.0.1 or [::1]',
    ])
  })

  test('refuses a BASE_URL with a path, and reads one slash as none', () => {
    expect(faultsOf({ ...production, BASE_URL: 'https://example.com/auth' })).toEqual([
      'BASE_URL must be scheme, host and port alone: no path, query, fragment or user name',
    ])
    expect(readConfig({ ...production, BASE_URL: 'https://auth.example.com/' }).baseUrl).toBe(
      'https://auth.example.com',
    )
  })

  test('needs the direct address behind a pooler in transaction mode, where statements have names only if asked for', () => {
    const pooled = { ...production, DATABASE_POOLER: 'transaction' }
    const direct = { ...pooled, DATABASE_DIRECT_URL: 'postgres://portico@primary.example.com/portico' }

    expect(faultsOf(pooled)).toEqual([
      'DATABASE_URL must name the pooler, and DATABASE_DIRECT_URL Postgres itself, because DATABASE_POOLER is transaction: migrations and backups need a session (with CELLS: url and direct_url of each)',
    ])
    expect(readConfig(direct).database).toMatchObject({ isPooled: true, hasNamedStatements: false })
    expect(readConfig({ ...direct, DB_PREPARED: 'on' }).database.hasNamedStatements).toBe(true)
    expect(readConfig({ ...production, DB_PREPARED: 'off' }).database).toMatchObject({
      isPooled: false,
      hasNamedStatements: false,
    })
  })

  test.each(['0', '60001', '1.5', '-1'])('refuses a lag of %s ms', (READ_MAX_LAG_MS) => {
    expect(faultsOf({ ...production, READ_MAX_LAG_MS })).toEqual([
      'READ_MAX_LAG_MS must be milliseconds from 1 to 60000',
    ])
  })

  test('migrates over the direct address when there is one', () => {
    const direct = 'postgres://portico@primary.example.com/portico'

    expect(readConfig({ ...production, DATABASE_DIRECT_URL: direct }).database.directUrl).toBe(direct)
    expect(readConfig(production).database.directUrl).toBe(production.DATABASE_URL)
  })
})
