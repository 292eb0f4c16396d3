import assert from 'node:assert/strict'
import { assertRefused, metadataOf, postAs, type Members } from './ask.js'
import { assertError, authorize, challengeOf, codeIn, exchangeOf, random, tokensIn } from './authorize.js'
import type { Check, Group } from './check.js'
import { accepts, answersCode } from './fault.js'
import { listOf } from './json.js'
import type { Scene } from './provider.js'

const checks: readonly Check[] = [
  {
    id: 'rfc7636-4.2-s256',
    source: 'RFC 7636 4.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { answer, asked } = await withVerifier(at, random(32))
      tokensIn(answer, asked)
    },
    fault: { at: 'token', status: 400 },
  },
  {
    id: 'rfc7636-4.1-longest-verifier',
    source: 'RFC 7636 4.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { answer, asked } = await withVerifier(at, `${random(93)}-._~`)
      tokensIn(answer, asked)
    },
    fault: { at: 'token', status: 400 },
  },
  {
    id: 'rfc7636-4.6-other-verifier',
    source: 'RFC 7636 4.6',
    level: 'must',
    needs: 'user',
    run: (at) => assertVerifierRefused(at, () => random(32)),
    fault: accepts('token'),
  },
  {
    id: 'rfc7636-4.6-no-verifier',
    source: 'RFC 7636 4.6',
    level: 'must',
    needs: 'user',
    run: (at) => assertVerifierRefused(at, () => undefined),
    fault: accepts('token'),
  },
  {
    id: 'rfc7636-4.6-challenge-as-verifier',
    source: 'RFC 7636 7.2',
    level: 'must',
    needs: 'user',
    // As if the method were plain.
    run: (at) => assertVerifierRefused(at, challengeOf),
    fault: accepts('token'),
  },
  {
    id: 'rfc7636-4.6-short-verifier',
    source: 'RFC 7636 4.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const { answer } = await withVerifier(at, random(31).slice(0, 42))
      assertRefused(answer, 400, 'invalid_grant', 'invalid_request')
    },
    fault: accepts('token'),
  },
  {
    id: 'rfc7636-4.4.1-plain',
    source: 'RFC 7636 4.4.1',
    level: 'must',
    needs: 'client',
    async run(at) {
      const members = { code_challenge: random(32), code_challenge_method: 'plain' }
      assertError(await authorize(at, members), 'invalid_request')
    },
    fault: answersCode,
  },
  {
    id: 'rfc7636-4.3-method-left-out',
    source: 'RFC 7636 4.3',
    level: 'must',
    needs: 'client',
    async run(at) {
      // It would mean plain, which this provider does not have.
      const members = { code_challenge: random(32), code_challenge_method: undefined }
      assertError(await authorize(at, members), 'invalid_request')
    },
    fault: answersCode,
  },
  {
    id: 'rfc7636-4.2-malformed-challenge',
    source: 'RFC 7636 4.2',
    level: 'must',
    needs: 'client',
    async run(at) {
      const members = { code_challenge: random(32).slice(1), code_challenge_method: 'S256' }
      assertError(await authorize(at, members), 'invalid_request')
    },
    fault: answersCode,
  },
  {
    id: 'rfc7636-4.4.1-challenge-demanded',
    source: 'RFC 7636 4.4.1',
    level: 'must',
    needs: 'user',
    async run(at) {
      const none: Members = { code_challenge: undefined, code_challenge_method: undefined }
      const options = { client: at.publicClient, browser: at.signedIn() }
      assertError(await authorize(at, none, options), 'invalid_request')
    },
    fault: answersCode,
  },
  {
    id: 'rfc7636-4.6-verifier-without-challenge',
    source: 'RFC 9700 4.8.2',
    level: 'must',
    needs: 'user',
    async run(at) {
      assert.ok(at.client.isPkceOptional, 'no client may leave PKCE out')
      const none: Members = { code_challenge: undefined, code_challenge_method: undefined }
      const arrival = await authorize(at, none, { browser: at.signedIn() })
      const grant = { ...exchangeOf(at, arrival, codeIn(arrival)), code_verifier: random(32) }
      assertRefused(await postAs(at, at.client, 'token', grant), 400, 'invalid_grant', 'invalid_request')
    },
    fault: accepts('token'),
  },
  {
    id: 'rfc7636-5-metadata',
    source: 'RFC 8414 2',
    level: 'must',
    needs: 'issuer',
    async run(at) {
      assert.ok(listOf(await metadataOf(at), 'code_challenge_methods_supported').includes('S256'))
    },
    fault: { at: 'metadata', json: { code_challenge_methods_supported: undefined } },
  },
]

export const pkce: Group = { title: 'RFC 7636', checks, least: 8 }

/** Asks with the challenge of a verifier, and exchanges the code with it, or with another. */
async function withVerifier(at: Scene, verifier: string, sent: string | undefined = verifier, isSent = true) {
  const members = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }
  const client = at.publicClient
  const arrival = await authorize(at, members, { browser: at.signedIn(), client })
  const grant = exchangeOf(at, arrival, codeIn(arrival))
  const answer = await postAs(at, client, 'token', { ...grant, code_verifier: isSent ? sent : undefined })
  return { answer, asked: arrival.asked }
}

async function assertVerifierRefused(
  at: Scene,
  sentOf: (verifier: string) => string | undefined,
): Promise<void> {
  const verifier = random(32)
  const sent = sentOf(verifier)
  const { answer } = await withVerifier(at, verifier, sent, sent !== undefined)
  assertRefused(answer, 400, 'invalid_grant', 'invalid_request')
}
