import type { Edit } from '../guards/repository-copy.js'
import type { NamedTest } from '../guards/vitest-run.js'
import type { Consequences } from './consequences.js'

/** An edit of the contract, and exactly the failures that it causes. */
export interface Drift extends Consequences {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Tests of the service that fail, too. */
  readonly service?: readonly NamedTest[]
  /** Tests of the service that cover the edit and pass. */
  readonly holds?: readonly NamedTest[]
}

/** Files in docs generated from operations and records. */
export const documents = ['docs/openapi-3.0.json', 'docs/openapi.json']

/** Generated files of the SDK. */
export const client = ['sdk/src/generated-examples.ts', 'sdk/src/generated.ts']
