import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openMagicLink } from '@portico/sdk'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { givenFolder, portico, porticoJson } from '../cli/portico.js'
import { givenOf } from '../given/given.js'
import { startDatabaseProxy } from '../given/database-proxy.js'
import { longDescribe } from '../sampled.js'
import { cloneTemplate, emptyDatabase } from '../given/own-service.js'
import { makeAccount, startCells, type Account } from './cells-given.js'

let baseUrl = ''
let variables: Record<string, string> = {}
/** The name of its database is that of the account. */
const accounts = new Map<string, Account>()
const cellNames = ['one', 'two'] as const

beforeAll(async () => {
  const urls = await Promise.all(cellNames.map(cloneTemplate))
  variables = await startCells(cellNames.map((name, index) => ({ name, url: urls[index] ?? '' })))
  baseUrl = variables['BASE_URL'] ?? ''
  for (const cell of cellNames) accounts.set(cell, await makeAccount(cell, variables))
})

function requestToken(form: Record<string, string>): Promise<Response> {
  return fetch(`${baseUrl}/api/v2/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
}

async function tokenOf({ domain, key }: Account): Promise<string> {
  const answer = await requestToken({ grant_type: 'client_credentials', domain, ...key })
  const { access_token } = (await answer.json()) as { access_token: string }
  return access_token
}

function accountOf(cell: string): Account {
  const account = accounts.get(cell)
  if (account === undefined) throw new Error(`no account in ${cell}`)
  return account
}

describe('accounts in two databases', () => {
  test('have names of their own, though each was asked to be called the same', () => {
    expect(cellNames.map((cell) => accountOf(cell).domain)).toEqual(['awesome', 'awesome-2'])
  })

  test('are reached by their own keys at one address, and have what is theirs', async () => {
    for (const cell of cellNames) {
      const { client } = accountOf(cell)
      const { domain } = await client.organizations.create({ name: 'Same Name' })
      expect(domain).toBe(cell === 'one' ? 'same-name' : 'same-name-2')
      const issuer = `${baseUrl}/t/${domain}`
      const answer = await fetch(`${issuer}/.well-known/openid-configuration`)
      expect(await answer.json()).toMatchObject({ issuer })
      const other = accountOf(cell === 'one' ? 'two' : 'one')
      await expect(other.client.organizations.get({ org_domain: domain })).rejects.toMatchObject({
        status: 404,
      })
    }
  })

  test('sign their users in, whose codes are exchanged at the endpoint of the service', async () => {
    for (const cell of cellNames) {
      const { client } = accountOf(cell)
      const given = givenOf(client)
      const org_domain = await given.domain()
      const { client_id } = await given.application({
        org_domain,
        organization_domain_scope: org_domain,
        allowed_redirect_urls: ['https://store.example/callback'],
      })
      const { email } = await given.user({ org_domain })
      const { magic_link: link } = await client.magicLink.createChallenge({
        org_domain,
        user_email: email,
        send_email: false,
      })
      const { code } = await openMagicLink(link ?? '')
      const answers = [client_id, undefined].map(async (named) => {
        const form = {
          grant_type: 'authorization_code',
          code,
          ...(named !== undefined && { client_id: named }),
        }
        const answer = await fetch(`${baseUrl}/oauth/token`, {
          method: 'POST',
          body: new URLSearchParams(form),
        })
        return (await answer.json()) as Record<string, unknown>
      })
      const bodies = await Promise.all(answers)
      // A code is exchanged once, by its client or without one; in another database nobody knew it.
      expect(bodies.flatMap((body) => Object.keys(body)).filter((name) => name === 'id_token')).toHaveLength(
        1,
      )
    }
  })

  test('are named by a form that comes in parts, or as JSON', async () => {
    const { domain, key } = accountOf('two')
    const form = { grant_type: 'client_credentials', domain, ...key }
    const parts = new ReadableStream<Uint8Array>({
      async start(sent) {
        for (const part of new URLSearchParams(form).toString().match(/.{1,40}/g) ?? []) {
          sent.enqueue(new TextEncoder().encode(part))
          await new Promise(setImmediate)
        }
        sent.close()
      },
    })
    const send = (type: string, body: BodyInit) =>
      fetch(`${baseUrl}/api/v2/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
        duplex: 'half',
      } as RequestInit)

    expect((await send('application/x-www-form-urlencoded', parts)).status).toBe(200)
    expect((await send('application/json', JSON.stringify(form))).status).toBe(200)
    expect((await send('application/json', '{')).status).toBe(400)
    expect((await send('application/x-www-form-urlencoded', 'x'.repeat(200_000))).status).toBe(413)
  })

  test('are not found by a key of nobody, nor by a forged token', async () => {
    const [header, , signature] = (await tokenOf(accountOf('two'))).split('.')
    const claims = Buffer.from(JSON.stringify({ account_id: randomUUID() })).toString('base64url')
    for (const token of [`${header}.${claims}.${signature}`, 'none']) {
      const answer = await fetch(`${baseUrl}/api/v2/organizations`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(answer.status).toBe(401)
    }
    const form = {
      grant_type: 'client_credentials',
      domain: 'nobody',
      client_id: randomUUID(),
      client_secret: 'none',
    }
    expect((await requestToken(form)).status).toBe(401)
    expect((await fetch(`${baseUrl}/t/nobody/.well-known/openid-configuration`)).status).toBe(404)
  })

  test('are not crossed by a token whose claims were changed to those of an account elsewhere', async () => {
    const [one, two] = await Promise.all(cellNames.map((cell) => tokenOf(accountOf(cell))))
    const [header, , signature] = (one ?? '').split('.')
    const [, claims] = (two ?? '').split('.')
    const answer = await fetch(`${baseUrl}/api/v2/organizations`, {
      headers: { authorization: `Bearer ${header}.${claims}.${signature}` },
    })
    expect(answer.status).toBe(401)
  })

  test('have a console each, which their staff reach by the name of the account', async () => {
    for (const cell of cellNames) {
      const { domain } = accountOf(cell)
      const role = ['--role', 'owner', '--email', `owner@${domain}.example`, '--cell', cell]
      await porticoJson(['console', 'invite', '--account', domain, ...role, '--print-link'], variables)
      const answer = await fetch(`${baseUrl}/console/${domain}`, { redirect: 'manual' })
      expect(answer.headers.get('location')).toMatch(/^\/t\/[a-z0-9-]+\/authorize\?/)
      const place = new URL(answer.headers.get('location') ?? '', baseUrl)
      expect((await fetch(place, { redirect: 'manual' })).status).toBe(303)
    }
  })

  test('are in a database that a command names, or finds', async () => {
    const { domain } = accountOf('two')
    expect(await porticoJson(['cells', 'find', domain], variables)).toEqual({ domain, cell: 'two' })
    expect(await porticoJson(['cells', 'list'], variables)).toEqual(
      cellNames.map((name) => ({ name, accounts: 1, pending_migrations: [] })),
    )
    const { code, stderr } = await portico(['account', 'list'], variables)
    expect([code, stderr]).toEqual([
      1,
      'portico: Say on which database, with --cell: one, two. portico cells find <domain> tells that of an account.\n',
    ])
    const keys = await portico(['keys', 'status', '--account', domain], variables)
    expect([keys.code, keys.stderr]).toEqual([1, stderr])
  })

  test('have names of which the first database keeps each, as a check tells, which repairs what is missing', async () => {
    const { domain } = accountOf('two')
    const { CELLS_FILE: file = '', ...others } = variables
    const list = JSON.parse(readFileSync(file, 'utf8')) as { readonly name: string; readonly url: string }[]
    const checkOf = async (args: readonly string[], cells = list) => {
      const { code, stdout, stderr } = await portico(['cells', 'check', ...args], {
        ...others,
        CELLS: JSON.stringify(cells),
      })
      return [code, stdout + stderr]
    }
    expect(await checkOf([])).toEqual([0, 'two: the first database has every name.\n'])
    const first = new pg.Client({ connectionString: list[0]?.url })
    await first.connect()
    await first.query('delete from slugs where slug = $1', [domain])
    await first.end()

    expect(await checkOf([])).toEqual([
      1,
      `two: the first database lacked a name, and has 0 now: ${domain}. Run portico cells check --repair.\n`,
    ])
    expect((await checkOf(['--repair']))[0]).toBe(0)
    expect((await checkOf([]))[0]).toBe(0)
    expect(await checkOf([], list.toReversed())).toEqual([
      1,
      'portico: one has the names of other databases, as the first of CELLS does: put it first, as it was.\n',
    ])
    expect(await checkOf([], list.slice(0, 1))).toEqual([
      1,
      'portico: one has names of databases that CELLS does not list: two. Each keeps the name that it had.\n',
    ])
    const withSecond = async (url: string) => checkOf([], [...list.slice(0, 1), { name: 'two', url }])
    expect(await withSecond(await emptyDatabase())).toEqual([
      1,
      expect.stringMatching(
        /^portico: two: The database lacks \d+ migrations: run portico migrate first\.\n$/,
      ),
    ])
    expect(await withSecond('postgres://127.0.0.1:1/gone')).toEqual([
      1,
      expect.stringMatching(/^portico: two: .*check the url of two in CELLS/),
    ])
  })

  test('have their results told with the name of the database, in a line of JSON each', async () => {
    const { stdout } = await portico(['migrate', '--json'], variables)

    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      cellNames.map((cell) => ({ cell, result: expect.anything() })),
    )
  })
})

longDescribe('where one of two databases cannot be reached', () => {
  test('its accounts get 503, those of the other go on, and new names wait for the first', async () => {
    const proxies = await Promise.all(cellNames.map(async () => startDatabaseProxy(await cloneTemplate())))
    const own = await startCells(cellNames.map((name, index) => ({ name, url: proxies[index]?.url ?? '' })))
    const [one, two] = await Promise.all(cellNames.map((cell) => makeAccount(cell, own)))
    if (one === undefined || two === undefined) throw new Error('two accounts were made')
    const statusOf = async (account: Account) => {
      const answer = await fetch(`${own['BASE_URL']}/t/${account.domain}/.well-known/openid-configuration`)
      return answer.status
    }
    await one.client.organizations.list()
    await two.client.organizations.list()

    await proxies[1]?.during('reset', async () => {
      await expect(two.client.organizations.list()).rejects.toMatchObject({ status: 503 })
      await expect(one.client.organizations.list()).resolves.toMatchObject({ total: 0 })
      // Nobody can say that there is no such account.
      expect(await statusOf({ ...two, domain: 'nobody' })).toBe(503)
      const ready = await fetch(`${own['BASE_URL']}/readyz`)
      expect([ready.status, await ready.json()]).toEqual([
        200,
        {
          status: 'up',
          cells: {
            one: { status: 'up' },
            two: { status: 'down', reason: 'the database cannot be reached' },
          },
        },
      ])
    })
    await proxies[1]?.during('silent', async () => {
      const ready = await fetch(`${own['BASE_URL']}/readyz`)
      expect([ready.status, await ready.json()]).toMatchObject([
        200,
        { cells: { one: { status: 'up' }, two: { reason: 'the database does not answer' } } },
      ])
    })
    await proxies[0]?.during('reset', async () => {
      await expect(two.client.organizations.list()).resolves.toMatchObject({ total: 0 })
      await expect(two.client.organizations.create({ name: 'New' })).rejects.toMatchObject({ status: 503 })
    })
    await expect(two.client.organizations.create({ name: 'New' })).resolves.toMatchObject({ domain: 'new' })
  })
})

describe('a command that works on each database', () => {
  const folder = givenFolder()
  const settingsOf = (...urls: string[]) => {
    const file = join(folder, `${randomUUID()}.json`)
    writeFileSync(file, JSON.stringify(urls.map((url, index) => ({ name: cellNames[index], url }))))
    return { ...variables, CELLS_FILE: file }
  }

  test('says on which, and works on that', async () => {
    const settings = settingsOf(await cloneTemplate(), await emptyDatabase())

    const { code, stdout, stderr } = await portico(['migrate'], settings)

    expect(code).toBe(0)
    expect(stdout).toMatch(/^The database has every migration\.\n[^]*applied/i)
    expect(stderr).toMatch(/^one:\n[^]*two:\n/)
    expect(await portico(['migrate', '--cell=two'], settings)).toMatchObject({
      ...{ code: 0, stdout: 'The database has every migration.\n', stderr: '' },
    })
  })

  test('tells of all where one does not answer, and finds what the first one keeps for it', async () => {
    const settings = settingsOf(await cloneTemplate(), 'postgres://nobody@127.0.0.1:1/none')

    const { code, stdout } = await portico(['cells', 'list', '--json'], settings)

    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      [
        { name: 'one', accounts: 0, pending_migrations: [] },
        expect.objectContaining({ name: 'two', accounts: null, pending_migrations: null }),
      ],
    ])
    const list = JSON.parse(readFileSync(variables['CELLS_FILE'] ?? '', 'utf8')) as { readonly url: string }[]
    const partly = settingsOf(list[0]?.url ?? '', 'postgres://nobody@127.0.0.1:1/none')
    const { domain } = accountOf('two')
    expect(await porticoJson(['cells', 'find', domain], partly)).toEqual({ domain, cell: 'two' })
  })

  test('goes on after one that fails', async () => {
    const settings = settingsOf('postgres://nobody@127.0.0.1:1/none', await cloneTemplate())

    const { code, stdout } = await portico(['migrate'], settings)

    expect([code, stdout]).toEqual([1, 'The database has every migration.\n'])
  })

  test('names the place of a wrong setting in the list', async () => {
    const { stderr } = await portico(['migrate'], settingsOf('postgres://nobody@127.0.0.1:1/none'))

    expect(stderr).toContain('check the url of one in CELLS, and that Postgres runs there')
  })

  test('shows the option in its help, as no other command does', async () => {
    const helpOf = async (...args: string[]) => (await portico([...args, '--help'], {})).stdout

    expect(await helpOf('api-key', 'create')).toContain('--cell <name>')
    expect(await helpOf('migrate')).toContain('--cell <name>')
    expect(await helpOf('cells', 'prepare')).toContain('--cell <name>')
    expect(await helpOf('cells', 'list')).not.toContain('--cell <')
    expect(await helpOf('serve')).not.toContain('--cell')
  })
})
