import type { ApiKey } from '@portico/contract/api-keys'
import type { Scope } from '@portico/contract/access'
import type { Environment } from '@portico/contract/fields'
import type { Command } from 'commander'
import { findOrganizationIds, getAccount } from '../operations/accounts/list-accounts.js'
import {
  issueApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  type IssuedApiKey,
} from '../tokens/api-keys/api-keys.js'
import { change } from '../delivery/events/change.js'
import { print, table, type OutputOptions } from './output.js'
import { toDurationMs, toEnvironment, toList, toMoment, toScopes } from './values.js'
import { withDeps } from './with-deps.js'

interface NewKeyOptions extends OutputOptions {
  readonly account: string
  readonly environment: Environment
  readonly name: string
  readonly scopes?: Scope[]
  readonly organizations?: string[]
  readonly expires?: ReturnType<typeof toMoment>
}

/** portico api-key create, list, rotate and revoke */
export function define(command: Command): void {
  command
    .command('create')
    .description('create an API key; its secret is shown once')
    .requiredOption('--account <domain>', 'the account it calls for')
    .requiredOption('--environment <environment>', 'sandbox or production', toEnvironment)
    .option('--name <name>', 'what it is for', 'API key')
    .option('--scopes <scopes>', 'what it may do, commas between; all when not given', toScopes)
    .option('--organizations <domains>', 'the only organizations it may see, commas between', toList)
    .option('--expires <when>', 'a date, or a length of time such as 90d', toMoment)
    .option('--json', 'answer as JSON')
    .action(create)
  command
    .command('list')
    .description('list API keys, revoked ones too, without their secrets')
    .option('--account <domain>', 'of this account alone')
    .option('--environment <environment>', 'of this environment alone', toEnvironment)
    .option('--json', 'answer as JSON')
    .action(list)
  command
    .command('rotate')
    .description('give a key a new secret, shown once')
    .argument('<client_id>')
    .option(
      '--overlap <time>',
      'how long the old secret is accepted too, 0s to 30d',
      toDurationMs,
      86_400_000,
    )
    .option('--json', 'answer as JSON')
    .action(rotate)
  command
    .command('revoke')
    .description('end a key; its tokens are refused within seconds')
    .argument('<client_id>')
    .option('--json', 'answer as JSON')
    .action(revoke)
}

async function create(options: NewKeyOptions): Promise<void> {
  const { environment, name, scopes, organizations, expires } = options
  const issued = await withDeps(options, async (deps, cause) => {
    const account = await getAccount(deps, options.account)
    const organizationIds =
      organizations === undefined ? null : await findOrganizationIds(deps, account, organizations)
    const key = {
      accountId: account.id,
      environment,
      name,
      scopes: scopes ?? null,
      organizationIds,
      expiresAt: expires === undefined ? null : toExpiry(expires, deps.now()),
    }
    return change(deps, cause, (trx) => issueApiKey(deps, trx, key, cause))
  })
  printIssued(options, issued)
}

async function list(options: OutputOptions & { account?: string; environment?: Environment }): Promise<void> {
  const keys = await withDeps(options, async (deps) => {
    const account = options.account === undefined ? undefined : await getAccount(deps, options.account)
    return listApiKeys(deps, { accountId: account?.id, environment: options.environment })
  })
  print(options, keys, () =>
    keys.length === 0
      ? ['There is no API key: portico api-key create makes one.']
      : table(
          ['CLIENT ID', 'ACCOUNT', 'ENVIRONMENT', 'NAME', 'STATE', 'LAST USED'],
          keys.map((key) => [
            key.id,
            key.__domain__,
            key.__environment__,
            key.name,
            stateOf(key),
            key.last_used_at ?? 'never',
          ]),
        ),
  )
}

async function rotate(clientId: string, options: OutputOptions & { overlap: number }): Promise<void> {
  if (options.overlap > 30 * 86_400_000) throw new Error('The overlap is too long: choose at most 30d.')
  const issued = await withDeps(options, (deps, cause) =>
    rotateApiKey(deps, clientId, { overlapMs: options.overlap }, cause),
  )
  printIssued(options, issued)
}

async function revoke(clientId: string, options: OutputOptions): Promise<void> {
  const key = await withDeps(options, (deps, cause) => revokeApiKey(deps, clientId, cause))
  print(options, key, () => [`Revoked the API key ${key.id} (${key.name}) of ${key.__domain__}.`])
}

function printIssued(options: OutputOptions, { record, credentials }: IssuedApiKey): void {
  print(options, { ...record, ...credentials }, () => [
    `client_id      ${credentials.client_id}`,
    `client_secret  ${credentials.client_secret}`,
    `domain         ${record.__domain__}`,
    `environment    ${record.__environment__}`,
    ...(record.previous_secret_expires_at === null
      ? []
      : [`The secret before is accepted until ${record.previous_secret_expires_at}.`]),
    'Keep the secret now: it is not stored and cannot be shown again.',
  ])
}

function toExpiry(moment: ReturnType<typeof toMoment>, now: Date): Date {
  const at = 'at' in moment ? moment.at : new Date(now.getTime() + moment.afterMs)
  if (at <= now) throw new Error(`${at.toISOString()} is past: choose a later time for --expires.`)
  return at
}

function stateOf(key: ApiKey): string {
  if (key.revoked_at !== null) return 'revoked'
  return key.expires_at === null ? 'active' : `until ${key.expires_at}`
}
