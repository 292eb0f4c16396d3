import assert from 'node:assert/strict'
import { ask, discoveryUrl, metadataOf, type Answer } from './ask.js'
import type { Check, Group } from './check.js'
import { serverOf } from './judge.js'
import { listOf, textOf } from './json.js'
import type { Issuer } from './provider.js'

const checks: readonly Check[] = [
  {
    id: 'rfc8414-3.1-well-known-before-the-path',
    source: 'RFC 8414 3.1',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { status, headers, json } = await serverMetadata(at)
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(textOf(json, 'issuer'), at.issuer)
    },
    fault: { at: 'metadata', status: 404 },
  },
  {
    id: 'rfc8414-3.3-issuer-is-compared',
    source: 'RFC 8414 3.3',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      // The judge: a conforming client reads the document, and refuses one of another issuer.
      assert.equal((await serverOf(at)).issuer, at.issuer)
    },
    fault: { at: 'metadata', json: { issuer: 'https://planted.example' } },
  },
  {
    id: 'rfc8414-2-required-members',
    source: 'RFC 8414 2',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { json } = await serverMetadata(at)
      for (const name of ['issuer', 'authorization_endpoint', 'token_endpoint'])
        assert.notEqual(textOf(json, name), '', `${name} is missing`)
      assert.notEqual(listOf(json, 'response_types_supported').length, 0)
    },
    fault: { at: 'metadata', json: { response_types_supported: undefined } },
  },
  {
    id: 'rfc8414-3.2-no-empty-members',
    source: 'RFC 8414 3.2',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { json } = await serverMetadata(at)
      const empty = Object.entries(json).filter(
        ([, value]) => value === null || (Array.isArray(value) && value.length === 0),
      )
      assert.deepEqual(empty, [])
    },
    fault: { at: 'metadata', json: { ui_locales_supported: [] } },
  },
  {
    id: 'rfc8414-2-issuer-is-an-address',
    source: 'RFC 8414 2',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const { search, hash } = new URL(textOf((await serverMetadata(at)).json, 'issuer'))
      assert.deepEqual([search, hash], ['', ''])
    },
    fault: { at: 'metadata', json: { issuer: 'https://planted.example/t/store?tenant=1' } },
  },
  {
    id: 'rfc8414-5-one-document',
    source: 'RFC 8414 5',
    level: 'should',
    needs: 'issuer',
    async run(at) {
      // A client of either specification must learn the same.
      assert.deepEqual((await serverMetadata(at)).json, (await ask(at, discoveryUrl(at))).json)
    },
    fault: { at: 'metadata', nth: 1, json: { token_endpoint: 'https://planted.example/token' } },
  },
  {
    id: 'rfc8414-2-authentication-methods',
    source: 'RFC 8414 2',
    level: 'should',
    needs: 'issuer',
    async run(at) {
      // Left out, it would mean client_secret_basic alone.
      const methods = listOf(await metadataOf(at), 'token_endpoint_auth_methods_supported')
      for (const name of ['none', 'client_secret_basic', 'client_secret_post'])
        assert.ok(methods.includes(name), `${name} is missing`)
    },
    fault: { at: 'metadata', json: { token_endpoint_auth_methods_supported: ['none'] } },
  },
]

export const serverMetadataChecks: Group = { title: 'RFC 8414', checks, least: 4 }

function serverMetadata(at: Issuer): Promise<Answer> {
  const { origin, pathname } = new URL(at.issuer)
  return ask(at, `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`)
}
