import { InvalidArgumentError, type Command } from 'commander'
import { createAccount, type Plan } from '../operations/accounts/accounts.js'
import { listAccounts } from '../operations/accounts/list-accounts.js'
import { grouped, print, table, type OutputOptions } from './output.js'
import { withDeps } from './with-deps.js'

/** portico account create, portico account list */
export function define(command: Command): void {
  command
    .command('create')
    .description('create an account: a customer of this service, with its own keys and organizations')
    .argument('<name>', 'its name, from which its domain is made', toName)
    .option('--plan <plan>', 'free (one organization) or unlimited', toPlan, 'unlimited')
    .option('--json', 'answer as JSON')
    .action(create)
  command.command('list').description('list every account').option('--json', 'answer as JSON').action(list)
}

async function create(name: string, options: OutputOptions & { plan: Plan }): Promise<void> {
  const account = await withDeps(options, (deps) => createAccount(deps, { name, plan: options.plan }))
  print(options, account, () => [
    `Created the account ${account.domain} (${account.plan}).`,
    `Next: portico api-key create --account ${account.domain} --environment sandbox`,
  ])
}

async function list(options: OutputOptions): Promise<void> {
  const accounts = await withDeps(options, listAccounts)
  print(options, accounts, () =>
    accounts.length === 0
      ? ['There is no account yet: portico account create <name> makes one.']
      : table(
          ['DOMAIN', 'PLAN', 'ORGANIZATIONS', 'CREATED'],
          accounts.map(({ domain, plan, organizations, inserted_at }) => [
            domain,
            plan,
            grouped(organizations),
            inserted_at,
          ]),
        ),
  )
}

function toName(text: string): string {
  const name = text.trim()
  if (name.length < 1 || name.length > 100) throw new InvalidArgumentError('It has 1 to 100 characters.')
  return name
}

function toPlan(text: string): Plan {
  if (text !== 'free' && text !== 'unlimited') throw new InvalidArgumentError('It is free or unlimited.')
  return text
}
