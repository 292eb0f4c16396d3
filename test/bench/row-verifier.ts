import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createVerifier, type Verifier } from '@portico/sdk'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { milliseconds, type Figure } from './figures.js'
import { median, sized, type Settings } from './measure.js'

const baseUrl = 'https://auth.example'
const audience = '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4'

/** A9: the SDK's verifier of an account: beside that of one organization, and under a flood of made-up organizations. */
export async function verifyTokens(settings: Settings): Promise<Figure[]> {
  const domains = Array.from({ length: 1_000 }, (_, index) => `organization-${index}`)
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }]
  const clock = { ms: Date.now() }
  const known = new Set(domains.map((domain) => `${baseUrl}/t/${domain}/.well-known/jwks.json`))
  let requests = 0
  const common = {
    ...{ baseUrl, audience, environment: 'sandbox' as const },
    now: () => clock.ms,
    fetch: (input: string | URL | Request) => {
      requests += 1
      const isKnown = typeof input === 'string' && known.has(input)
      return Promise.resolve(isKnown ? Response.json({ keys }) : new Response(null, { status: 404 }))
    },
  }
  const one = createVerifier({ ...common, domain: 'organization-0' })
  const all = createVerifier({ ...common, account: 'acme' })
  await all.preload(domains)
  const tokens = await Promise.all(
    domains.map((domain) =>
      new SignJWT(claimsOf(domain, clock.ms))
        .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
        .sign(privateKey),
    ),
  )
  const own = tokens.slice(0, 1)

  const count = sized(settings, 20_000, 2_000)
  const rounds: { ours: number; beside: number }[] = []
  await cpuMsOf(one, own, count)
  await cpuMsOf(all, tokens, count)
  for (let round = 0; round < settings.rounds; round += 1)
    rounds.push({ ours: await cpuMsOf(all, tokens, count), beside: await cpuMsOf(one, own, count) })
  const ours = median(rounds.map((round) => round.ours))
  const beside = median(rounds.map((round) => round.beside))

  requests = 0
  const flood = sized(settings, 100_000, 10_000)
  const heapMb = await floodedBy(all, flood, clock)
  const what = `${flood.toLocaleString('en')} made-up organizations in 10 s`
  return [
    {
      row: 'A9',
      what: 'verify an access token, 1,000 organizations at random: CPU',
      ours: milliseconds(ours),
      beside: `one organization ${milliseconds(beside)}`,
      ratio: median(rounds.map((round) => round.ours / round.beside)),
    },
    { row: 'A9', what: `${what}: requests`, ours: `${requests} requests` },
    { row: 'A9', what: `${what}: heap`, ours: `${heapMb.toFixed(1)} MB` },
  ]
}

function claimsOf(org: string, nowMs: number) {
  const seconds = Math.floor(nowMs / 1000)
  const times = { iat: seconds, nbf: seconds, exp: seconds + 3600 }
  const user = { iss: `${baseUrl}/t/${org}`, sub: 'u1', aud: audience, dbs: 'sandbox', jtt: 'access_token' }
  return { ...user, org, tnt: org, scp: ['magic_link'], ...times }
}

/** The CPU of a verification, of tokens in random order. */
async function cpuMsOf(verifier: Verifier, tokens: readonly string[], count: number): Promise<number> {
  const order = Array.from({ length: count }, () => tokens[Math.floor(Math.random() * tokens.length)] ?? '')
  const before = process.cpuUsage()
  for (const token of order) await verifier.verifyAccessToken(token)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / count
}

/** What the heap has grown by after tokens of made-up organizations, which come within ten seconds of the verifier's clock. */
async function floodedBy(verifier: Verifier, count: number, clock: { ms: number }): Promise<number> {
  const header = partOf({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
  const before = usedHeapMb()
  for (let index = 0; index < count; index += 1) {
    const token = `${header}.${partOf(claimsOf(`made-up-${index}`, clock.ms))}.AAAA`
    await verifier.verifyAccessToken(token).catch(() => undefined)
    clock.ms += 10_000 / count
  }
  return usedHeapMb() - before
}

function partOf(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** After a collection. */
function usedHeapMb(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 1e6
}
