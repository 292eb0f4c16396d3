import { routes } from '@portico/contract/walk'

/** The numbers of a figure, as they are printed. */
export interface Numbers {
  readonly ours: number
  readonly beside: number
  readonly ratio: number
}

interface Bound {
  readonly text: string
  readonly isKept: (numbers: Numbers) => boolean
}

/** The bounds of the figures whose measure ends in a text. */
type Goal = readonly [end: string, ...bounds: Bound[]]

const atMost = (most: number, unit: string): Bound => ({
  text: `at most ${most} ${unit}`.trimEnd(),
  isKept: ({ ours }) => ours <= most,
})

const beyond = (most: number, unit: string, what: string): Bound => ({
  text: `at most ${most} ${unit} beyond ${what}`,
  isKept: ({ ours, beside }) => ours - beside <= most,
})

const share = (least: number, what: string): Bound => ({
  text: `at least ${least} of ${what}`,
  isKept: ({ ratio }) => ratio >= least,
})

const within = (most: number, what: string): Bound => ({
  text: `at most ${most} of ${what}`,
  isKept: ({ ratio }) => ratio <= most,
})

const between = (least: number, most: number): Bound => ({
  text: `${least} to ${most}`,
  isKept: ({ ours }) => ours >= least && ours <= most,
})

/** Every goal of the bench. A figure without one is printed for its own sake. */
const goals = {
  A1: [
    [': a second', share(0.65, 'bare')],
    [': CPU', share(0.65, 'bare'), atMost(0.38, 'ms')],
  ],
  A2: [[': CPU', atMost(1, 'ms')]],
  A3: [
    ['first page: CPU', atMost(1.2, 'ms')],
    ['cursor at 90 %: CPU', within(1.1, 'the first page')],
    ['page 300: p99 of one caller', atMost(25, 'ms')],
  ],
  A4: [[': CPU', atMost(0.7, 'ms')]],
  A5: [
    [': a second', share(0.6, 'bare')],
    [': CPU', share(0.6, 'bare'), atMost(6, 'ms')],
  ],
  A6: [
    ['to /readyz', atMost(1.5, 's')],
    ['requests', beyond(10, 'MB', 'that')],
  ],
  A7: [['', within(1.3, 'one organization')]],
  // 9.1 kB for 99 operations, and 60 bytes for each further one.
  A8: [['', atMost(Math.round(910 + 6 * (routes().length - 99)) / 100, 'kB')]],
  A9: [
    [': CPU', within(1.05, 'one organization')],
    [': requests', atMost(40, 'requests')],
    [': heap', atMost(20, 'MB')],
  ],
  A10: [[': CPU', atMost(0.05, 'ms')]],
  B1: [[': CPU', atMost(21, 'ms'), beyond(6, 'ms', 'the hash')]],
  B2: [
    [': p99', atMost(10, 'ms')],
    [': a second', share(0.5, 'idle')],
  ],
  B3: [[': CPU', atMost(2.4, 'ms')]],
  B4: [[': CPU', atMost(4.5, 'ms')]],
  B5: [['', atMost(50, 'ms')]],
  B6: [
    ['one session: CPU', within(1.15, 'the organization')],
    ['of ten: CPU', within(1.3, 'the organization')],
    ['CPU of Postgres', atMost(0.5, 'ms')],
    [': buffers', atMost(60, '')],
  ],
  B7: [[': CPU', share(0.6, 'bare')]],
  B8: [[': CPU', share(0.6, 'bare')]],
  C1: [[': CPU', atMost(6.5, 'ms')]],
  C2: [
    ['POST one user: CPU', atMost(2, 'ms')],
    ['to a large directory: CPU', within(1.1, 'a small one')],
    ['by userName: CPU', atMost(1, 'ms')],
    ['PATCH one user: CPU', atMost(2.5, 'ms')],
    ['with ten mappings: CPU', within(1.3, 'none')],
    ['members: one caller', atMost(200, 'ms')],
    ['longest wait', atMost(20, 'ms')],
  ],
  C3: [['', within(1.2, 'the beginning')]],
  D1: [[': CPU', atMost(0.45, 'ms')]],
  D2: [['', within(2, 'none')]],
  D3: [['', share(0.6, 'bare')]],
  D4: [['', beyond(2, 's', 'the lease')]],
  D5: [['', within(1.2, 'one account')]],
  E1: [
    [': p99', within(5, 'the median')],
    [': failures', atMost(0, 'requests')],
    [': memory', beyond(10, 'MB', 'that')],
  ],
  E2: [['', within(1.2, 'the small one')]],
  E3: [['', within(1.05, 'one process')]],
  F1: [['', atMost(8, 's')]],
  F2: [['', atMost(4, 'min')]],
  K1: [
    [': CPU', atMost(8, 'ms')],
    [': HTML', atMost(45, 'kB')],
  ],
  K2: [
    [': CPU', atMost(20, 'ms')],
    [': HTML', atMost(45, 'kB')],
  ],
  R1: [['', within(1.3, 'GET one user')]],
  R2: [['', within(1.1, 'none')]],
  R3: [['', within(2, 'idle')]],
  S1: [
    ['a second', share(1.8, 'one')],
    ['CPU of the process', within(1.05, 'one')],
    ['CPU of the servers', within(1.05, 'one')],
    ['share of the first', between(0.45, 0.55)],
  ],
  S2: [],
  P1: [['POST one user: CPU', within(0.33, 'theirs')]],
  P2: [],
  P3: [
    ['SAML response: CPU', within(0.99, 'theirs')],
    ['SCIM, POST one user: CPU', within(0.5, 'theirs')],
  ],
} as const satisfies Readonly<Record<string, readonly Goal[]>>

export type RowName = keyof typeof goals

/** In the order of the page. */
export const rowNames: readonly RowName[] = Object.keys(goals).filter(isRowName)

export function isRowName(text: string): text is RowName {
  return text in goals
}

/** Whether a row is a comparison with another service, which is run when it is asked for. */
export function isPeerRow(row: string): boolean {
  return row.startsWith('P')
}

/** What a figure has to keep, in words; and whether it does: undefined where it could not be measured here. */
export function judge(
  row: RowName,
  what: string,
  numbers: Numbers,
): { goal: string; isMet: boolean | undefined } | undefined {
  const own: readonly Goal[] = goals[row]
  const [, ...bounds] = own.find(([end]) => what.endsWith(end)) ?? ['']
  if (bounds.length === 0) return undefined
  const isMet = Number.isNaN(numbers.ours) ? undefined : bounds.every(({ isKept }) => isKept(numbers))
  return { goal: bounds.map(({ text }) => text).join(', '), isMet }
}
