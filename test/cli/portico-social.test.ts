import { runCommand } from '@portico/server/command'
import { expect, test } from 'vitest'
import { cheapDeps } from '../cheap-deps.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { startOpenIdProvider } from '../given/openid-provider.js'
import { portico } from './portico.js'

const service = await startService()
const client = await service.client()

// Asked for in each test: an emulator has none of it.
const variables = () => ({
  ...{ DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys, BASE_URL: service.baseUrl },
  // The providers of tests are on this machine.
  OUTBOUND_ALLOW: '127.0.0.0/8,::1',
})

/** Runs `portico social add` with somebody who answers; what was asked, and what was written. */
async function add(name: string, answers: readonly string[]) {
  const left = [...answers]
  const asked: (readonly [question: string, kind: string])[] = []
  let written = ''
  const options = ['--account', service.account.domain, '--environment', 'sandbox']
  const code = await runCommand(['social', 'add', name, ...options], {
    ...{
      variables: variables(),
      isInteractive: true,
      isWatched: false,
      hasColors: false,
      exitCode: 0,
      given: cheapDeps,
    },
    write: (text) => void (written += text),
    tell: (text) => void (written += text),
    ask: (question, kind) => {
      asked.push([question, kind])
      return Promise.resolve(left.shift() ?? '')
    },
  })
  return { code, written, asked }
}

test('portico social add says what to register, asks for the values, shows no secret, and tries them', async () => {
  const idp = await startOpenIdProvider(service.clock)
  const name = `custom-${anything()}`

  const wrong = await add(name, [idp.issuer, idp.client.id, 'not the secret'])

  expect(wrong.code).toBe(1)
  expect(wrong.written).toMatch(/wrong +credentials +The provider does not know this client/)
  expect(wrong.asked.map(([, kind]) => kind)).toEqual(['plain', 'plain', 'secret'])
  const { data } = await client.socialProviders.list({ name })
  expect(wrong.written).toContain(data[0]?.redirect_uri)

  // An empty answer keeps what was entered before.
  const right = await add(name, ['', '', idp.client.secret])
  expect([right.code, right.written.includes('is ready')]).toEqual([0, true])
  for (const { written } of [wrong, right])
    for (const secret of ['not the secret', idp.client.secret]) expect(written).not.toContain(secret)
  expect((await client.socialProviders.list({ name })).data).toMatchObject([{ state: 'ready' }])
})

test('portico social add names the value that is wrong', async () => {
  const outcome = await add('apple', ['com.awesome.web', 'abc'])
  expect([outcome.code, outcome.written]).toEqual([
    1,
    expect.stringContaining('team_id: must be ten capital letters'),
  ])
})

test('portico social add needs somebody who answers', async () => {
  const options = ['--account', service.account.domain, '--environment', 'sandbox']
  const outcome = await portico(['social', 'add', 'google', ...options], variables())
  expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('run it at a terminal') })
})
