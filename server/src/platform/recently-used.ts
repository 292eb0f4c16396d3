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
