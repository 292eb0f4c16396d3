import assert from 'node:assert/strict'
import { generateKeyPair } from 'jose'
import { assertRefused, metadataOf, post } from './ask.js'
import { authorize, codeIn, exchangeOf, tokensIn } from './authorize.js'
import type { Check, Group } from './check.js'
import { clientAssertion, type AssertionChanges } from './client-assertion.js'
import { accepts } from './fault.js'
import { listOf } from './json.js'
import type { Scene } from './provider.js'

const checks: readonly Check[] = [
  {
    id: 'rfc7523-2.2-client-assertion',
    source: 'RFC 7523 2.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { answer, asked } = await exchanged(at)
      tokensIn(answer, asked)
    },
    fault: { at: 'token', status: 401 },
  },
  {
    id: 'rfc7523-3-token-endpoint-as-audience',
    source: 'RFC 7523 3',
    level: 'may',
    needs: 'user',
    async run(at) {
      const aud = (await metadataOf(at))['token_endpoint']
      const { answer, asked } = await exchanged(at, { claims: { aud } })
      tokensIn(answer, asked)
    },
    fault: { at: 'token', status: 401 },
  },
  refusing('other-audience', '3', () => ({ claims: { aud: 'https://other.example' } })),
  refusing('no-audience', '3', () => ({ claims: { aud: undefined } })),
  refusing('other-issuer', '3', () => ({ claims: { iss: 'somebody-else' } })),
  refusing('other-subject', '3', () => ({ claims: { sub: 'somebody-else' } })),
  refusing('expired', '3', (at) => ({ claims: { exp: Math.floor(at.now().getTime() / 1000) - 120 } })),
  refusing('no-expiry', '3', () => ({ claims: { exp: undefined } })),
  refusing('not-yet-valid', '3', (at) => ({ claims: { nbf: Math.floor(at.now().getTime() / 1000) + 600 } })),
  refusing('other-key', '3', async () => ({ key: (await generateKeyPair('ES256')).privateKey })),
  {
    id: 'rfc7523-3-replayed',
    source: 'RFC 7523 3',
    level: 'must',
    needs: 'user',
    async run(at) {
      const assertion = await clientAssertion(at, at.keyClient)
      const grants = [await grantOf(at), await grantOf(at)]
      const answers = []
      for (const { grant } of grants) answers.push(await post(at, 'token', { ...grant, ...assertion }))
      assert.equal(answers[0]?.status, 200)
      assertRefused(answers[1] ?? assert.fail(), 401, 'invalid_client')
    },
    fault: { at: 'token', when: 401, status: 200 },
  },
  {
    id: 'rfc7523-3-unsigned',
    source: 'RFC 7523 3',
    level: 'must',
    needs: 'user',
    async run(at) {
      const assertion = await clientAssertion(at, at.keyClient)
      const [, payload] = assertion.client_assertion.split('.')
      const header = Buffer.from('{"alg":"none"}').toString('base64url')
      const { grant } = await grantOf(at)
      const answer = await post(at, 'token', {
        ...grant,
        ...assertion,
        client_assertion: `${header}.${payload}.`,
      })
      assertRefused(answer, 401, 'invalid_client')
    },
    fault: accepts('token'),
  },
  {
    id: 'rfc8414-2-assertion-algorithms',
    source: 'RFC 8414 2',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      const metadata = await metadataOf(at)
      assert.ok(listOf(metadata, 'token_endpoint_auth_methods_supported').includes('private_key_jwt'))
      const algorithms = listOf(metadata, 'token_endpoint_auth_signing_alg_values_supported')
      assert.ok(algorithms.length > 0 && !algorithms.includes('none'), algorithms.join(', '))
    },
    fault: { at: 'metadata', json: { token_endpoint_auth_signing_alg_values_supported: ['none'] } },
  },
]

export const assertions: Group = { title: 'RFC 7523', checks, least: 6 }

async function grantOf(at: Scene) {
  const arrival = await authorize(at, {}, { browser: at.signedIn(), client: at.keyClient })
  return { grant: exchangeOf(at, arrival, codeIn(arrival)), asked: arrival.asked }
}

async function exchanged(at: Scene, changes: AssertionChanges = {}) {
  const { grant, asked } = await grantOf(at)
  const answer = await post(at, 'token', { ...grant, ...(await clientAssertion(at, at.keyClient, changes)) })
  return { answer, asked }
}

/** A rule about assertions that a provider must not accept. */
function refusing(
  name: string,
  section: string,
  changesOf: (at: Scene) => AssertionChanges | Promise<AssertionChanges>,
): Check {
  return {
    id: `rfc7523-${section}-${name}`,
    source: `RFC 7523 ${section}`,
    level: 'must',
    needs: 'user',
    run: async (at: Scene) => {
      const { answer } = await exchanged(at, await changesOf(at))
      assertRefused(answer, 401, 'invalid_client')
    },
    fault: accepts('token'),
  }
}
