import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../platform/config/config.js'
import type { OpenDeps } from '../deps.js'
import { openDeps } from '../../app/open-deps.js'
import { deliverMail } from './deliver.js'
import type { Mailer } from '../../platform/mail/mailer.js'
import { createRecordingMailer } from '../../platform/mail/recording-mailer.js'

const accountId = uuidv7()
const mail = {
  name: 'sign_in_link',
  to: 'ada@awesome.example',
  fromName: null,
  subject: 'Sign in',
  text: 'a link',
  html: '<p>a link</p>',
} as const

let dataDir: string
let deps: OpenDeps
let mailer: ReturnType<typeof createRecordingMailer>

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-mail-'))
  deps = await openDeps(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' }))
  await deps.db
    .insertInto('accounts')
    .values({ id: accountId, domain: 'acme', plan: 'free', inserted_at: deps.now() })
    .execute()
}, 60_000)

afterAll(async () => {
  await deps.close()
  await rm(dataDir, { recursive: true, force: true })
})

beforeEach(async () => {
  mailer = createRecordingMailer()
  await deps.db.deleteFrom('outbox_messages').execute()
})

async function deliver(
  environment: 'sandbox' | 'production',
  variables: Record<string, string>,
  changes: { messageId?: string; text?: string } = {},
  own: Mailer = mailer,
) {
  const config = readConfig({ DATA_DIR: dataDir, ...variables })
  const scope = { accountId, environment, organizationId: null, domain: 'acme' }
  await deliverMail({ ...deps, config, mail: own }, scope, { ...mail, messageId: uuidv7(), ...changes })
}

function kept() {
  return deps.db.selectFrom('outbox_messages').select(['environment', 'recipient', 'text']).execute()
}

const withServer = { SMTP_URL: 'smtp://mail.example' }
const reachable = {
  ...withServer,
  BASE_URL: 'https://auth.example',
  DATABASE_URL: 'postgres://db.example/portico',
  MASTER_KEYS: 'v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
}

describe('a mail', () => {
  test('of production goes to the mail server', async () => {
    await deliver('production', withServer)
    await deliver('production', reachable)

    const { name: _, ...sent } = mail
    expect(mailer.sent).toMatchObject([sent, sent])
    expect(await kept()).toEqual([])
  })

  test('of the sandbox is kept and never sent', async () => {
    await deliver('sandbox', withServer)
    await deliver('sandbox', reachable)

    expect(mailer.sent).toEqual([])
    const message = { environment: 'sandbox', recipient: mail.to, text: mail.text }
    expect(await kept()).toEqual([message, message])
  })

  test('of the sandbox is sent when the operator wants it so', async () => {
    await deliver('sandbox', { ...reachable, SANDBOX_MAIL: 'send' })

    expect(mailer.sent).toMatchObject([{ to: mail.to }])
    expect(await kept()).toEqual([])
  })

  test('of any environment is kept where there is no mail server', async () => {
    await deliver('production', {})
    await deliver('sandbox', { SANDBOX_MAIL: 'send' })

    expect(mailer.sent).toEqual([])
    expect(await kept()).toMatchObject([{ environment: 'production' }, { environment: 'sandbox' }])
  })

  test('that is sent is in the log of the account, each attempt once, with the answer of the server and no address in it', async () => {
    const send = () => Promise.reject(new Error('550 5.7.1 <ada@awesome.example> is not taken'))
    const messageId = uuidv7()
    await expect(deliver('production', withServer, { messageId }, { ...mailer, send })).rejects.toThrow('550')
    await deliver('production', withServer, { messageId })
    await deliver('sandbox', withServer, { messageId })

    const logged = await deps.db
      .selectFrom('log_events')
      .where('request_id', '=', messageId)
      .select(['event_code', 'environment', 'email', 'reason'])
      .orderBy('id')
      .execute()
    const of = { environment: 'production', email: mail.to }
    expect(logged).toEqual([
      {
        ...of,
        event_code: 'MAIL_FAILED',
        reason: 'sign_in_link: the mail server does not take a mail: Error: 550 5.7.1 … is not taken',
      },
      { ...of, event_code: 'MAIL_SENT', reason: 'sign_in_link' },
    ])
  })

  test('that is kept again after a failed attempt replaces the first', async () => {
    const messageId = uuidv7()
    await deliver('sandbox', {}, { messageId, text: 'a link that is void' })
    await deliver('sandbox', {}, { messageId, text: 'a link that works' })

    expect(await kept()).toMatchObject([{ text: 'a link that works' }])
  })
})
