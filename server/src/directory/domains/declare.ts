import type { Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { randomBase32 } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { ownerColumns } from '../../platform/db/tenant-predicate.js'
import { publicMailDomains } from '../../platform/public-mail-domains.js'
import type { Cause } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import { endSessionsWithoutSso } from './end-without-sso.js'
import { domainColumns } from './record.js'
import { toChanged, type DomainPlace } from './rows.js'
import { newStanding } from './states.js'

/** 160 bits in base32. */
export const tokenLength = 32

/**
 * Declares the domains that an API key names for an organization or a connection and that have no Domain yet, each with its
 * event: the account answers for them. A public mail domain stays a filter.
 */
export async function declareDomains(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  trx: Transaction<DB>,
  { cause, ...place }: DomainPlace & { readonly cause: Cause },
  names: readonly string[],
): Promise<void> {
  // In one order, so that two at once cannot deadlock.
  const own = [...new Set(names)].filter((name) => !publicMailDomains.has(name)).toSorted()
  if (own.length === 0) return
  const at = deps.now()
  const declared = await trx
    .insertInto('domains')
    .values(
      own.map((domain) => ({
        ...ownerColumns(place),
        id: newId(),
        domain,
        token: randomBase32(tokenLength),
        include_subdomains: false,
        sso_required: false,
        ...newStanding(at, { isDeclared: true, isProved: false }),
        inserted_at: at,
        updated_at: at,
      })),
    )
    .onConflict((conflict) => conflict.constraint('domains_domain_key').doNothing())
    .returning(domainColumns)
    .execute()
  for (const row of declared)
    await emit(
      deps,
      trx,
      { ...place, cause },
      { code: 'domain.domain.create.success', ...toChanged(deps, { ...row, sso_exempt_emails: [] }, place) },
    )
  // A domain that demands single sign-on may have its connection only now.
  await endSessionsWithoutSso(deps, trx, place)
}
