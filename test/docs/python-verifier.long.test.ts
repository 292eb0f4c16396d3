import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'
import { expect, test } from 'vitest'
import { hasPackage } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'

// Long, because an interpreter starts.

const isInstalled = ['python3-jwt', 'python3-cryptography'].every(hasPackage)
const folder = fileURLToPath(new URL('../../docs/examples/protected-route', import.meta.url))
const audience = '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4'

/** Verifies the tokens of its input in their order, and answers their organizations, or why they are refused. */
const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
from verify import KeysUnavailable, Refused, Verifier
job = json.load(sys.stdin)
verifier = Verifier(job["baseUrl"], job["audience"], "sandbox")
def outcome_of(token):
    try:
        return verifier.verify(token)["org"]
    except Refused as error:
        return f"refused: {error}"
    except KeysUnavailable:
        return "unavailable"
print(json.dumps([outcome_of(token) for token in job["tokens"]]))
`

const requests: string[] = []
const published = new Map<string, JWK>()
const keys = new Map<string, CryptoKey>()

const server = createServer((req, res) => {
  requests.push(req.url ?? '')
  const jwk = published.get(req.url ?? '')
  res.writeHead(jwk === undefined ? 404 : 200, { 'content-type': 'application/json' })
  res.end(JSON.stringify({ keys: [{ ...jwk, kid: 'k1', alg: 'ES256', use: 'sig' }] }))
}).listen(0, '127.0.0.1')
atFileEnd(() => void server.close())
await new Promise((resolve) => server.once('listening', resolve))
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const organizations = Array.from({ length: 15 }, (_, index) => `organization-${index}`)
for (const organization of organizations) {
  const pair = await generateKeyPair('ES256', { extractable: true })
  keys.set(organization, pair.privateKey)
  published.set(`/t/${organization}/.well-known/jwks.json`, await exportJWK(pair.publicKey))
}

/** A token of an organization, by default signed with its key. */
function token(org: string, changed: object = {}, header: object = {}, signer = org): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000)
  const key = keys.get(signer)
  if (key === undefined) throw new Error(`no key of ${signer}`)
  const own = { iss: `${baseUrl}/t/${org}`, sub: 'u1', aud: audience, dbs: 'sandbox', jtt: 'access_token' }
  const times = { iat: seconds, nbf: seconds, exp: seconds + 600 }
  return new SignJWT({ ...own, org, tnt: org, ...times, ...changed })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt', ...header })
    .sign(key)
}

function verified(tokens: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      '/usr/bin/python3',
      ['-c', program, folder],
      { env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' } },
      (error, stdout) => (error === null ? resolve(JSON.parse(stdout)) : reject(error)),
    )
    child.stdin?.end(JSON.stringify({ baseUrl, audience, tokens }))
  })
}

test.skipIf(!isInstalled)(
  'the verifier in Python takes tokens of every organization, no others, and asks nobody else for keys',
  async () => {
    const good = await Promise.all(organizations.map((organization) => token(organization)))
    const issuers = [
      `${baseUrl}/t/Organization-0`,
      `${baseUrl}/t/organization-0\n`,
      `${baseUrl}/t/organization-0/`,
      `${baseUrl}/t/organization-0/..`,
      `${baseUrl}/t//organization-0`,
      `${baseUrl}/t/%6frganization-0`,
      `${baseUrl}@evil.example/t/organization-0`,
      `https://evil.example/t/organization-0`,
      `${baseUrl}/a/acme`,
      `${baseUrl}/t/${'a'.repeat(121)}`,
      7,
      null,
    ]
    const bad = await Promise.all([
      ...issuers.map((iss) => token('organization-0', { iss })),
      token('organization-0', { org: 'organization-1' }),
      token('organization-0', { tnt: 'organization-1' }),
      token('organization-0', { aud: 'another' }),
      token('organization-0', { dbs: 'production' }),
      token('organization-0', { jtt: 'id_token' }),
      token('organization-0', { exp: 1 }),
      token('organization-0', { exp: [] }),
      token('organization-0', {}, { typ: 'JWT' }),
      token('organization-0', {}, { kid: 'k2' }),
      token('organization-0', {}, {}, 'organization-1'),
    ])
    const altered = `${(good[0] ?? '').slice(0, -8)}AAAAAAAA`
    const nonsense = ['', 'a.b.c', 'a'.repeat(20_000), altered]
    const madeUp = await Promise.all(
      Array.from({ length: 500 }, (_, index) => {
        const org = `made-up-${index}`
        return token('organization-0', { iss: `${baseUrl}/t/${org}`, org, tnt: org })
      }),
    )

    const outcomes = await verified([...bad, ...nonsense, ...good, ...madeUp, ...good])

    const refused = outcomes.slice(0, bad.length + nonsense.length)
    expect(refused.filter((outcome) => !outcome.startsWith('refused: '))).toEqual([])
    const taken = outcomes.slice(refused.length)
    expect(taken.slice(0, good.length)).toEqual(organizations)
    expect(taken.slice(-good.length)).toEqual(organizations)
    expect(new Set(taken.slice(good.length, -good.length))).toEqual(
      new Set(['refused: the service has no such organization', 'unavailable']),
    )
    expect(requests.slice(0, good.length).toSorted()).toEqual([...published.keys()].toSorted())
    expect(requests.length).toBeLessThan(50)
  },
)
