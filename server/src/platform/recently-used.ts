/**
 * Caches a value as the most recently used one, and evicts the least recently used one beyond `most`.
 *
 * @returns the value
 */
export function keepRecentlyUsed<Key, Value>(
  kept: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): Value {
  // A Map keeps the order of insertion: an entry that is deleted and set is its last.
  kept.delete(key)
  kept.set(key, value)
  if (kept.size > most) {
    const [oldest] = kept.keys()
    if (oldest !== undefined) kept.delete(oldest)
  }
  return value
}

/** Values of many owners, of which those with few do not lose theirs by those with many. */
export interface SharedPlaces<Value> {
  get(owner: string, key: string): Value | undefined
  keep(owner: string, key: string, value: Value): Value
}

/** Makes a cache in which, beyond `most`, the owner of most values loses its least recently used one. */
export function shareAmongOwners<Value>(most: number): SharedPlaces<Value> {
  const owners = new Map<string, Map<string, Value>>()
  let count = 0
  return {
    get: (owner, key) => owners.get(owner)?.get(key),
    keep(owner, key, value) {
      const own = owners.get(owner) ?? new Map<string, Value>()
      owners.set(owner, own)
      if (!own.has(key)) count += 1
      keepRecentlyUsed(own, key, value, Number.POSITIVE_INFINITY)
      if (count > most) {
        const [largest] = [...owners.values()].toSorted((a, b) => b.size - a.size)
        const [oldest] = largest?.keys() ?? []
        if (oldest !== undefined) largest?.delete(oldest)
        count -= 1
      }
      return value
    },
  }
}
