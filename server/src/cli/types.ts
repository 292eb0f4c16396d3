import { writeFile } from 'node:fs/promises'
import type { Environment } from '@portico/contract/fields'
import type { Command } from 'commander'
import type { Deps } from '../delivery/deps.js'
import { findOrganizationByDomain } from '../directory/organizations/find-organization.js'
import { isClaimsTypes, toClaimsTypes } from '../directory/token-customization/claims-types.js'
import { findDeclaredKeys } from '../directory/meta-keys/declared-keys.js'
import { print, type OutputOptions } from './output.js'
import { toEnvironment } from './values.js'
import { withDeps } from './with-deps.js'
import { readUnlessMissing } from '../platform/system-error.js'

interface TypesOptions extends OutputOptions {
  readonly organization: string
  readonly environment?: Environment
  readonly out?: string
  readonly check?: true
}

/** portico types */
export function define(command: Command): void {
  command
    .requiredOption('--organization <domain>', 'whose metadata keys')
    .option('--environment <environment>', 'sandbox or production alone; both when not given', toEnvironment)
    .option('--out <file>', 'a TypeScript file, new or written by this command; stdout when not given')
    .option('--check', 'write nothing; fail when the file is not what it would be')
    .option('--json', 'answer as JSON')
    .action(writeTypes)
}

async function writeTypes(options: TypesOptions): Promise<void> {
  const { organization, out, check } = options
  if (check && out === undefined) throw new Error('Say which file to check: --out <file>.')
  const text = await withDeps(options, (deps) => claimsTypesOf(deps, options))
  if (out === undefined) {
    print(options, { organization, text }, () => [text.trimEnd()])
    return
  }
  const before = await readUnlessMissing(out)
  if (before !== undefined && !isClaimsTypes(before))
    throw new Error(`${out} was not written by portico types: name another file, or remove it.`)
  const isStale = before !== text
  if (check && isStale)
    throw new Error(
      `${out} is not what the metadata keys of ${organization} are now: run it without --check.`,
    )
  if (isStale) await writeFile(out, text)
  print(options, { organization, file: out, changed: isStale }, () => [
    isStale ? `Wrote the types of the claims of ${organization} to ${out}.` : `${out} is what it should be.`,
  ])
}

async function claimsTypesOf(
  { db }: Pick<Deps, 'db'>,
  { organization, environment }: TypesOptions,
): Promise<string> {
  const found = await findOrganizationByDomain({ db }, organization)
  if (!found) throw new Error(`There is no organization ${organization}: check its domain.`)
  const { accountId, domain } = found
  const keys = await findDeclaredKeys(db, { accountId, domain, organizationIds: null })
  return toClaimsTypes({ organization: domain, environment, keys })
}
