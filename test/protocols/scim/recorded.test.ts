import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startService } from '../../given/harness.js'
import { scimGivenOf } from '../../given/scim-given.js'

/** The recorded requests of a product in order, with the answers that it needs. */
interface Recording {
  readonly provider_type: 'okta' | 'entra_id'
  readonly steps: readonly {
    readonly does: string
    /** Method and path. {name} is an id saved by an earlier step under this name. */
    readonly request: string
    readonly body?: unknown
    readonly status: number | readonly number[]
    /** The expected part of the answer. */
    readonly answer?: unknown
    /** The name under which the id in the answer is saved. */
    readonly keep?: string
  }[]
}

const service = await startService()
const client = await service.client()

test.each([
  ['Okta, with its groups', 'okta'],
  ['Entra ID without its compliance flag', 'entra-id'],
  ['Entra ID with its compliance flag', 'entra-id-compliant'],
])('%s provisions, changes and deprovisions', async (_product, name) => {
  const { provider_type, steps } = recording(name)
  const { scim } = await scimGivenOf(client).directory({ provider_type })
  const ids = new Map<string, string>()

  for (const { does, request, body, status, answer, keep } of steps) {
    const fill = <Value>(value: Value): Value => withIds(value, ids)
    const [method = '', path = ''] = fill(request).split(' ')
    const answered = await scim(method, path, body === undefined ? {} : { body: fill(body) })

    const statuses = typeof status === 'number' ? [status] : [...status]
    expect({ does, ...answered }).toMatchObject({
      does,
      status: expect.toBeOneOf(statuses) as unknown,
      ...(answer !== undefined && { body: fill(answer) }),
    })
    if (keep !== undefined) ids.set(keep, (answered.body as { id: string }).id)
  }
})

function recording(name: string): Recording {
  return JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')) as Recording
}

function withIds<Value>(value: Value, ids: ReadonlyMap<string, string>): Value {
  const text = JSON.stringify(value).replace(/\{(\w+)\}/g, (all, name: string) => ids.get(name) ?? all)
  return JSON.parse(text) as Value
}
