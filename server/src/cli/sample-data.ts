import type { Environment } from '@portico/contract/fields'
import type { Command } from 'commander'
import { getAccount } from '../operations/accounts/list-accounts.js'
import { createSampleData } from './sample-data/sample-data.js'
import { grouped, print, withProgress, type OutputOptions } from './output.js'
import { toCount, toEnvironment } from './values.js'
import { withDeps } from './with-deps.js'

interface SampleOptions extends OutputOptions {
  readonly organizations: number
  readonly users: number
  readonly account: string
  readonly environment: Environment
  readonly skew?: boolean
}

/** portico sample-data */
export function define(command: Command): void {
  command
    .requiredOption('--organizations <count>', 'how many organizations to make', toCount)
    .requiredOption('--users <count>', 'how many users to make, over all of them', toCount)
    .option('--account <domain>', 'the account they are made in', 'acme')
    .option('--environment <environment>', 'the environment of the users', toEnvironment, 'sandbox')
    .option('--skew', 'one organization gets 30 % of the users, one 10 %, the others the rest')
    .option('--json', 'answer as JSON')
    .action(sampleData)
}

async function sampleData(options: SampleOptions): Promise<void> {
  const { organizations, users, environment, skew: isSkewed = false } = options
  if (organizations === 0) throw new Error('There is nothing to make: give --organizations at least 1.')
  const made = await withDeps(options, async (deps, cause) => {
    const account = await getAccount(deps, options.account)
    return withProgress(options, 'Sample data', (onProgress) =>
      createSampleData(deps, { account, environment, organizations, users, isSkewed }, cause, onProgress),
    )
  })
  print(options, made, () => [
    `Made ${grouped(made.organizations)} organizations and ${grouped(made.users)} users in ${options.account}, ${environment}.`,
    ...made.largest.map(({ domain, users: count }) => `  ${domain}: ${grouped(count)} users`),
  ])
}
