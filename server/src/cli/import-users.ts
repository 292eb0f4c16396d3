import type { Environment } from '@portico/contract/fields'
import type { Command } from 'commander'
import { findOrganizationIds, getAccount } from '../operations/accounts/list-accounts.js'
import type { Deps } from '../delivery/deps.js'
import { importUsers, type ImportTenant } from '../operations/import/import-users.js'
import type { Cause } from '../platform/tenant.js'
import { grouped, print, withProgress, type OutputOptions } from './output.js'
import type { Terminal } from './terminal.js'
import { toEnvironment } from './values.js'
import { withDeps } from './with-deps.js'

interface ImportOptions extends OutputOptions {
  readonly account: string
  readonly environment: Environment
  readonly organization: string
}

/** portico import-users */
export function define(command: Command): void {
  command
    .argument('<file>', 'a JSON object per line, each a user; docs/guides/import.md tells the members')
    .requiredOption('--account <domain>', 'the account')
    .requiredOption('--environment <environment>', 'sandbox or production', toEnvironment)
    .requiredOption('--organization <domain>', 'the organization that the users are of')
    .option('--json', 'answer as JSON')
    .action(importFile)
}

async function importFile(file: string, options: ImportOptions): Promise<void> {
  const summary = await withDeps(options, async (deps, cause) => {
    const tenant = await toTenant(deps, options, cause)
    return withProgress(options, 'Import', (onProgress) =>
      importUsers(deps, tenant, file, { onProgress, onFault: faultTeller(options.terminal) }),
    )
  })
  const { made, already_there, refused } = summary
  print(options, summary, () => [
    `Made ${grouped(made)} users of ${options.organization}; ${grouped(already_there)} were there already and stay as they are.`,
  ])
  if (refused > 0)
    throw new Error(
      `${grouped(refused)} ${refused === 1 ? 'line was' : 'lines were'} not imported: correct them and run the command ` +
        'again, it makes only the users that are missing.',
    )
}

async function toTenant(
  deps: Deps,
  { account: accountDomain, environment, organization: domain }: ImportOptions,
  cause: Cause,
): Promise<ImportTenant> {
  const account = await getAccount(deps, accountDomain)
  const [organizationId = ''] = await findOrganizationIds(deps, account, [domain])
  const organizationIds = [organizationId]
  return { accountId: account.id, accountDomain, environment, domain, organizationId, organizationIds, cause }
}

/** On stderr at once, also beside the progress bar, whose line is wiped for it. */
function faultTeller({ isWatched, tell }: Terminal): (line: number, sentence: string) => void {
  const wiped = isWatched ? '\r\u001b[K' : ''
  return (line, sentence) => tell(`${wiped}line ${line}: ${sentence}\n`)
}
