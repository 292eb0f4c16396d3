import type { consoleContract } from '@portico/contract/console'
import type { Deps } from '../../delivery/deps.js'
import type { Implementation } from './mount.js'

/** The handlers of every route of the console; fails to compile when one is missing. */
export function consoleOf(_deps: Deps): Implementation<typeof consoleContract> {
  return {}
}
