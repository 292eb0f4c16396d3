import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { companion, sqlStatement } from '../../platform/db/statement.js'

/** The links of one address for one application. */
interface LinkOwner {
  readonly environment: string
  /** Domain of the organization. */
  readonly domain: string
  readonly applicationId: string
  /** Normalized. */
  readonly email: string
}

/**
 * Makes changes of these links wait for each other until the transaction ends: each voids the others' links, and
 * concurrent ones would miss these, or deadlock. The statement names no table: in a cluster, one that did would take another
 * lock, on the server of the table.
 */
export const lockLinksOf: (trx: Transaction<DB>, owner: LinkOwner) => Promise<void> = companion(
  (db, { environment, domain, applicationId, email }: LinkOwner) =>
    db.selectNoFrom(
      sql`pg_advisory_xact_lock(hashtextextended(
        concat_ws(':', 'magic_link', ${environment}::text, ${domain}::text, ${applicationId}::text, ${email}::text), 0
      ))`.as('locked'),
    ),
)

/** The same for the owner of a token; no lock for an unknown token. */
export async function lockLinksOfToken(
  trx: Transaction<DB>,
  domain: string,
  tokenHash: Buffer,
): Promise<void> {
  const [link] = await selectLink(trx, { tokenHash })
  if (link !== undefined) await lockLinksOf(trx, { ...link, domain })
}

const selectLink = sqlStatement(
  ({ tokenHash }: { readonly tokenHash: Buffer }) => sql<Omit<LinkOwner, 'domain'>>`
    select environment, application_id as "applicationId", email_normalized as email
    from magic_link_challenges where token_hash = ${tokenHash}`,
)
