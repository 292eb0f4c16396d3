// Takes about 20 s: each released operation is called in a world of its own, unless it only reads.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../given/harness.js'
import type { References } from '../given/request-of.js'
import { createWorld, createWorldOf, freshMembers } from '../given/world.js'
import { protocolCalls, type ProtocolCall } from './protocol-calls.js'
import { lastRelease, type Released, type ReleasedOperation } from './released.js'

type Method = (input: object, options?: { headers: Readonly<Record<string, string>> }) => Promise<unknown>

/** The parts of a released SDK used here; its methods are named by the released contract. */
interface ReleasedSdk {
  createClient(options: object): Readonly<Record<string, Readonly<Record<string, Method>>>>
  readonly ApiError: new () => Error & { readonly status: number; readonly code: string }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const released = await lastRelease()
const operations = Object.entries(released.operations)

let service: Service
let folder: string
let sdk: ReleasedSdk
let client: ReturnType<ReleasedSdk['createClient']>
let protocol: (name: string) => Promise<ProtocolCall>
let judges: Ajv2020
/** The status of the last answer to the SDK. */
let lastStatus: number | undefined
/** Objects shared by operations that change nothing. */
let common: References

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-released-'))
  const archive = join(root, `sdk/released/portico-sdk-${released.version}.tgz`)
  await promisify(execFile)('tar', ['-xzf', archive, '-C', folder])
  // The exports are not checked: a missing one fails at its call.
  sdk = (await import(pathToFileURL(join(folder, 'package/dist/index.mjs')).href)) as ReleasedSdk

  service = await startService()
  const key = await service.apiKey({ name: 'of a program that was written for the release' })
  client = sdk.createClient({
    baseUrl: service.baseUrl,
    domain: service.account.domain,
    clientId: key.client_id,
    clientSecret: key.client_secret,
    maxRetries: 0,
    fetch: async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request)
      lastStatus = response.status
      return response
    },
  })
  protocol = await protocolCalls(service, { ...key, domain: service.account.domain })
  common = await createWorld(service)
  // A program leaves events of codes alone that came after its release.
  await service.query('delete from events where code <> all($1)', [Object.keys(released.events)])
  judges = judgesOf(released)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the released SDK', () => {
  test.each(operations)('%s answers what was released', async (name, operation) => {
    const { input, options } =
      operation.access.auth === 'none' ? await protocol(name) : await inputOf(name, operation)

    const answer = await methodOf(name)(input, options)

    expect(lastStatus).toBe(operation.success.status)
    expect(faultsOf(name, answer)).toEqual([])
  })

  /** UserInfo returns the same refusal for existing and missing organizations (decision 4). */
  const tellsNoOrganization = /^oidc\..*userInfo$/i
  const inOrganizations = operations.filter(
    ([name, { path, errorCodes }]) =>
      path.includes(':org_domain') &&
      errorCodes.includes('organization_not_found') &&
      !tellsNoOrganization.test(name),
  )

  test('is refused by each operation with the code and the status that were released', async () => {
    expect(inOrganizations.length).toBeGreaterThan(20)
    for (const [name, operation] of inOrganizations) {
      const input = membersFor(name, operation, { ...common, org_domain: 'missing' })
      const refusal: unknown = await methodOf(name)(input).catch((error: unknown) => error)

      expect(refusal, name).toBeInstanceOf(sdk.ApiError)
      const { status } = released.errorCodes['organization_not_found'] ?? {}
      expect(refusal, name).toMatchObject({ code: 'organization_not_found', status })
    }
  })
})

test('an answer without a member that was released, or with another type of it, is found', () => {
  const answer = { __type__: 'ApiToken', access_token: 'a', token_type: 'Bearer', expires_in: 1, scope: '' }
  expect(faultsOf('oauth.apiToken', { ...answer, new_since_then: true })).toEqual([])

  const { scope: _, ...shorter } = answer
  expect(faultsOf('oauth.apiToken', shorter)).toEqual([expect.stringContaining("'scope'")])
  expect(faultsOf('oauth.apiToken', { ...answer, expires_in: '1' })).toEqual([
    expect.stringContaining('/expires_in must be integer'),
  ])
})

function methodOf(name: string): Method {
  const [resource = '', verb = ''] = name.split('.')
  const method = client[resource]?.[verb]
  if (method === undefined) throw new Error(`the released SDK has no ${name}`)
  return method
}

async function inputOf(name: string, operation: ReleasedOperation): Promise<ProtocolCall> {
  const [resource = '', verb = ''] = name.split('.')
  // Reading operations share objects, except those of the second factor, which need a specific state.
  const isShared = operation.method === 'GET' && resource !== 'totp'
  const takes = membersOf(operation)
  const world = isShared ? common : await createWorldOf({ name, resource, verb, takes }, service)
  return { input: membersFor(name, operation, world) }
}

/** The released sample with references to these objects. */
function membersFor(name: string, operation: ReleasedOperation, world: References): Record<string, unknown> {
  const { path, query, body } = operation.inputs
  // For a list, the references are only filters.
  const isList = query?.properties !== undefined && 'page' in query.properties
  const places = [path, body, ...(isList ? [] : [query])]
  const taken = places.flatMap((place) => Object.keys(place?.properties ?? {}))
  const referred = Object.entries(world).filter(([member]) => taken.includes(member))
  return { ...operation.sampleBody, ...Object.fromEntries(referred), ...freshMembers(name) }
}

function membersOf({ inputs }: ReleasedOperation): string[] {
  return Object.values(inputs).flatMap((schema) => Object.keys(schema?.properties ?? {}))
}

/** The released schemas, compiled by an independent library. */
function judgesOf({ operations, schemas }: Released): Ajv2020 {
  // References are kept, because events refer to all other records, and inlining triples the time.
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } })
  formats.default(ajv)
  const successes = Object.entries(operations).map(([name, { success }]) => [name, success.schema])
  return ajv.addSchema({
    $id: 'released',
    components: { schemas },
    successes: Object.fromEntries(successes),
  })
}

/** The violations of the released schema in an answer. */
function faultsOf(name: string, answer: unknown): string[] {
  const judge: ValidateFunction | undefined = judges.getSchema(`released#/successes/${name}`)
  if (judge === undefined) throw new Error(`${name} has no released schema`)
  judge(answer)
  return (judge.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
