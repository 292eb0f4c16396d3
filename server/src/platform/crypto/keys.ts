import type { KeyObject } from 'node:crypto'
import type { MasterKeys } from './seal.js'

/** What the service seals with, and the private keys it has opened with that. */
export interface Keys {
  readonly master: MasterKeys
  /** By kid. */
  readonly privateKeys: Map<string, KeyObject>
}
