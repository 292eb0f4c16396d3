import type { Client } from '@portico/sdk'
import { rotateSigningKeys } from '@portico/server/rotate-signing-keys'
import { decodeProtectedHeader } from 'jose'
import { expect } from 'vitest'
import { flowGivenOf, goodPassword, isIn, type FlowScene } from '../../given/flow-given.js'
import { freePort } from '../../given/free-port.js'
import type { Service } from '../../given/harness.js'
import type { OidcClient, RunningClient } from './oidc-client.js'

/** Runs clients through what an application does with Portico. */
export function journeyOf(service: Service, client: Client) {
  const given = flowGivenOf(service, client)

  /** @param issuerPath Of the organization of the scene, if none is given. */
  async function register(of: OidcClient, issuerPath?: string) {
    const scene = await given.scene()
    const { org_domain } = scene
    const origin = `http://localhost:${await freePort()}`
    const redirectUri = `${origin}${of.callbackPath ?? '/callback'}`
    const signedOutUri = `${origin}/signed-out`
    const application = await client.applications.create({
      org_domain,
      name: of.name,
      application_type: 'regular_web',
      client_authentication: 'secret',
      allowed_redirect_urls: [redirectUri],
      allowed_origins_cors: [],
      allowed_logout_urls: [signedOutUri],
      ...of.application,
    })
    const { client_id: clientId } = application
    const hasSecret = application.client_authentication === 'secret'
    const clientSecret = hasSecret
      ? (await client.applicationSecrets.create({ org_domain, client_id: clientId })).value
      : null
    const issuer = `${service.baseUrl}${issuerPath ?? `/t/${org_domain}`}`
    const registration = {
      issuer,
      clientId,
      clientSecret: clientSecret ?? '',
      origin,
      redirectUri,
      signedOutUri,
    }
    return { scene, application, registration }
  }

  /** Replaces the key that signs the tokens of an application, as `portico keys rotate` does. */
  async function rotate({ org_domain }: FlowScene, algorithm: 'ES256' | 'RS256') {
    const { id } = await client.organizations.get({ org_domain })
    return rotateOf(id, algorithm)
  }

  /** @param organizationId Or the id of the account, whose keys as an issuer are meant. */
  async function rotateOf(organizationId: string, algorithm: 'ES256' | 'RS256') {
    const owner = { accountId: service.account.id, environment: 'sandbox' as const, organizationId }
    const rotated = await rotateSigningKeys(service.deps, owner, algorithm, { publishedForMs: 0 })
    return 'activated' in rotated ? rotated.activated : undefined
  }

  /** Login, userinfo, rotation of the keys, refresh, another login, logout. */
  async function run(of: OidcClient): Promise<void> {
    const { scene, application, registration } = await register(of)
    const { user } = scene
    const person = { sub: user.id, email: user.email }
    const running: RunningClient = await of.start(registration)
    const visitor = given.visitorOf()
    try {
      const asked = await visitor.visit(await running.begin())
      const page = await visitor.press(asked, 'identify', { email: user.email })
      const landed = await visitor.press(page, 'password', { password: goodPassword })
      const first = await running.finish(landed.location ?? '')
      expect(first.sub).toBe(user.id)
      expect(await running.userinfo()).toMatchObject(person)

      const kid = await rotate(scene, application.token_signing_alg)
      const refreshed = await running.refresh()
      expect(refreshed.sub).toBe(user.id)
      if (refreshed.accessToken !== undefined) {
        expect(refreshed.accessToken).not.toBe(first.accessToken)
        expect(decodeProtectedHeader(refreshed.accessToken).kid).toBe(kid)
      }
      expect(await running.userinfo()).toMatchObject(person)
      const again = await visitor.visit(await running.begin())
      expect((await running.finish(again.location ?? '')).sub).toBe(user.id)

      const left = await visitor.visit(await running.logout())
      const signedOut = new URL(left.location ?? '')
      expect(`${signedOut.origin}${signedOut.pathname}`).toBe(registration.signedOutUri)
      await expect(running.refresh()).rejects.toThrow()
      expect(isIn(await visitor.visit(await running.begin()))).toBe(false)
    } finally {
      running.stop?.()
    }
  }

  /**
   * Users of three organizations sign in with the one configuration of the account's issuer, whose keys are rotated
   * meanwhile; each signs out of everything.
   */
  async function runAcross(of: OidcClient): Promise<void> {
    const { scene, application, registration } = await register(of, `/a/${service.account.domain}`)
    const running: RunningClient = await of.start(registration)
    try {
      for (const { org_domain, user } of [scene, await given.scene(), await given.scene()]) {
        const visitor = given.visitorOf()
        const begun = new URL(await running.begin())
        begun.searchParams.set('organization', org_domain)
        const asked = await visitor.visit(begun.href)
        const page = await visitor.press(asked, 'identify', { email: user.email })
        const landed = await visitor.press(page, 'password', { password: goodPassword })
        expect((await running.finish(landed.location ?? '')).sub).toBe(user.id)
        expect(await running.userinfo()).toMatchObject({ sub: user.id, email: user.email })

        if (user === scene.user) await rotateOf(service.account.id, application.token_signing_alg)
        expect((await running.refresh()).sub).toBe(user.id)

        const left = await visitor.visit(await running.logout())
        expect(left.location).toMatch(registration.signedOutUri)
        await expect(running.refresh()).rejects.toThrow()
        expect(isIn(await visitor.visit(begun.href))).toBe(false)
      }
    } finally {
      running.stop?.()
    }
  }

  return { run, runAcross }
}
