/** What a change does to programs that were written for the contract of before. */
export type Level = 'breaking' | 'additive' | 'documentation'

/** One difference of two contracts, as callers meet it. */
export interface Change {
  readonly level: Level
  /** The operation, record, code or token that a changelog names. */
  readonly subject: string
  /** The place in it, such as body.email; empty when it is all of it. */
  readonly where: string
  readonly what: string
  /** What it means for callers. */
  readonly meaning: string
  /** Until this day, as a deprecation promised, it stays: YYYY-MM-DD. */
  readonly promisedUntil?: string | undefined
}

/** A difference of a schema, which does not know what it belongs to. */
export type SchemaChange = Omit<Change, 'subject'>

/** One line of the report. */
export function lineOf({ subject, where, what, meaning }: Change): string {
  return `${[subject, where].filter(Boolean).join(' ')} ${what}: ${meaning}`
}

const order: readonly Level[] = ['breaking', 'additive', 'documentation']

/** Whether the first is the graver of two levels. */
export function isGraver(one: Level, other: Level): boolean {
  return order.indexOf(one) < order.indexOf(other)
}

export function change(level: Level, where: string, what: string, meaning: string): SchemaChange {
  return { level, where, what, meaning }
}
