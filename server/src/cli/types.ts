import { writeFile } from 'node:fs/promises'
import type { Environment } from '@portico/contract/fields'
import type { Command } from 'commander'
import { getAccount } from '../operations/accounts/list-accounts.js'
import type { Deps } from '../delivery/deps.js'
import { findRoleNames } from '../directory/roles/names.js'
import { findOrganizationByDomain } from '../directory/organizations/find-organization.js'
import { isClaimsTypes, toClaimsTypes } from '../directory/token-customization/claims-types.js'
import { findDeclaredKeys } from '../directory/meta-keys/declared-keys.js'
import { print, type OutputOptions } from './output.js'
import { toEnvironment } from './values.js'
import { withDeps } from './with-deps.js'
import { readUnlessMissing } from '../platform/system-error.js'

interface TypesOptions extends OutputOptions {
  readonly account?: string
  readonly organization?: string
  readonly environment?: Environment
  readonly out?: string
  readonly check?: true
}

/** portico types */
export function define(command: Command): void {
  command
    .option('--account <domain>', 'whose permissions and roles; that of the organization when not given')
    .option('--organization <domain>', 'whose metadata keys')
    .option('--environment <environment>', 'sandbox or production alone; both when not given', toEnvironment)
    .option('--out <file>', 'a TypeScript file, new or written by this command; stdout when not given')
    .option('--check', 'write nothing; fail when the file is not what it would be')
    .option('--json', 'answer as JSON')
    .action(writeTypes)
}

async function writeTypes(options: TypesOptions): Promise<void> {
  const { account, organization, out, check } = options
  const whose = organization ?? account
  if (whose === undefined) throw new Error('Say whose tokens: --account <domain>, --organization <domain>.')
  if (check && out === undefined) throw new Error('Say which file to check: --out <file>.')
  const text = await withDeps(options, (deps) => claimsTypesOf(deps, options))
  if (out === undefined) {
    print(options, { account, organization, text }, () => [text.trimEnd()])
    return
  }
  const before = await readUnlessMissing(out)
  if (before !== undefined && !isClaimsTypes(before))
    throw new Error(`${out} was not written by portico types: name another file, or remove it.`)
  const isStale = before !== text
  if (check && isStale)
    throw new Error(
      `${out} is not what the metadata keys, permissions and roles of ${whose} are now: run it without --check.`,
    )
  if (isStale) await writeFile(out, text)
  print(options, { account, organization, file: out, changed: isStale }, () => [
    isStale ? `Wrote the types of the claims of ${whose} to ${out}.` : `${out} is what it should be.`,
  ])
}

async function claimsTypesOf(deps: Pick<Deps, 'db'>, options: TypesOptions): Promise<string> {
  const { db } = deps
  const { account: named, organization, environment } = options
  const account = named === undefined ? undefined : await getAccount(deps, named)
  if (organization === undefined) {
    if (account === undefined) throw new Error('an account or an organization is named')
    const names = await findRoleNames(db, { accountId: account.id, environment })
    return toClaimsTypes({ account: account.domain, environment, keys: [], ...names })
  }
  const found = await findOrganizationByDomain({ db }, organization)
  if (!found || (account !== undefined && found.accountId !== account.id))
    throw new Error(`There is no organization ${organization}: check its domain.`)
  const { accountId, organizationId, domain } = found
  const keys = await findDeclaredKeys(db, { accountId, domain, organizationIds: null })
  const names = await findRoleNames(db, { accountId, environment, organizationId })
  return toClaimsTypes({ account: account?.domain, organization: domain, environment, keys, ...names })
}
