import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '@portico/sdk'
import { ssoCheckNames } from '@portico/contract/sso-checks'
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../given/browser.js'
import { browserTool, hasTool } from '../debian-tools.js'
import { flowGivenOf } from '../given/flow-given.js'
import { startService, type Service } from '../given/harness.js'
import {
  hasSimpleSaml,
  simpleSamlUser,
  startSimpleSaml,
  type KnownServiceProvider,
  type SimpleSaml,
} from '../given/simplesamlphp.js'
import { pkcePair } from '../given/visitor.js'
import { exchange } from './code-given.js'
import { longTest } from '../sampled.js'

const isPossible = hasSimpleSaml && hasTool(browserTool)

/** Checks that only apply to unsolicited responses, or only to fresh sign-ins. */
// No application of these tests asks for a fresh sign-in.
const unaskedChecks = ['unsolicited', 'authenticated_at']
const askedChecks = ['request', 'browser', 'authenticated_at']

/** The claims of its user in the ID token. */
const { email } = simpleSamlUser
const whatItSays = {
  email,
  amr: ['sso'],
  resource_owner_metadata: { email, first_name: 'Ada', saml_nameid: email, saml_subject: email },
}

describe.skipIf(!isPossible)('SimpleSAMLphp as the identity provider, in a browser', () => {
  let service: Service
  let client: Client
  let idp: SimpleSaml
  let browser: TestBrowser
  /** The redirect URL of the application, on a third site. */
  let storefront: string

  beforeAll(async () => {
    service = await startService()
    client = await service.client()
    idp = await startSimpleSaml()
    browser = await openBrowser()
    storefront = await startStorefront()
  })
  afterAll(async () => {
    await browser.close()
    await idp.stop()
  })

  test('who gives an address of its domain signs in there, and ends at the application', async () => {
    const scene = await connected()
    const { verifier, challenge } = pkcePair()
    const page = await browser.newPage()

    await page.goto(authorizeUrl(scene, challenge))
    await page.getByLabel('E-mail address').fill(simpleSamlUser.email)
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await signInThere(page)

    const claims = await claimsAt(scene, await codeAt(page), verifier)
    expect(claims).toMatchObject(whatItSays)
    await expectEveryCheck(scene, 'sign_in', unaskedChecks)
  })

  longTest('it encrypts the assertion in a response that it signs, and signs in as well', async () => {
    const scene = await connected({}, { encrypts: true })
    const { verifier, challenge } = pkcePair()
    const page = await browser.newPage()

    await page.goto(authorizeUrl(scene, challenge, { idp_hint: scene.connection.idp_id }))
    await signInThere(page)

    const claims = await claimsAt(scene, await codeAt(page), verifier)
    expect(claims).toMatchObject(whatItSays)
    await expectEveryCheck(scene, 'sign_in', unaskedChecks)
  })

  longTest(
    'a sign-in that begins there is asked for anew, and ends at the application of the default redirection',
    async () => {
      const scene = await connected({ idp_initiated: 'bounce' })
      const page = await browser.newPage()

      await page.goto(idp.unsolicitedUrl(scene.connection.sp_id))
      await signInThere(page)

      const claims = await claimsAt(scene, await codeAt(page))
      expect(claims).toMatchObject(whatItSays)
      const [asked, unasked] = await tracesOf(scene)
      expect(unasked).toMatchObject({ kind: 'idp_initiated', outcome: 'success', user_id: null })
      expect(asked).toMatchObject({ kind: 'sign_in', outcome: 'success', user_id: claims.sub })
    },
  )

  test('a sign-in that begins there is taken as it is, where the connection accepts that', async () => {
    const scene = await connected({ idp_initiated: 'accept' })
    const page = await browser.newPage()

    await page.goto(idp.unsolicitedUrl(scene.connection.sp_id))
    await signInThere(page)

    const claims = await claimsAt(scene, await codeAt(page))
    expect(claims).toMatchObject(whatItSays)
    await expectEveryCheck(scene, 'idp_initiated', askedChecks)
  })

  longTest(
    'a sign-in that begins there ends at a page with a reference, where the connection rejects that',
    async () => {
      const scene = await connected({ idp_initiated: 'reject' })
      const page = await browser.newPage()

      await page.goto(idp.unsolicitedUrl(scene.connection.sp_id))
      await signInThere(page)

      const shown = await page.getByText(/^Reference: /).innerText()
      const traces = await tracesOf(scene)
      expect(traces).toMatchObject([
        { kind: 'idp_initiated', outcome: 'failed', failed_check: 'unsolicited' },
      ])
      expect(shown).toBe(`Reference: ${traces[0]?.request_id}`)
      expect((await client.users.list({ org_domain: scene.org_domain })).total).toBe(0)
    },
  )

  type Scene = Awaited<ReturnType<typeof connected>>
  type Settings = Partial<Parameters<Client['ssoConnections']['create']>[0]>

  /** An organization connected to this identity provider, after an exchange of metadata. */
  async function connected(settings: Settings = {}, sends: Omit<KnownServiceProvider, 'metadata'> = {}) {
    const { domain: org_domain, id: organization_id } = await service.given.organization()
    const application = await service.given.application({
      org_domain,
      organization_domain_scope: org_domain,
      allowed_redirect_urls: [storefront],
    })
    const { idp_id } = await client.ssoConnections.create({
      organization_id,
      application_id: application.client_id,
      email_domains: ['awesome.example'],
      ...settings,
    })
    const connection = await client.ssoConnections.update({ idp_id, metadata: await idp.metadata() })
    const metadata = await (await fetch(connection.sp_id)).text()
    await idp.trust([{ signsAssertion: false, ...sends, metadata }])
    return { org_domain, application, connection }
  }

  function authorizeUrl(scene: Scene, code_challenge: string, members: Record<string, string> = {}): string {
    return flowGivenOf(service, client).authorizeUrl(scene, {
      redirect_uri: storefront,
      code_challenge,
      ...members,
    })
  }

  /** Waits for the page of the identity provider, and signs in on it. */
  async function signInThere(page: Page): Promise<void> {
    await page.waitForURL(`${idp.baseUrl}/**`)
    await page.locator('input[name=username]').fill(simpleSamlUser.name)
    await page.locator('input[name=password]').fill(simpleSamlUser.password)
    await page.keyboard.press('Enter')
  }

  async function codeAt(page: Page): Promise<string> {
    await page.waitForURL(`${storefront}?**`)
    return new URL(page.url()).searchParams.get('code') ?? ''
  }

  /** The claims of the ID token that the application gets for its code. */
  async function claimsAt(
    { org_domain, application }: Scene,
    code: string,
    verifier?: string,
  ): Promise<JWTPayload> {
    const { body } = await exchange(service, {
      code,
      client_id: application.client_id,
      ...(verifier !== undefined && { code_verifier: verifier, redirect_uri: storefront }),
    })
    const issuer = `${service.baseUrl}/t/${org_domain}`
    const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`))
    const audience = application.client_id
    return (await jwtVerify(body.id_token ?? '', keys, { issuer, audience })).payload
  }

  async function tracesOf({ connection }: Scene) {
    return (await client.ssoConnections.listLoginTraces({ idp_id: connection.idp_id })).data
  }

  /** Expects that the only login attempt contains every check except those that do not apply to its kind. */
  async function expectEveryCheck(
    scene: Scene,
    kind: 'sign_in' | 'idp_initiated',
    others: readonly string[],
  ): Promise<void> {
    const traces = await tracesOf(scene)
    expect(traces).toMatchObject([{ kind, outcome: 'success', failed_check: null }])
    const checks = traces[0]?.checks ?? []
    // Nobody was invited.
    const ofSaml = ssoCheckNames.filter((name) => !name.startsWith('oidc_') && name !== 'invitation')
    expect(checks.map(({ name }) => name)).toEqual(ofSaml.filter((name) => !others.includes(name)))
    expect(checks.filter(({ passed }) => !passed)).toEqual([])
  }
})

async function startStorefront(): Promise<string> {
  const server = createServer((_req, res) => {
    res.setHeader('content-type', 'text/html').end('<!doctype html><title>Store</title><h1>Welcome</h1>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => void server.close())
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/callback`
}
