import assert from 'node:assert/strict'
import { ask, assertRefused, basic, endpointOf, post, postAs } from './ask.js'
import { tokensFor, userInfo } from './authorize.js'
import type { Check, Group } from './check.js'
import { accepts } from './fault.js'
import type { RegisteredClient, Scene } from './provider.js'

const offline = { scope: 'openid offline_access' }

const checks: readonly Check[] = [
  {
    id: 'rfc7009-2.1-refresh-token',
    source: 'RFC 7009 2.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { refreshToken } = await tokensFor(at, offline)
      assert.equal((await revoke(at, refreshToken)).status, 200)
      assertRefused(await refresh(at, refreshToken), 400, 'invalid_grant')
    },
    fault: { at: 'token', nth: 2, status: 200 },
  },
  {
    id: 'rfc7009-2.1-access-tokens-of-the-grant',
    source: 'RFC 7009 2.1',
    level: 'should',
    needs: 'user',
    async run(at) {
      const { refreshToken, accessToken } = await tokensFor(at, offline)
      assert.equal((await revoke(at, refreshToken)).status, 200)
      assert.equal((await userInfo(at, accessToken)).status, 401)
    },
    fault: accepts('userinfo'),
  },
  {
    id: 'rfc7009-2.1-access-token',
    source: 'RFC 7009 2.1',
    level: 'should',
    needs: 'user',
    async run(at) {
      const { accessToken } = await tokensFor(at)
      const { status, text } = await revoke(at, accessToken)
      assert.equal(status, 200, text)
      assert.equal((await userInfo(at, accessToken)).status, 401)
    },
    fault: accepts('userinfo'),
  },
  {
    id: 'rfc7009-2.1-token-of-another-client',
    source: 'RFC 7009 2.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { refreshToken } = await tokensFor(at, offline)
      await revoke(at, refreshToken, at.second)
      assert.equal((await refresh(at, refreshToken)).status, 200, 'a client has revoked the token of another')
    },
    fault: { at: 'token', nth: 2, status: 400 },
  },
  {
    id: 'rfc7009-2.1-wrong-hint',
    source: 'RFC 7009 2.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { refreshToken } = await tokensFor(at, offline)
      await revoke(at, refreshToken, at.client, 'access_token')
      assertRefused(await refresh(at, refreshToken), 400, 'invalid_grant')
    },
    fault: { at: 'token', nth: 2, status: 200 },
  },
  {
    id: 'rfc7009-2.2-unknown-token',
    source: 'RFC 7009 2.2',
    level: 'must',
    needs: 'client',
    async run(at) {
      const { status } = await postAs(at, at.client, 'revocation', { token: 'unknown' })
      assert.equal(status, 200)
    },
    fault: { at: 'revocation', status: 400 },
  },
  {
    id: 'rfc7009-2.1-invalid-client',
    source: 'RFC 7009 2.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { refreshToken } = await tokensFor(at, offline)
      const wrong = basic(at.client.clientId, 'wrong')
      assertRefused(await post(at, 'revocation', { token: refreshToken }, wrong), 401, 'invalid_client')
      assert.equal((await refresh(at, refreshToken)).status, 200)
    },
    fault: { at: 'revocation', status: 200 },
  },
  {
    id: 'rfc7009-2-post-only',
    source: 'RFC 7009 2.1',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { status } = await ask(
        at,
        `${await endpointOf(at, 'revocation')}?token=unknown&client_id=unknown`,
      )
      assert.ok([400, 404, 405].includes(status), `status ${status}`)
    },
    fault: accepts('revocation'),
  },
]

export const revocation: Group = { title: 'RFC 7009', checks, least: 5 }

function revoke(at: Scene, token: string, client: RegisteredClient = at.client, hint?: string) {
  return postAs(at, client, 'revocation', { token, token_type_hint: hint })
}

function refresh(at: Scene, token: string) {
  return postAs(at, at.client, 'token', { grant_type: 'refresh_token', refresh_token: token })
}
