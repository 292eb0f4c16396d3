/** A relationship, in the form of OpenFGA: `user:<id>` is `member` of `group:<id>`. */
export interface Tuple {
  readonly user: string
  readonly relation: string
  readonly object: string
}

export interface Engine {
  /** The tuples with these members; the type of an object, such as `group:`, is enough. */
  read(of: Partial<Tuple>): Promise<Tuple[]>
  /** Changes all of these or nothing; what is there is not written again, and what is not there not deleted. */
  write(change: { readonly writes: readonly Tuple[]; readonly deletes: readonly Tuple[] }): Promise<void>
}

/** The most tuples that the engine changes in one request. */
export const maxTuplesOfWrite = 100

/** An engine with the API of OpenFGA. */
export function openFga(store: { readonly url: string; readonly token: string }): Engine {
  async function post(path: string, body: object): Promise<unknown> {
    const answer = await fetch(`${store.url}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${store.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }

  return {
    async read(of) {
      const all: Tuple[] = []
      for (let token = ''; ;) {
        // The answer of a read, as OpenFGA documents it.
        const page = (await post('read', {
          tuple_key: of,
          page_size: maxTuplesOfWrite,
          ...(token !== '' && { continuation_token: token }),
        })) as { tuples: { key: Tuple }[]; continuation_token: string }
        all.push(...page.tuples.map(({ key: { user, relation, object } }) => ({ user, relation, object })))
        if (page.continuation_token === '') return all
        token = page.continuation_token
      }
    },
    async write({ writes, deletes }) {
      await post('write', {
        ...(writes.length > 0 && { writes: { tuple_keys: writes } }),
        ...(deletes.length > 0 && { deletes: { tuple_keys: deletes } }),
      })
    },
  }
}
