import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'

/** An organization as its public addresses need it: the owner of published keys, and the look of its pages. */
export interface PublicOrganization {
  readonly accountId: string
  readonly accountDomain: string
  readonly organizationId: string
  readonly domain: string
  readonly name: string
  /** Of the account; null: as the operator calls the service. */
  readonly product_name: string | null
  /** BCP 47; null when no locale was chosen. */
  readonly locale: string | null
  readonly color: string
  readonly icon_logo_url: string | null
  readonly inline_logo_url: string | null
  readonly terms_of_service_url: string | null
  readonly privacy_policy_url: string | null
}

/** The organization named in an address of the pages or the protocols; undefined when there is no such organization. */
export async function findOrganizationByDomain(
  { db }: Pick<Deps, 'db'>,
  domain: string,
): Promise<PublicOrganization | undefined> {
  const [row] = await selectByDomain(db, { domain })
  if (row === undefined) return undefined
  const { account_id: accountId, account_domain: accountDomain, id: organizationId, ...shown } = row
  return { accountId, accountDomain, organizationId, ...shown }
}

const selectByDomain = lookup((db, organization: { readonly domain: string }) =>
  // eslint-disable-next-line portico/tenant -- a domain names one organization of the service
  db
    .selectFrom('organizations')
    .innerJoin('accounts', 'accounts.id', 'organizations.account_id')
    .where('organizations.domain', '=', organization.domain)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'organizations.account_id',
      'accounts.domain as account_domain',
      'organizations.id',
      'organizations.domain',
      'organizations.name',
      'accounts.product_name',
      'organizations.locale',
      'organizations.color',
      'organizations.icon_logo_url',
      'organizations.inline_logo_url',
      'organizations.terms_of_service_url',
      'organizations.privacy_policy_url',
    ]),
)
