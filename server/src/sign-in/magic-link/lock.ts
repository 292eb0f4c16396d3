import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'

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
 * concurrent ones would miss these, or deadlock.
 */
export async function lockLinksOf(trx: Transaction<DB>, owner: LinkOwner): Promise<void> {
  const { environment, domain, applicationId, email } = owner
  const key = keyOf(sql`${environment}::text`, domain, sql`${applicationId}::text`, sql`${email}::text`)
  await sql`select pg_advisory_xact_lock(${key})`.execute(trx)
}

/** The same for the owner of a token; no lock for an unknown token. */
export async function lockLinksOfToken(
  trx: Transaction<DB>,
  domain: string,
  tokenHash: Buffer,
): Promise<void> {
  const key = keyOf(sql`environment`, domain, sql`application_id`, sql`email_normalized`)
  await sql`
    select pg_advisory_xact_lock(${key}) from magic_link_challenges where token_hash = ${tokenHash}
  `.execute(trx)
}

function keyOf(
  environment: RawBuilder<unknown>,
  domain: string,
  applicationId: RawBuilder<unknown>,
  email: RawBuilder<unknown>,
): RawBuilder<string> {
  return sql`hashtextextended(
    concat_ws(':', 'magic_link', ${environment}, ${domain}::text, ${applicationId}, ${email}), 0
  )`
}
