import { styleText } from 'node:util'
import { nameOfPath } from '../operations/promotion/address.js'
import type { AppliedPlan } from '../operations/promotion/apply.js'
import type { Applied } from '../operations/promotion/history.js'
import type { PlanStep } from '../operations/promotion/plan.js'
import { table, type OutputOptions } from './output.js'

const signs = { create: '+', update: '~', delete: '-' } as const
const colors = { create: 'green', update: 'yellow', delete: 'red' } as const

interface Reviewed {
  readonly account: string
  readonly environment: string
}

/** The steps of a plan, one thing at a time, for a person's review. */
export function planLines(
  { steps, breaking }: AppliedPlan,
  { account, environment, terminal: { hasColors } }: Pick<OutputOptions, 'terminal'> & Reviewed,
): string[] {
  const of = `the ${environment} of ${account}`
  if (steps.length === 0) return [`Nothing differs in ${of}.`]
  const count = (action: PlanStep['action']) => steps.filter((step) => step.action === action).length
  const counts = `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete`
  const lines = steps.flatMap((step) => [
    ...stepLines(step, hasColors),
    ...breaking
      .filter(({ path }) => nameOfPath(path) === nameOfPath(step.path))
      .map(({ roles, users }) => `    breaking: ${counted(roles, 'role')}, ${counted(users, 'user')}`),
  ])
  return [...lines, '', `${counts} in ${of}.`]
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** Existing things that the file does not cover. */
export function leftAloneLines({ leftAlone }: AppliedPlan): string[] {
  return leftAlone.map((path) => `  ${nameOfPath(path)} is not in the file, and left alone.`)
}

/** Changes that cannot be undone: their organization is deleted, or another thing has their name. */
export function skippedLines({ leftAlone, replaced }: AppliedPlan): string[] {
  return [
    ...leftAlone.map((path) => `  ${nameOfPath(path)} is of an organization that is gone, and left alone.`),
    ...replaced.map(
      (path) => `  ${nameOfPath(path)} is another one than was changed, and left alone: look at it yourself.`,
    ),
  ]
}

/** A line for each apply. */
export function historyLines(applies: readonly Applied[]): string[] {
  if (applies.length === 0) return ['Nothing was applied here.']
  const rows = applies.map(({ id, action, applied_at, actor_id, steps }) => [
    id,
    applied_at,
    actor_id,
    action,
    Object.entries(signs)
      .map(([name, sign]) => `${sign}${steps.filter((step) => step.action === name).length}`)
      .join(' '),
  ])
  return table(['ID', 'AT', 'BY', 'ACTION', 'CHANGES'], rows)
}

function stepLines({ action, path, before, after }: PlanStep, hasColors: boolean): string[] {
  const line = `${signs[action]} ${nameOfPath(path)}`
  const head = hasColors ? styleText(colors[action], line) : line
  if (action === 'delete') return [head, '    Its id and its secrets do not come back.']
  const names = Object.keys({ ...before, ...after })
  return [head, ...names.map((name) => `    ${name}: ${valueOf(name, before, after)}`)]
}

function valueOf(name: string, before: PlanStep['before'], after: PlanStep['after']): string {
  const is = JSON.stringify(after?.[name])
  return before === null ? is : `${JSON.stringify(before[name])} → ${is}`
}
