import { beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../given/harness.js'
import type { References } from '../given/request-of.js'
import { scimGivenOf } from '../given/scim-given.js'
import { createWorld } from '../given/world.js'
import { sampled } from '../sampled.js'
import { senderTo, type Send, type Target } from './target.js'
import { contractTargets, pageTargets, scimTargets } from './targets.js'
import { faultsOf } from './walk.js'

let service: Service
let world: References
/** Objects for requests that change something, so that reading requests still find all others. */
let spare: References
let token: string
let send: Send
let secret: string
let scimBaseUrl: string
let userId: string

beforeAll(async () => {
  service = await startService()
  world = await createWorld(service)
  spare = await createWorld(service)
  token = await service.token()
  send = senderTo(service.port)
  const { directory, secret: given, scim } = await scimGivenOf(await service.client()).directory()
  secret = given
  scimBaseUrl = directory.scim_base_url
  const made = await scim('POST', '/Users', { body: { userName: 'ada@awesome.example' } })
  userId = (made.body as { id: string }).id
})

const families: readonly (readonly [string, () => Target[]])[] = [
  ['every route of the contract', () => contractTargets({ world, spare }, token)],
  ['SCIM', () => scimTargets(scimBaseUrl, secret, userId)],
  ['every path of the pages, files and documents', () => pageTargets(service, world)],
]

test.each(sampled(families, 2))(
  '%s: each abuse gets an answer that is declared, and one that cannot be taken a refusal',
  async (_family, targetsOf) => {
    const logged = service.logLines.length

    expect(await faultsOf(targetsOf(), send)).toEqual([])

    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(service.logLines.slice(logged).filter((line) => line.includes('"level":"error"'))).toEqual([])
  },
  // Thousands of requests.
  300_000,
)
