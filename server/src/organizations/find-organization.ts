import type { Deps } from '../deps.js'

/** An organization as its public addresses need it: whose keys they publish, and how their pages look. */
export interface PublicOrganization {
  readonly accountId: string
  readonly organizationId: string
  readonly domain: string
  readonly name: string
  /** BCP 47; null when nobody has chosen one. */
  readonly locale: string | null
  readonly color: string
}

/** The organization that an address of the pages or the protocols names; undefined when there is none. */
export async function findOrganizationByDomain(
  { db }: Pick<Deps, 'db'>,
  domain: string,
): Promise<PublicOrganization | undefined> {
  const row = await db
    .selectFrom('organizations')
    .where('domain', '=', domain)
    .where('deleted_at', 'is', null)
    .select(['account_id', 'id', 'domain', 'name', 'locale', 'color'])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { account_id: accountId, id: organizationId, ...shown } = row
  return { accountId, organizationId, ...shown }
}
