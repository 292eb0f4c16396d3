import { beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../given/harness.js'
import type { References } from '../given/request-of.js'
import { scimGivenOf } from '../given/scim-given.js'
import { createWorld } from '../given/world.js'
import { abuses } from './abuses.js'
import { senderTo, type Send, type Sent, type Target } from './target.js'
import { contractTargets, pageTargets, scimTargets } from './targets.js'

// A refused request takes at most 25 ms of CPU on an idle machine; the results are printed. The failing limit is higher,
// because the sender is in the same process, and other load slows a core down.
const budgetMs = 25
const boundMs = 4 * budgetMs
const rounds = 15

let service: Service
let world: References
let token: string
let send: Send
let scim: Target[]

beforeAll(async () => {
  service = await startService({ variables: { LOG_LEVEL: 'error' } })
  world = await createWorld(service)
  token = await service.token()
  send = senderTo(service.port)
  const { directory, secret } = await scimGivenOf(await service.client()).directory()
  scim = scimTargets(directory.scim_base_url, secret, '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46')
})

/** One target per kind of body reader. */
const readers = [
  ['POST of the API', () => named(contractTargets({ world, spare: world }, token), 'users.create')],
  ['a file', () => named(contractTargets({ world, spare: world }, token), 'ssoConnections.update')],
  ['OAuth', () => named(contractTargets({ world, spare: world }, token), 'oauth.organizationToken')],
  ['UserInfo', () => named(contractTargets({ world, spare: world }, token), 'oidc.postUserInfo')],
  ['a SCIM user', () => named(scim, 'SCIM POST /Users')],
  ['a SCIM patch', () => named(scim, 'SCIM PATCH /Users/:id')],
  ['a SCIM group', () => named(scim, 'SCIM POST /Groups')],
  ['a SCIM search', () => named(scim, 'SCIM POST /Users/.search')],
  ['a SAML response', () => named(pageTargets(service, world), 'POST /saml/:idp_id/acs')],
  ['an upload', () => named(pageTargets(service, world), 'POST /onboarding/:idp_id/:page')],
  ['an authorization request', () => named(pageTargets(service, world), 'POST /t/:org_domain/authorize')],
] as const satisfies readonly (readonly [string, () => Target])[]

function named(targets: readonly Target[], name: string): Target {
  const target = targets.find((one) => one.name === name)
  if (target === undefined) throw new Error(`there is no ${name}`)
  return target
}

/** Bodies of 1 MB within the limits of the reader that the operation refuses. */
const withinBounds: Readonly<Record<string, (target: Target) => string>> = {
  'objects without members': () => `{"x":[${'{},'.repeat(110_000)}{}]}`,
  'objects of 1,000 names': () => `{"x":[${`${objectOf(900)},`.repeat(100)}{}]}`,
  'objects of 100 names': () => `{"x":[${`${objectOf(100)},`.repeat(950)}{}]}`,
  'objects of four names': () => `{"x":[${`${objectOf(4)},`.repeat(25_000)}{}]}`,
  'a name of 900,000 characters': () => `{"${'x'.repeat(900_000)}":1}`,
  'a text of 900,000 characters': () => `{"userName":"${'x'.repeat(900_000)}"}`,
  'a number of 900,000 digits': () => `{"userName":${'9'.repeat(900_000)}}`,
  'as many members as there may be': () =>
    `{"displayName":"","members":[${'{"value":"x","display":"y","type":"z"},'.repeat(19_000)}{}]}`,
  'a path of 900,000 brackets': () =>
    `{"Operations":[{"op":"replace","path":"${'['.repeat(900_000)}","value":1}]}`,
  'a filter of 450,000 words': () => `{"filter":"${'a '.repeat(450_000)}"}`,
  'names of 980 brackets': () =>
    `{${Array.from({ length: 900 }, (_, index) => `"${'['.repeat(980)}${index}":1`).join(',')}}`,
  '900,000 spaces': () => `{${' '.repeat(900_000)}"x":1}`,
}

function objectOf(names: number): string {
  return `{${Array.from({ length: names }, (_, index) => `"n${index}":1`).join(',')}}`
}

describe.each(readers)('of %s', (reader, targetOf) => {
  test('each request that is refused costs little CPU, which is printed', async () => {
    const target = targetOf()
    const more = Object.entries(withinBounds).map(([name, bodyOf]): [string, Sent | undefined] => {
      const { method, path, headers } = target
      const body = bodyOf(target)
      const isRead = target.reads.includes('json') && body.length < target.maxBytes
      const sent = { method, path, headers: { ...headers, 'content-type': target.jsonType }, body }
      return [name, isRead ? sent : undefined]
    })
    const costs: [string, number][] = []
    for (const [name, sent] of [
      ...abuses.map((abuse) => [abuse.name, abuse.sentTo(target)] as const),
      ...more,
    ]) {
      const cost = sent && (await costOf(sent))
      if (cost !== undefined) costs.push([name, cost])
    }
    costs.sort(([, a], [, b]) => b - a)
    const lines = costs.map(([name, ms]) => `${ms.toFixed(1).padStart(7)} ms  ${name}`)
    process.stdout.write(`\nCPU of ${reader}, at least of ${rounds}:\n${lines.slice(0, 12).join('\n')}\n`)
    expect(costs.filter(([, ms]) => ms > boundMs)).toEqual([])
  })
})

/** The minimum CPU time of several requests in ms; undefined if they are not refused. */
async function costOf(sent: Sent): Promise<number | undefined> {
  let least = Infinity
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage()
    const { status } = await send(sent)
    const { user, system } = process.cpuUsage(before)
    if (status < 400) return undefined
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
