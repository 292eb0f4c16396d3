import type { Deps } from '../delivery/deps.js'
import { startSecretLastUse } from '../directory/application-secrets/last-use.js'
import { startLastUse } from '../tokens/api-keys/last-use.js'

/** Starts recording the last use of what authenticates requests: hooks of the app, and their end. */
export function startLastUses(deps: Pick<Deps, 'db' | 'now' | 'log'>) {
  const keys = startLastUse(deps)
  const secrets = startSecretLastUse(deps)
  return {
    hooks: { onKeyUse: (id: string) => keys.note({ id }), onSecretUse: secrets.note },
    stop: () => Promise.all([keys.stop(), secrets.stop()]),
  }
}
