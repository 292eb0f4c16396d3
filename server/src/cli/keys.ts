import type { Environment } from '@portico/contract/fields'
import type { Command } from 'commander'
import { countSealed, rewrapSealed, type SealedCount } from '../operations/master-keys/rewrap.js'
import { listSigningKeys, signingKeyOwners } from '../operations/list-signing-keys.js'
import { publishedBeforeMs, publishedBriefMs, rotateSigningKeys } from '../tokens/signing-keys/rotate.js'
import { grouped, print, table, withProgress, type OutputOptions } from './output.js'
import { toAlgorithm, toEnvironment } from './values.js'
import { withDeps } from './with-deps.js'
import type { Algorithm } from '../platform/crypto/jwt.js'

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
    .description('give an organization, or an account for its API tokens or as an issuer, new signing keys')
    .option('--organization <domain>', 'whose keys')
    .option('--account <domain>', 'whose keys for API tokens')
    .option('--issuer', 'with --account: its keys for sign-ins at /a/<account> instead')
    .option('--environment <environment>', 'sandbox or production; both if not given', toEnvironment)
    .option('--algorithm <algorithm>', 'ES256 or RS256; all that have keys if not given', toAlgorithm)
    .option('--now', 'once the next key has been published for 20 minutes, and not for a day')
    .option('--force', 'at once; verifiers that have not fetched the key set since refuse new tokens')
    .option('--revoke', 'at once, and end the keys that have signed, as after a leak; their tokens are void')
    .option('--revoke-all', 'the same, and end the next key, too: two new ones take their place')
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
        key.organization ?? (key.purpose === 'api' ? '(API tokens)' : '(issuer)'),
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

interface RotateOptions extends OwnerOptions {
  readonly issuer?: boolean
  readonly algorithm?: Algorithm
  readonly now?: boolean
  readonly force?: boolean
  readonly revoke?: boolean
  readonly revokeAll?: boolean
}

async function rotate(options: RotateOptions): Promise<void> {
  if ((options.organization === undefined) === (options.account === undefined))
    throw new Error('Say whose keys: either --organization <domain> or --account <domain>.')
  if (options.issuer === true && options.account === undefined)
    throw new Error('--issuer is about an account: say which one by --account <domain>.')
  const rotated = await withDeps(options, async (deps) => {
    const waits: Date[] = []
    const owners = await signingKeyOwners(deps, options)
    const chosen = owners.filter(
      ({ algorithm }) => options.algorithm === undefined || algorithm === options.algorithm,
    )
    if (chosen.length === 0)
      throw new Error(
        `There are no keys of ${options.algorithm}: one is made for the first application that needs it.`,
      )
    for (const { owner, algorithm } of chosen) {
      const rotation = await rotateSigningKeys(deps, owner, algorithm, rotationOf(options))
      if ('waitsUntil' in rotation) waits.push(rotation.waitsUntil)
    }
    const last = waits.toSorted((a, b) => b.getTime() - a.getTime())[0]
    if (last !== undefined) throw new Error(tooEarly(last, options))
    const keys = await listSigningKeys(deps, options)
    return keys.filter(({ purpose }) => purpose === purposeOf(options))
  })
  print(options, { signing_keys: rotated }, () =>
    table(
      ['ENVIRONMENT', 'ALGORITHM', 'STATE', 'SINCE', 'KID'],
      rotated.map((key) => [key.environment, key.algorithm, key.state, key.since, key.kid]),
    ),
  )
}

function purposeOf({ organization, issuer }: Pick<RotateOptions, 'organization' | 'issuer'>) {
  if (organization !== undefined) return 'organization'
  return issuer === true ? 'account' : 'api'
}

/** API tokens are verified by the service itself: no verifier has to fetch a key first. */
function rotationOf({ now, force, revoke, revokeAll, ...owner }: RotateOptions) {
  const revokes = revokeAll === true ? 'all' : revoke === true ? 'others' : undefined
  const isAtOnce = purposeOf(owner) === 'api' || force === true
  return {
    publishedForMs: isAtOnce ? 0 : now === true ? publishedBriefMs : publishedBeforeMs,
    revokes,
  } as const
}

function tooEarly(until: Date, { now }: RotateOptions): string {
  const sooner = now === true ? '--force' : '--now or --force'
  return `The next key has not been published for long enough: verifiers may not have it yet. Repeat this from ${until.toISOString()} on, or see ${sooner}.`
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
