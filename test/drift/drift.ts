import type { Edit } from '../guards/repository-copy.js'
import type { NamedTest } from '../guards/vitest-run.js'
import type { Consequences } from './consequences.js'

/** An edit of the contract, and exactly what goes red. */
export interface Drift extends Consequences {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Tests of the service that go red as well. */
  readonly service?: readonly NamedTest[]
  /** Tests of the service that have something to say of it, and hold. */
  readonly holds?: readonly NamedTest[]
}

/** What is built in docs from every operation and record. */
export const documents = ['docs/openapi-3.0.json', 'docs/openapi.json']

/** What the SDK knows of them. */
export const client = ['sdk/src/generated-examples.ts', 'sdk/src/generated.ts']
