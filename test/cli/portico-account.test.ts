import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { longDescribe, longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import { givenAccount } from './config-given.js'
import { givenFolder, portico, porticoJson } from './portico.js'

const service = await startService()

function variablesOf() {
  return { DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys }
}

describe('portico account set', () => {
  longTest('names the product and sets its look, takes away what is empty, and keeps the rest', async () => {
    const { account, production } = await givenAccount(service)
    const set = (...options: string[]) =>
      porticoJson<object>(['account', 'set', account.domain, ...options], variablesOf())

    const named = await set('--product-name', 'Acme Suite', '--color', '#0f766e', '--locale', 'fr_FR')
    const cleared = await set('--color', '')

    expect(named).toMatchObject({ product_name: 'Acme Suite', color: '#0f766e', locale: 'fr-FR' })
    expect(cleared).toMatchObject({ product_name: 'Acme Suite', color: null, locale: 'fr-FR' })
    expect(await production.account.get()).toEqual(cleared)
    const { data } = await production.events.list()
    expect(data).toMatchObject([
      { code: 'account.account.update.success', actor: { type: 'operator' }, data: named },
      { code: 'account.account.update.success', actor: { type: 'operator' }, data: cleared },
    ])
  })

  test.each([
    [[], /^portico: Say what to set: --product-name, /],
    [['--color', 'red'], /^portico: --color must be one of /],
    [['--support-url', 'http://acme.example/'], /^portico: --support-url must be an https URL/],
  ])('refuses %j in a sentence, and changes nothing', async (options, sentence) => {
    const { account, sandbox } = await givenAccount(service)

    const { code, stderr } = await portico(['account', 'set', account.domain, ...options], variablesOf())

    expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)])
    expect(await sandbox.account.get()).toMatchObject({ color: null, support_url: null })
  })

  test('refuses an account that is not there', async () => {
    const { code, stderr } = await portico(
      ['account', 'set', 'nobody', '--product-name', 'Acme'],
      variablesOf(),
    )
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no account nobody')])
  })
})

longDescribe('portico config', () => {
  test('carries the record of the account, and takes it back', async () => {
    const of = await givenAccount(service)
    await of.sandbox.account.update({ product_name: 'Acme', color: '#0f766e' })
    await of.pull()
    expect(of.read()).toContain('account:\n  product_name: Acme\n  color: "#0f766e"\n')
    of.edit('product_name: Acme', 'product_name: Acme Suite')

    expect((await of.plan()).steps).toMatchObject([
      {
        action: 'update',
        path: ['account'],
        before: { product_name: 'Acme' },
        after: { product_name: 'Acme Suite' },
      },
    ])
    await of.apply()
    expect(await of.sandbox.account.get()).toMatchObject({ product_name: 'Acme Suite', color: '#0f766e' })
    await of.succeed('rollback', 'production', '--yes')
    expect(await of.production.account.get()).toMatchObject({ product_name: 'Acme', color: '#0f766e' })
  })
})

longDescribe('portico doctor', () => {
  async function productNames(variables: Record<string, string>): Promise<unknown> {
    const { stdout } = await portico(['doctor', '--json'], { ...variablesOf(), ...variables })
    const findings: { check: string }[] = JSON.parse(stdout)
    return findings.filter(({ check }) => check === 'Product names')
  }

  const reachable = {
    BASE_URL: 'https://auth.example',
    TRUSTED_PROXIES: 'loopback',
    SMTP_URL: 'smtp://127.0.0.1:9',
  }

  test('warns in production of accounts whose product has the name of this software', async () => {
    const { account, sandbox } = await givenAccount(service)
    const unnamed = {
      check: 'Product names',
      ok: true,
      detail: `pages and mails of ${account.domain} call the product Portico`,
      remedy: `run portico account set ${account.domain} --product-name <name>, or set PRODUCT_NAME`,
    }

    expect(await productNames(reachable)).toContainEqual(unnamed)
    expect(await productNames({ ...reachable, PRODUCT_NAME: 'Example' })).toEqual([
      { check: 'Product names', ok: true, detail: 'an account without one is called Example' },
    ])
    await sandbox.account.update({ product_name: 'Acme Suite' })
    expect(await productNames(reachable)).not.toContainEqual(unnamed)
  })
})

test.each([[['account', 'list']], [['backup', 'backup-of-nothing']], [['migrate', '--plan']]])(
  '%j makes no database where the service has none, and says where it has looked',
  async (args) => {
    const folder = givenFolder()
    const outcome = await portico(args, { DATA_DIR: folder })
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: `portico: There is no database in ${folder}: set the DATA_DIR or DATABASE_URL that the service has. Where there is none yet, portico serve or portico migrate makes it.\n`,
    })
    expect(readdirSync(folder)).toEqual([])
  },
)

test('a data directory that is a file is named, by commands and by doctor', async () => {
  const file = join(givenFolder(), 'file')
  writeFileSync(file, '')

  const { stderr } = await portico(['account', 'list'], { DATA_DIR: file })
  expect(stderr).toContain(`There is no database in ${file}: set the DATA_DIR`)
  for (const place of [file, join(file, 'below', 'it')]) {
    const { code, stdout } = await portico(['doctor'], { DATA_DIR: place })
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(`none in ${place}, which is DATA_DIR, and this user`),
    ])
  }
})
