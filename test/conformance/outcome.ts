import type { Check } from './check.js'
import { isJson, textOf } from './json.js'
import type { ClientSide, Issuer, Scene } from './provider.js'

const results = ['pass', 'warning', 'failure'] as const

/** What became of a check. */
export interface Outcome {
  readonly id: string
  readonly result: (typeof results)[number]
  /** Of a check that has not passed. */
  readonly message: string
}

/** Runs a check, and says what its level makes of the result. */
export async function outcomeOf({ id, level }: Check, run: () => Promise<void>): Promise<Outcome> {
  try {
    await run()
    return { id, result: 'pass', message: '' }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { id, result: level === 'must' ? 'failure' : 'warning', message }
  }
}

/** Why the result of a check fails a run of the service; undefined where it is as declared. */
export function faultOf({ allowed }: Check, { result, message }: Outcome): string | undefined {
  if (result === 'pass' && allowed !== undefined) return 'It passes: take the allowed warning away.'
  if (result === 'warning' && allowed !== undefined) return undefined
  return result === 'pass' ? undefined : message
}

/** The outcome with which a check fails no run. */
export function declaredOutcome({ id, allowed }: Check): Outcome {
  return { id, result: allowed === undefined ? 'pass' : 'warning', message: '' }
}

/** The run of a check at a provider; undefined where the provider lacks what it needs. */
export function runAt(
  check: Check,
  at: { readonly issuer: Issuer; readonly client?: ClientSide; readonly scene?: Scene },
): (() => Promise<void>) | undefined {
  const { issuer, client, scene } = at
  if (check.needs === 'issuer') return () => check.run(issuer)
  if (check.needs === 'client') return client && (() => check.run(client))
  return scene && (() => check.run(scene))
}

/** The outcomes that a run has written as JSON. */
export function readOutcomes(text: string): readonly Outcome[] {
  const read: unknown = JSON.parse(text)
  if (!Array.isArray(read)) throw new Error('the outcomes are no list')
  return read.filter(isJson).flatMap((each) => {
    const result = results.find((known) => known === each['result'])
    return result === undefined ? [] : [{ id: textOf(each, 'id'), result, message: textOf(each, 'message') }]
  })
}
