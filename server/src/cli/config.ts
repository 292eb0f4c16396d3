import type { Environment } from '@portico/contract/fields'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { Option, type Command } from 'commander'
import { getAccount } from '../operations/accounts/list-accounts.js'
import type { Deps } from '../delivery/deps.js'
import { applyChanges, dryRunChanges, type AppliedPlan, type Planner } from '../operations/promotion/apply.js'
import { findOrganizations, readConfiguration, type Scope } from '../operations/promotion/configuration.js'
import { readConfigurationFile, writeConfiguration } from '../operations/promotion/file.js'
import { listApplies, type AppliedAction } from '../operations/promotion/history.js'
import { withFilePositions, plannerOfFile, plannerOfRollback } from '../operations/promotion/promotion.js'
import type { Cause } from '../platform/tenant.js'
import { confirm } from './confirm.js'
import { skippedLines, historyLines, leftAloneLines, planLines } from './config-lines.js'
import { print, withProgress, type OutputOptions } from './output.js'
import { toEnvironment, toId, toList } from './values.js'
import { withDeps } from './with-deps.js'

interface ScopeOptions extends OutputOptions {
  readonly account: string
  readonly environment: Environment
}

interface PlanOptions extends ScopeOptions {
  readonly prune?: boolean
}

const allowBreaking = 'also where permissions or roles go that products and users may rely on'

/** portico config pull, plan, apply, rollback and history */
export function define(command: Command): void {
  scopeOptions(command.command('pull').description('write the configuration of an environment as YAML'))
    .option('--organization <domains>', 'these organizations alone, commas between', toList)
    .option('--out <file>', 'a file, whose overrides stay when it is there already; stdout when not given')
    .action(pull)
  scopeOptions(command.command('plan').description('show what a file would change; exit code 2 if anything'))
    .argument('<file>', 'a file that portico config pull wrote')
    .option('--prune', 'delete what the sections of the file do not have')
    .action(plan)
  scopeOptions(
    command.command('apply').description('change an environment into what a file says, in one transaction'),
  )
    .argument('<file>', 'a file that portico config pull wrote')
    .option('--prune', 'delete what the sections of the file do not have')
    .option('--plan <file>', 'what portico config plan --json wrote: refused when anything has changed since')
    .option('--allow-breaking', allowBreaking)
    .option('--yes', 'do it without asking')
    .action(apply)
  scopeOptions(command.command('rollback').description('take back what the newest apply has changed'))
    .addOption(
      new Option('--to <id>', 'everything that was applied after this one')
        .argParser(toId)
        .conflicts('before'),
    )
    .option('--before <id>', 'this one, and everything that was applied after it', toId)
    .option('--allow-breaking', allowBreaking)
    .option('--yes', 'do it without asking')
    .action(rollback)
  scopeOptions(command.command('history').description('list what was applied, the newest first')).action(
    history,
  )
}

function scopeOptions(command: Command): Command {
  return command
    .requiredOption('--account <domain>', 'the account')
    .requiredOption('--environment <environment>', 'sandbox or production', toEnvironment)
    .option('--json', 'answer as JSON')
}

async function pull(options: ScopeOptions & { organization?: string[]; out?: string }): Promise<void> {
  const { out, organization: domains } = options
  const before =
    out !== undefined && existsSync(out) ? { name: out, text: await readFile(out, 'utf8') } : undefined
  const pulled = await withScope(options, async (deps, scope) => {
    const { present } = await withProgress(options, 'Pull', (onProgress) =>
      readConfiguration(deps, scope, domains, onProgress),
    )
    const organizations = (await findOrganizations(deps, scope, domains)).map(({ domain }) => domain)
    return { text: writeConfiguration(present, scope, organizations, before), things: present.length }
  })
  if (out === undefined) {
    print(options, pulled, () => [pulled.text.trimEnd()])
    return
  }
  await writeFile(out, pulled.text)
  print(options, { file: out, things: pulled.things }, () => [`Wrote ${pulled.things} things to ${out}.`])
}

async function plan(path: string, options: PlanOptions): Promise<void> {
  const carried = await withScope(options, async (deps, scope) => {
    const { file, planner } = await readPlanner(path, options, scope)
    return withFilePositions(file, () => dryRunChanges(deps, scope, planner))
  })
  print(options, carried, () => [...planLines(carried, options), ...leftAloneLines(carried)])
  if (carried.steps.length > 0) options.terminal.exitCode = 2
}

async function apply(path: string, options: PlanOptions & ApplyOptions): Promise<void> {
  await withScope(options, async (deps, scope) => {
    const { file, planner } = await readPlanner(path, options, scope)
    await withFilePositions(file, () =>
      showAndApply(deps, { ...options, scope, planner, action: 'apply' }, leftAloneLines),
    )
  })
}

async function rollback(
  options: ScopeOptions & ApplyOptions & { to?: string; before?: string },
): Promise<void> {
  const { to, before } = options
  const extent = to !== undefined ? { after: to } : before !== undefined ? { before } : undefined
  await withScope(options, async (deps, scope) => {
    const planner = plannerOfRollback(scope, extent)
    await showAndApply(deps, { ...options, scope, planner, action: 'rollback' }, skippedLines)
  })
}

async function history(options: ScopeOptions): Promise<void> {
  const applies = await withScope(options, listApplies)
  print(options, applies, () => historyLines(applies))
}

interface ApplyOptions {
  readonly plan?: string
  readonly allowBreaking?: boolean
  readonly yes?: boolean
}

interface Order extends ScopeOptions, ApplyOptions {
  readonly scope: Scope
  readonly planner: Planner
  readonly action: AppliedAction
}

async function showAndApply(
  deps: Deps,
  order: Order,
  otherLines: (carried: AppliedPlan) => string[],
): Promise<void> {
  const { scope, planner, action } = order
  const carried = await dryRunChanges(deps, scope, planner)
  const digest = order.plan === undefined ? carried.digest : await digestOf(order.plan)
  if (carried.steps.length === 0 && digest === carried.digest) {
    // Outside of the tried transaction, so that the names that the file relies on are kept.
    await planner(deps)
    print(order, { id: null, ...carried }, () => [...planLines(carried, order), ...otherLines(carried)])
    return
  }
  if (!order.json) print(order, undefined, () => [...planLines(carried, order), ...otherLines(carried)])
  if (carried.breaking.length > 0 && order.allowBreaking !== true)
    throw new Error(
      'The plan takes permissions or roles away, and nothing was done: what says breaking above needs --allow-breaking.',
    )
  if (order.yes !== true) await confirm(order, `Change the ${order.environment} of ${order.account}?`)
  const { id } = await applyChanges(deps, scope, planner, { digest, action })
  print(order, { id, ...carried }, () => [
    `Done: ${id}. portico config rollback takes the newest back, portico config history shows all.`,
  ])
}

async function readPlanner(
  path: string,
  { environment, prune: isPruned = false }: PlanOptions,
  scope: Scope,
) {
  const file = readConfigurationFile(path, await readFile(path, 'utf8'), environment)
  return { file, planner: plannerOfFile(scope, file, isPruned) }
}

async function digestOf(path: string): Promise<string> {
  const parsed: unknown = JSON.parse(await readFile(path, 'utf8'))
  const isPlan = typeof parsed === 'object' && parsed !== null && 'digest' in parsed
  if (!isPlan) throw new Error(`${path} is no plan: portico config plan --json writes one.`)
  return String(parsed.digest)
}

function withScope<Result>(
  options: ScopeOptions,
  work: (deps: Deps, scope: Scope) => Promise<Result>,
): Promise<Result> {
  const { account, environment } = options
  return withDeps(options, async (deps, cause: Cause) =>
    work(deps, { account: await getAccount(deps, account), environment, cause }),
  )
}
