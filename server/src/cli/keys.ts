import type { Environment } from '@portico/contract/fields'
import type { Command } from 'commander'
import { countSealed, rewrapSealed, type SealedCount } from '../operations/master-keys/rewrap.js'
import { listSigningKeys, signingKeyOwners } from '../operations/list-signing-keys.js'
import { rotateSigningKeys } from '../tokens/signing-keys/rotate.js'
import { grouped, print, table, withProgress, type OutputOptions } from './output.js'
import { toEnvironment } from './values.js'
import { withDeps } from './with-deps.js'

interface OwnerOptions extends OutputOptions {
  readonly account?: string
  readonly organization?: string
  readonly environment?: Environment
}

/** portico keys status, rotate and rewrap */
export function define(command: Command): void {
  command
    .command('status')
    .description('list signing keys, and what each master key seals')
    .option('--account <domain>', 'of this account alone')
    .option('--organization <domain>', 'of this organization alone')
    .option('--environment <environment>', 'of this environment alone', toEnvironment)
    .option('--json', 'answer as JSON')
    .action(status)
  command
    .command('rotate')
    .description('give an organization, or an account for its API tokens, new signing keys')
    .option('--organization <domain>', 'whose keys')
    .option('--account <domain>', 'whose keys for API tokens')
    .option('--environment <environment>', 'in this environment alone', toEnvironment)
    .option('--now', 'sign with the new key at once; verifiers that cache the key set must fetch it')
    .option('--revoke', 'also end every earlier key at once, as after a leak; its tokens are void')
    .option('--json', 'answer as JSON')
    .action(rotate)
  command
    .command('rewrap')
    .description('seal everything anew under the first of MASTER_KEYS')
    .option('--json', 'answer as JSON')
    .action(rewrap)
}

async function status(options: OwnerOptions): Promise<void> {
  const { keys, sealed, current } = await withDeps(options, async (deps) => ({
    keys: await listSigningKeys(deps, options),
    sealed: await countSealed(deps.db),
    current: deps.keys.master.currentVersion,
  }))
  print(options, { signing_keys: keys, sealed, current_master_key: current }, () => [
    ...table(
      ['ACCOUNT', 'ORGANIZATION', 'ENVIRONMENT', 'ALGORITHM', 'STATE', 'SINCE', 'KID'],
      keys.map((key) => [
        key.account,
        key.organization ?? '(API tokens)',
        key.environment,
        key.algorithm,
        key.state,
        key.since,
        key.kid,
      ]),
    ),
    '',
    ...sealedLines(sealed, current),
  ])
}

async function rotate(options: OwnerOptions & { now?: boolean; revoke?: boolean }): Promise<void> {
  if ((options.organization === undefined) === (options.account === undefined))
    throw new Error('Say whose keys: either --organization <domain> or --account <domain>.')
  const rotated = await withDeps(options, async (deps) => {
    const owners = await signingKeyOwners(deps, options)
    for (const { owner, algorithm } of owners)
      await rotateSigningKeys(deps, owner, algorithm, {
        immediately: options.now ?? false,
        revokesOthers: options.revoke ?? false,
      })
    const keys = await listSigningKeys(deps, options)
    return keys.filter(({ organization }) => organization === (options.organization ?? null))
  })
  print(options, { signing_keys: rotated }, () => [
    ...table(
      ['ENVIRONMENT', 'ALGORITHM', 'STATE', 'SINCE', 'KID'],
      rotated.map((key) => [key.environment, key.algorithm, key.state, key.since, key.kid]),
    ),
    ...(options.now || options.revoke
      ? []
      : ['The next key is in the key set now and signs once verifiers have had the time to fetch it.']),
  ])
}

async function rewrap(options: OutputOptions): Promise<void> {
  const { resealed, sealed, current } = await withDeps(options, async (deps) => ({
    resealed: await withProgress(options, 'Re-sealing', (onProgress) => rewrapSealed(deps, onProgress)),
    sealed: await countSealed(deps.db),
    current: deps.keys.master.currentVersion,
  }))
  print(options, { resealed, sealed, current_master_key: current }, () => [
    `Sealed ${grouped(resealed)} values anew.`,
    ...sealedLines(sealed, current),
  ])
}

function sealedLines(sealed: readonly SealedCount[], current: string): string[] {
  const others = [...new Set(sealed.map(({ version }) => version))].filter((version) => version !== current)
  return [
    ...table(
      ['SEALED', 'MASTER KEY', 'VALUES'],
      sealed.map((count) => [`${count.table}.${count.column}`, count.version, grouped(count.count)]),
    ),
    others.length === 0
      ? `Everything is sealed with ${current}; other master keys may be removed once every process has it first.`
      : `${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} still needed: run portico keys rewrap.`,
  ]
}
