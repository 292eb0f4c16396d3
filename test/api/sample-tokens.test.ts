import { resourceOwnerAttributes } from '@portico/contract/token-claims'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { faultsOf } from '../given/faults.js'
import { startService } from '../given/harness.js'

const service = await startService()
const client = await service.client()

describe('sample tokens', () => {
  test('200: of an invented user, with every metadata key in tokens and trees', async () => {
    const org_domain = await service.given.domain()
    await service.given.metaKey({ org_domain, name: 'team' })
    await service.given.metaKey({ org_domain, name: 'sub', type: 'integer', required: true })
    const sample = await client.tokenCustomization.sample({ org_domain })
    expect(sample).toMatchObject({ __type__: '__JwtSamples__', __domain__: org_domain })

    const access = claimsOf(sample.access_token_jwt)
    const id = claimsOf(sample.id_token_jwt)
    const nowSeconds = Math.floor(service.clock.now().getTime() / 1000)
    for (const claims of [access, id]) {
      expect(claims).toMatchObject({
        iss: `${service.baseUrl}/t/${org_domain}`,
        ver: 3,
        tnt: org_domain,
        org: org_domain,
        dbs: 'sandbox',
        env: 'sandbox',
        meta_data: { team: expect.any(String), sub: expect.any(Number) },
      })
      expect([claims['sub'], claims['aud']]).toEqual([claims['uid'], claims['cid']])
      expect(claims['exp']).toBeGreaterThan(nowSeconds)
    }
    expect(access).toMatchObject({ jtt: 'access_token', scp: ['magic_link'] })
    expect(id).toMatchObject({ jtt: 'id_token', resource_owner_metadata: { saml_nameid: null } })

    const meta_data = { team: null, sub: null }
    expect(sample.access_token_keys).toMatchObject({ sub: null, scp: null, meta_data })
    expect(sample.id_token_keys).toMatchObject({
      ...Object.fromEntries(['at_hash', 'c_hash', 's_hash', 'nonce'].map((name) => [name, null])),
      resource_owner_metadata: Object.fromEntries(
        Object.keys(resourceOwnerAttributes).map((name) => [name, null]),
      ),
      meta_data,
    })
    expect(Object.keys(sample.access_token_keys).sort()).toEqual(Object.keys(access).sort())
    expect(Object.keys(sample.id_token_keys).sort()).toEqual(Object.keys(id).sort())
  })

  test('200: of a user and an application of the organization', async () => {
    const org_domain = await service.given.domain()
    const number = await service.given.metaKey({ org_domain, type: 'integer' })
    await service.given.metaKey({ org_domain, name: 'unused' })
    const user = await service.given.user({ org_domain, metadata: [{ key: number.name, value: '1815' }] })
    const application = await service.given.application({
      org_domain,
      access_token_lifetime_in_seconds: 600,
    })
    const authorization_id = randomUUID()
    const sample = await client.tokenCustomization.sample({
      org_domain,
      user_id: user.id,
      application_id: `client_${application.id}`,
      authorization_id,
    })
    for (const claims of [claimsOf(sample.access_token_jwt), claimsOf(sample.id_token_jwt)]) {
      expect(claims).toMatchObject({
        sub: user.id,
        email: user.email,
        cid: application.id,
        authorization_id,
        application_metadata: { name: application.name, application_type: 'react' },
      })
      expect(claims['meta_data']).toEqual({ [number.name]: 1815 })
      expect(Number(claims['exp']) - Number(claims['iat'])).toBe(600)
    }
    expect(sample.access_token_keys['meta_data']).toEqual({ [number.name]: null, unused: null })
  })

  test('200: valid for as long as is asked, or expired', async () => {
    const org_domain = await service.given.domain()
    const nowSeconds = Math.floor(service.clock.now().getTime() / 1000)
    const short = await client.tokenCustomization.sample({ org_domain, expiration_in_seconds: 60 })
    const { iat, exp } = claimsOf(short.access_token_jwt)
    expect(Number(exp) - Number(iat)).toBe(60)
    const expired = await client.tokenCustomization.sample({ org_domain, expired: true })
    for (const token of [expired.access_token_jwt, expired.id_token_jwt])
      expect(claimsOf(token)['exp']).toBeLessThan(nowSeconds)
  })

  test('200: a sample is no credential', async () => {
    const org_domain = await service.given.domain()
    const { access_token_jwt, id_token_jwt } = await client.tokenCustomization.sample({ org_domain })
    const keySet = await fetch(`${service.baseUrl}/t/${org_domain}/.well-known/jwks.json`)
    const text = await keySet.text()
    for (const token of [access_token_jwt, id_token_jwt]) {
      const { kid } = headerOf(token)
      expect(text).not.toContain(kid)
      const answer = await fetch(`${service.baseUrl}/api/v2/organizations`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(answer.status).toBe(401)
    }
  })

  test('404: a user or an application that is not of this organization and environment', async () => {
    const [org_domain, other] = await Promise.all([service.given.domain(), service.given.domain()])
    const production = await service.client({ environment: 'production' })
    const { id: user_id } = await service.given.user({ org_domain: other })
    const { id: application_id } = await service.given.application({
      org_domain: other,
      organization_domain_scope: other,
    })
    const { sample } = client.tokenCustomization
    const noUser = { status: 404, code: 'user_not_found' }
    const noApplication = { status: 404, code: 'application_not_found' }
    await expect(sample({ org_domain, user_id })).rejects.toMatchObject(noUser)
    await expect(sample({ org_domain, application_id })).rejects.toMatchObject(noApplication)
    const sampleOfProduction = production.tokenCustomization.sample
    await expect(sampleOfProduction({ org_domain: other, user_id })).rejects.toMatchObject(noUser)
    await expect(sampleOfProduction({ org_domain: other, application_id })).rejects.toMatchObject(
      noApplication,
    )
    await client.users.delete({ org_domain: other, user_id })
    await client.applications.delete({ org_domain: other, client_id: application_id })
    await expect(sample({ org_domain: other, user_id })).rejects.toMatchObject(noUser)
    await expect(sample({ org_domain: other, application_id })).rejects.toMatchObject(noApplication)
    await expect(sample({ org_domain: 'nowhere' })).rejects.toMatchObject({
      status: 404,
      code: 'organization_not_found',
    })
  })

  test('422: parameters that cannot be read are named', async () => {
    const attempt = client.tokenCustomization.sample({
      org_domain: await service.given.domain(),
      user_id: 'ada',
      expiration_in_seconds: 0,
    })
    expect(await faultsOf(attempt)).toEqual(['user_id', 'expiration_in_seconds'])
  })
})

function headerOf(token: string): { kid: string } {
  return partOf(token, 0) as { kid: string }
}

function claimsOf(token: string): Record<string, unknown> {
  return partOf(token, 1) as Record<string, unknown>
}

function partOf(token: string, index: number): unknown {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())
}
