import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import express from 'express'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../platform/config/config.js'
import type { Deps, OpenDeps } from '../../delivery/deps.js'
import { openDeps } from '../../app/open-deps.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { magicLinkMail } from '../../delivery/mail/messages.js'
import { outboxPage } from './router.js'

const messages = { sandbox: uuidv7(), production: uuidv7() }
const link = 'http://localhost:3000/t/awesome-company/magic-link?token=q3Jc0mVx&x=1'

let dataDir: string
let deps: OpenDeps
const servers: Server[] = []

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-outbox-'))
  deps = await openDeps(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' }))
  const accountId = uuidv7()
  await deps.db
    .insertInto('accounts')
    .values({ id: accountId, domain: 'acme', plan: 'free', inserted_at: deps.now() })
    .execute()
  for (const environment of ['sandbox', 'production'] as const) {
    const message = magicLinkMail({
      purpose: 'sign_in',
      organizationName: environment === 'sandbox' ? 'Awesome company' : '<b>Grande</b> société',
      locale: environment === 'sandbox' ? 'en' : 'fr',
      productName: 'Portico',
      link,
      minutes: 15,
      environment,
      color: '#0f766e',
    })
    await deliverMail(
      deps,
      { accountId, environment, organizationId: null, domain: 'awesome-company' },
      {
        ...message,
        name: 'sign_in_link',
        to: 'ada@awesome.example',
        fromName: null,
        messageId: messages[environment],
      },
    )
  }
}, 60_000)

afterAll(async () => {
  for (const server of servers) server.close()
  await deps.close()
  await rm(dataDir, { recursive: true, force: true })
})

async function serve(own: Deps = deps): Promise<number> {
  const app = express().use(outboxPage(own))
  const server = app.listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function get(port: number, path: string, headers: Record<string, string> = {}) {
  const sent = request({ host: '127.0.0.1', port, path, headers: { host: `localhost:${port}`, ...headers } })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

describe('the outbox page', () => {
  test('lists the messages of both environments, and shows each with links that can be followed', async () => {
    const port = await serve()

    const list = await get(port, '/outbox')
    expect(list.status).toBe(200)
    for (const id of Object.values(messages)) expect(list.body).toContain(`href="/outbox/${id}"`)

    const shown = await get(port, `/outbox/${messages.production}`)
    expect(shown.body).toContain(`<a href="${link.replace('&', '&amp;')}" target="_blank"`)
    expect(shown.body).not.toContain('<b>Grande')
  })

  test('runs and loads nothing but its style sheet, on the page as in the mail', async () => {
    const port = await serve()

    const page = await get(port, `/outbox/${messages.sandbox}`)
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; style-src 'self'/)
    expect(page.body).not.toMatch(/<script|<style| style=/)
    expect((await get(port, '/outbox/style.css')).headers['content-type']).toMatch(/^text\/css/)

    const mail = await get(port, `/outbox/${messages.sandbox}/html`)
    expect(mail.body).toContain('Sign in to Awesome company')
    expect(mail.headers['content-security-policy']).toMatch(/^sandbox .*default-src 'none'/)
  })

  test('is not there for another host name or through a proxy', async () => {
    const port = await serve()

    const foreign: Record<string, string>[] = [
      { host: 'auth.example' },
      { host: 'localhost.evil.example' },
      { host: '127.0.0.1.nip.io:3000' },
      { 'x-forwarded-for': '203.0.113.9' },
      { forwarded: 'for=203.0.113.9' },
      { via: '1.1 tunnel.example' },
      { 'x-real-ip': '203.0.113.9' },
      { 'x-forwarded-host': 'auth.example' },
      { 'x-forwarded-proto': 'https' },
      { 'x-forwarded-server': 'proxy.example' },
      { 'cf-connecting-ip': '203.0.113.9' },
      { host: '::1' },
      { host: '0x7f.1' },
    ]
    for (const headers of foreign) {
      for (const path of ['/outbox', '/outbox/style.css', `/outbox/${messages.sandbox}/html`]) {
        expect((await get(port, path, headers)).status).toBe(404)
      }
    }
    expect((await get(port, '/outbox', { host: '127.0.0.1' })).status).toBe(200)
    expect((await get(port, '/outbox', { host: '[::1]:3000' })).status).toBe(200)
  })

  test('is not there when mail is sent, or the service can be reached from elsewhere', async () => {
    const secrets = {
      DATABASE_URL: 'postgres://db.example/portico',
      MASTER_KEYS: 'v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    }
    for (const variables of [
      { SMTP_URL: 'smtp://mail.example' },
      { BASE_URL: 'https://auth.example', SMTP_URL: 'smtp://mail.example', ...secrets },
    ]) {
      const port = await serve({ ...deps, config: readConfig(variables) })
      expect((await get(port, '/outbox')).status).toBe(404)
    }
  })

  test('knows no message but those it keeps', async () => {
    const port = await serve()

    for (const id of [uuidv7(), 'x', '%00', "'"]) expect((await get(port, `/outbox/${id}`)).status).toBe(404)
  })

  test.each(['0', '-1', 'x', '999999', '99999999999'])('answers page %s with a list', async (page) => {
    const port = await serve()

    expect((await get(port, `/outbox?page=${page}`)).status).toBe(200)
  })
})
