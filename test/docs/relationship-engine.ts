import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atFileEnd } from '../file-end.js'

interface Tuple {
  readonly user: string
  readonly relation: string
  readonly object: string
}

const keyOf = ({ user, relation, object }: Tuple) => `${user} ${relation} ${object}`

/** A relationship engine: reads and writes in the form of OpenFGA, all of a write or nothing, and evaluations in that of AuthZEN. */
export async function startRelationshipEngine() {
  let tuples: readonly Tuple[] = []
  const token = 'engine-secret'
  const pageSize = 2

  const matches = (of: Partial<Tuple>) => (tuple: Tuple) =>
    (of.user === undefined || of.user === tuple.user) &&
    (of.relation === undefined || of.relation === tuple.relation) &&
    (of.object === undefined ||
      (of.object.endsWith(':') ? tuple.object.startsWith(of.object) : of.object === tuple.object))

  /** Directly, or as one of a set such as `role:a/clerk#assignee`. */
  const has = (user: string, relation: string, object: string): boolean =>
    tuples.filter(matches({ relation, object })).some((tuple) => {
      const [set = '', member] = tuple.user.split('#')
      return member === undefined ? set === user : has(user, member, set)
    })

  // Bodies are what the example sends, and what tests do.
  const answers: Readonly<Record<string, (body: never) => object | undefined>> = {
    '/read': ({
      tuple_key,
      continuation_token: at = '0',
    }: {
      tuple_key: Tuple
      continuation_token?: string
    }) => {
      const all = tuples.filter(matches(tuple_key))
      const end = Number(at) + pageSize
      const page = all.slice(Number(at), end).map((key) => ({ key }))
      return { tuples: page, continuation_token: end < all.length ? String(end) : '' }
    },
    '/write': ({ writes, deletes }: Record<'writes' | 'deletes', { tuple_keys: Tuple[] } | undefined>) => {
      const [added, gone] = [writes?.tuple_keys ?? [], (deletes?.tuple_keys ?? []).map(keyOf)]
      const known = new Set(tuples.map(keyOf))
      const isPossible =
        added.every((tuple) => !known.has(keyOf(tuple))) && gone.every((key) => known.has(key))
      if (!isPossible || added.length + gone.length > 100) return undefined
      tuples = [...tuples.filter((tuple) => !gone.includes(keyOf(tuple))), ...added]
      return {}
    },
    '/access/v1/evaluation': ({
      subject,
      action,
      resource,
    }: Record<string, { id: string; type: string; name: string }>) => ({
      decision: has(
        `user:${subject?.id ?? ''}`,
        action?.name ?? '',
        `${resource?.type ?? ''}:${resource?.id ?? ''}`,
      ),
    }),
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const isKnown = request.headers.authorization === `Bearer ${token}`
      const answer = isKnown
        ? answers[request.url ?? '']?.(JSON.parse(Buffer.concat(chunks).toString()) as never)
        : undefined
      response.writeHead(answer === undefined ? 400 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? { code: 'refused' }))
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  atFileEnd(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { store: { url: `http://127.0.0.1:${String(port)}`, token }, tuplesOf: () => tuples.map(keyOf) }
}
