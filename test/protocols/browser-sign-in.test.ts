import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createVerifier, type UserTokens } from '@portico/sdk'
import axe from 'axe-core'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../given/browser.js'
import { browserTool, hasTool } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'
import { anyEmail } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { longTest, sampled } from '../sampled.js'

/** A page of the customer on a different origin than the service. */
interface Storefront {
  readonly callback: string
  readonly requests: string[]
}

let service: Service
let storefront: Storefront
let browser: TestBrowser

beforeAll(async () => {
  service = await startService()
  storefront = await startStorefront()
  if (!hasTool(browserTool)) return
  browser = await openBrowser()
  atFileEnd(() => browser.close())
})

describe.skipIf(!hasTool(browserTool))('in a browser', () => {
  longTest(
    'a person opens the link, presses the button, and lands on the other origin with a code for verified tokens',
    async () => {
      const { domain, clientId, email } = await givenSignIn()
      const client = await service.client()
      const challenge = await client.magicLink.createChallenge({
        user_email: email,
        org_domain: domain,
        redirect_uri: storefront.callback,
        send_email: false,
        state: 'round trip',
      })

      const landed = await pressTheButton(challenge.magic_link ?? '')

      expect(landed.origin + landed.pathname).toBe(storefront.callback)
      expect(landed.searchParams.get('state')).toBe('round trip')
      const tokens = await exchange(landed.searchParams.get('code') ?? '')
      await expectVerified(tokens, { domain, clientId, email })
    },
  )

  test('the mailed link of the outbox leads to the same place', async () => {
    const { domain, email } = await givenSignIn()
    const client = await service.client()
    await client.magicLink.createChallenge({
      user_email: email,
      org_domain: domain,
      redirect_uri: storefront.callback,
    })
    await service.runJobs()
    const { data } = await client.outbox.list({ to: email })
    const [link] = /http\S+magic-link\S+/.exec(data[0]?.text ?? '') ?? []

    const landed = await pressTheButton(link ?? '')

    expect(landed.searchParams.get('code')).toMatch(/^[\w-]{43}$/)
  })

  test('without JavaScript and in French the page does the same', async () => {
    const { domain, email } = await givenSignIn({ locale: 'fr-FR' })
    const client = await service.client()
    const challenge = await client.magicLink.createChallenge({
      user_email: email,
      org_domain: domain,
      redirect_uri: storefront.callback,
      send_email: false,
    })
    const page = await browser.reusedPage({ javaScriptEnabled: false })
    await page.goto(challenge.magic_link ?? '')
    expect(await page.getAttribute('html', 'lang')).toBe('fr')
    await page.getByRole('button').click()
    await page.waitForURL(`${storefront.callback}**`)
  })
})

describe.skipIf(!hasTool(browserTool))('the pages', () => {
  test.each(sampled(['light', 'dark'] as const, 1))(
    'have no fault that axe knows, in %s and on a phone',
    async (colorScheme) => {
      const { domain, email } = await givenSignIn()
      const client = await service.client()
      const challenge = await client.magicLink.createChallenge({
        user_email: email,
        org_domain: domain,
        redirect_uri: storefront.callback,
        send_email: false,
      })
      const page = await browser.reusedPage({ viewport: { width: 360, height: 740 }, bypassCSP: true })
      await page.emulateMedia({ colorScheme })
      for (const url of [
        challenge.magic_link ?? '',
        `${service.baseUrl}/t/${domain}/magic-link?token=none`,
      ]) {
        await page.goto(url)
        await page.addScriptTag({ content: axe.source })
        const faults = await page.evaluate(
          'axe.run().then(({ violations }) => violations.map(({ id }) => id))',
        )
        expect(faults).toEqual([])
      }
    },
  )
})

async function givenSignIn(members: { locale?: string } = {}) {
  const { domain } = await service.given.organization(members)
  const application = await service.given.application({
    org_domain: domain,
    organization_domain_scope: domain,
    allowed_redirect_urls: [storefront.callback],
  })
  await service.given.metaKey({ org_domain: domain, name: 'employee_number', type: 'integer' })
  const email = anyEmail()
  const user = await service.given.user({ org_domain: domain, email })
  const client = await service.client()
  await client.users.addMetadata({
    org_domain: domain,
    user_id: user.id,
    key: 'employee_number',
    value: '1815',
  })
  return { domain, clientId: application.client_id, email }
}

async function pressTheButton(link: string): Promise<URL> {
  const page = await browser.reusedPage()
  await page.goto(link)
  await page.getByRole('button').click()
  await page.waitForURL(`${storefront.callback}**`)
  return new URL(page.url())
}

async function exchange(code: string): Promise<UserTokens> {
  const client = await service.client()
  const tokens = await client.oauth.token({ grant_type: 'authorization_code', code })
  if (!('id_token' in tokens)) throw new Error('no ID token')
  return tokens
}

async function expectVerified(
  tokens: UserTokens,
  { domain, clientId, email }: { domain: string; clientId: string; email: string },
): Promise<void> {
  const issuer = `${service.baseUrl}/t/${domain}`
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`))
  const independent = await jwtVerify(tokens.access_token, keys, {
    issuer,
    audience: clientId,
    typ: 'at+jwt',
  })
  expect(independent.payload['meta_data']).toEqual({ employee_number: 1815 })

  const verifier = createVerifier({
    baseUrl: service.baseUrl,
    domain,
    audience: clientId,
    environment: 'sandbox',
  })
  const claims = await verifier.verifyAccessToken(tokens.access_token)
  expect(claims).toMatchObject({ email, dbs: 'sandbox', org: domain, scp: ['magic_link'] })

  const inProduction = createVerifier({
    baseUrl: service.baseUrl,
    domain,
    audience: clientId,
    environment: 'production',
  })
  await expect(inProduction.verifyAccessToken(tokens.access_token)).rejects.toMatchObject({
    code: 'environment_mismatch',
  })
}

async function startStorefront(): Promise<Storefront> {
  const requests: string[] = []
  const server = createServer((req, res) => {
    requests.push(req.url ?? '')
    res.setHeader('content-type', 'text/html').end('<!doctype html><title>Store</title><h1>Welcome</h1>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => void server.close())
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  return { callback: `http://127.0.0.1:${port}/callback`, requests }
}
