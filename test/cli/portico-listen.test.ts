import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeCredentials } from '@portico/server/credentials-file'
import { createClient, type Event } from '@portico/sdk'
import { verifyWebhook } from '@portico/sdk/webhooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../given/free-port.js'
import { startService } from '../given/harness.js'
import { longTest } from '../sampled.js'
import { startProxy } from './proxy.js'
import { givenFolder, portico, program } from './portico.js'

const evaluation = await startEvaluation()

/** A service with the credentials file that `portico serve` writes for evaluation, behind a proxy that can be cut. */
async function startEvaluation() {
  const dataDir = givenFolder()
  const service = await startService()
  const way = await startProxy(service.baseUrl)
  const credentials = {
    base_url: way.url,
    domain: service.account.domain,
    sandbox: await service.apiKey({ environment: 'sandbox' }),
    production: await service.apiKey({ environment: 'production' }),
  }
  await writeCredentials(dataDir, credentials)
  const { base_url, domain, sandbox } = credentials
  const client = createClient({
    baseUrl: base_url,
    domain,
    clientId: sandbox.client_id,
    clientSecret: sandbox.client_secret,
  })
  return { dataDir, way, credentials, client }
}

/** A developer's program that verifies deliveries with this key, and answers with the handler. */
async function startReceiver(handler: RequestListener = (_req, res) => void res.writeHead(204).end()) {
  const port = await freePort()
  const received: { body: string; headers: NodeJS.Dict<string | string[]> }[] = []
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.once('end', () => {
      received.push({ body: Buffer.concat(chunks).toString(), headers: req.headers })
      handler(req, res)
    })
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://localhost:${port}/events`,
    received,
    verified: (key: string): Promise<Event[]> =>
      Promise.all(received.map(({ body, headers }) => verifyWebhook(body, headers, key))),
    async listen() {
      await once(server.listen(port, 'localhost'), 'listening')
    },
  }
}

type Line = Record<string, unknown>

/** Starts the command; its lines can be awaited one by one. */
function startListening(args: readonly string[], variables: Record<string, string>, input = '') {
  const child = spawn(process.execPath, [program, 'listen', '--json', ...args], {
    cwd: givenFolder(),
    env: { PATH: process.env.PATH, ...variables },
    stdio: 'pipe',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.end(input)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    stderr: () => stderr,
    async line(): Promise<Line> {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`portico listen ended: ${stderr}`)
      return JSON.parse(value) as Line
    },
    async said(text: string): Promise<void> {
      while (!stderr.includes(text)) {
        if (child.exitCode !== null) throw new Error(`portico listen ended: ${stderr}`)
        await sleep(10)
      }
    },
    async stop(): Promise<number | null> {
      const exit = once(child, 'exit')
      child.kill('SIGINT')
      const [code] = (await exit) as [number | null]
      return code
    },
  }
}

describe('portico listen', () => {
  longTest(
    'brings each event of the sandbox, signed as a webhook is, and ends with a signal',
    async () => {
      const { dataDir, client } = evaluation
      const receiver = await startReceiver()
      await receiver.listen()
      await client.organizations.create({ name: 'Before' })
      const listening = startListening(['--forward', receiver.url], { DATA_DIR: dataDir })
      const { signature_key: key, forward } = await listening.line()

      await client.organizations.create({ name: 'First' })
      await client.organizations.create({ name: 'Second' })
      const told = [await listening.line(), await listening.line()]

      const events = await receiver.verified(String(key))
      expect(forward).toBe(receiver.url)
      expect(events.map(({ code, data }) => [code, 'name' in data && data.name])).toEqual([
        ['organization.organization.create.success', 'First'],
        ['organization.organization.create.success', 'Second'],
      ])
      expect(events[0]).toMatchObject({ cursor: null, webhook_id: expect.any(String) })
      expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
        events.map(({ id }) => id),
      )
      expect(told).toEqual(
        events.map(({ id, code, issued_at }) => ({
          id,
          code,
          issued_at,
          cursor: expect.any(String),
          outcome: 'answered',
          status: 204,
          ms: expect.any(Number),
        })),
      )
      expect(await listening.stop()).toBe(0)
      expect(listening.stderr()).toContain(`--after ${String(told[1]?.['cursor'])}`)
    },
    60_000,
  )

  longTest(
    'keeps the order while nobody listens, and goes on where it was told to',
    async () => {
      const { dataDir, client } = evaluation
      const receiver = await startReceiver()
      await client.organizations.create({ name: 'First' })
      const { cursor } = await client.events.list({ after: 'latest' })
      await client.organizations.create({ name: 'Second' })
      await client.organizations.create({ name: 'Third' })
      const listening = startListening(['--forward', receiver.url, '--after', cursor], { DATA_DIR: dataDir })
      const { signature_key: key } = await listening.line()
      await listening.said(`Nobody listens at ${receiver.url}`)
      expect(receiver.received).toEqual([])

      await receiver.listen()
      await listening.line()
      await listening.line()

      const events = await receiver.verified(String(key))
      expect(events.map(({ data }) => 'name' in data && data.name)).toEqual(['Second', 'Third'])
      expect(await listening.stop()).toBe(0)
    },
    60_000,
  )

  longTest(
    'tells a refusal and goes on with the next, of one code alone, with a key of before',
    async () => {
      const { dataDir, client } = evaluation
      const receiver = await startReceiver((_req, res) => {
        res.writeHead(receiver.received.length === 1 ? 500 : 200).end()
      })
      await receiver.listen()
      const key = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
      const code = 'organization.organization.update.success'
      const listening = startListening(['--forward-to', receiver.url, '--key', key, '--code', code], {
        DATA_DIR: dataDir,
      })
      expect(await listening.line()).toMatchObject({ signature_key: key })

      await client.organizations.create({ name: 'Renamed' })
      for (const name of ['Once', 'Twice']) await client.organizations.update({ org_domain: 'renamed', name })

      expect(await listening.line()).toMatchObject({ code, status: 500 })
      expect(await listening.line()).toMatchObject({ code, status: 200 })
      expect((await receiver.verified(key)).map(({ data }) => 'name' in data && data.name)).toEqual([
        'Once',
        'Twice',
      ])
    },
    60_000,
  )

  longTest(
    'goes on when the service was away',
    async () => {
      const { dataDir, way, client } = evaluation
      const receiver = await startReceiver()
      await receiver.listen()
      const listening = startListening(['--forward', receiver.url], { DATA_DIR: dataDir })
      await listening.line()
      await way.whileCut(() => listening.said('The service does not answer.'))

      await client.organizations.create({ name: 'After' })

      expect(await listening.line()).toMatchObject({ status: 204 })
    },
    60_000,
  )

  longTest(
    'calls as the key it is given, whose secret comes by a variable or on stdin',
    async () => {
      const { credentials, client } = evaluation
      const receiver = await startReceiver()
      await receiver.listen()
      const { base_url, domain, sandbox } = credentials
      const connection = ['--base-url', base_url, '--domain', domain, '--client-id', sandbox.client_id]
      const args = ['--forward', receiver.url, ...connection]

      const byVariable = startListening(args, { PORTICO_CLIENT_SECRET: sandbox.client_secret })
      const onStdin = startListening(args, {}, `${sandbox.client_secret}\n`)
      await Promise.all([byVariable.line(), onStdin.line()])
      await client.organizations.create({ name: 'For both' })

      expect(await byVariable.line()).toMatchObject({ status: 204 })
      expect(await onStdin.line()).toMatchObject({ status: 204 })
    },
    60_000,
  )

  test.each<[string, string[], Record<string, string>, string]>([
    [
      'a key of production',
      ['--base-url', 'http://localhost:1', '--domain', 'acme', '--client-id', 'x'],
      { PORTICO_CLIENT_SECRET: 'keyproduction_x' },
      'This is a key of production, whose events are of real people: use one of the sandbox.',
    ],
    ['no key', [], {}, 'credentials.json is not there: name a sandbox key with'],
    ['half a key', ['--client-id', 'x'], {}, 'name these too, with --base-url and --domain.'],
    [
      'a service in the clear',
      ['--base-url', 'http://192.0.2.1', '--domain', 'a', '--client-id', 'x'],
      { PORTICO_CLIENT_SECRET: 'keysandbox_x' },
      'baseUrl must be https',
    ],
    ['a target that is none', ['--forward', 'localhost:3001'], {}, 'It is an address such as'],
    [
      'two names for one target',
      ['--forward-to', 'http://localhost:3001/events'],
      {},
      "option '--forward-to <url>' cannot be used with option '--forward <url>'",
    ],
    ['a code that is none', ['--code', 'user.vanish'], {}, 'It is a code such as'],
    ['a key that signs nothing', ['--key', 'secret'], {}, 'It is whsec_ and 32 bytes in base64'],
  ])('refuses %s with a sentence', async (_what, args, variables, sentence) => {
    const forward = ['--forward', 'http://localhost:3001/events']
    const outcome = await portico(['listen', ...forward, ...args], { DATA_DIR: givenFolder(), ...variables })

    expect(outcome).toMatchObject({ code: 1, stdout: '' })
    expect(outcome.stderr).toMatch(/^portico: .*\n$/)
    expect(outcome.stderr).toContain(sentence)
  })

  test('refuses to run without a target', async () => {
    const outcome = await portico(['listen'], { DATA_DIR: givenFolder() })

    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: "portico: required option '--forward <url>' not specified. See portico listen --help.\n",
    })
  })

  longTest('waits for no secret where stdin has none', async () => {
    const key = ['--base-url', 'http://localhost:1', '--domain', 'acme', '--client-id', 'x']
    const listening = startListening(['--forward', 'http://localhost:3001/events', ...key], {})

    await expect(listening.line()).rejects.toThrow('set PORTICO_CLIENT_SECRET to it.')
  })
})
