import type { KeyObject } from 'node:crypto'
import type { MasterKeys } from './seal.js'

/** The master keys, and the private keys that were opened with them. */
export interface Keys {
  readonly master: MasterKeys
  /** By kid. */
  readonly privateKeys: Map<string, KeyObject>
}
