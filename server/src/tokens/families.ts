import { sql, type RawBuilder } from 'kysely'
import { later } from '../platform/db/later.js'
import { ofOwner, ownerColumns } from '../platform/db/tenant-predicate.js'

/** The account, environment and organization of a family. */
interface FamilyOwner {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
}

/**
 * Whether the family of an access token has not ended: what was issued for one code is a family, and is named by the code's id.
 *
 * @param familyId The claim `fid`; null for a token from before the claim existed.
 */
export function isFamilyAlive(owner: FamilyOwner, familyId: string | null): RawBuilder<boolean> {
  return sql<boolean>`not exists (
    select from ended_families
    where ${ofOwner(owner, 'ended_families')} and ended_families.code_id = ${familyId}::uuid
  )`
}

/** The rows outlive the access tokens, which live a day at most, by an hour for clocks. */
const keptHours = 25

/** The row of a family that ends. */
export function toEndedFamily(owner: FamilyOwner, codeId: string, at: Date) {
  const expires_at = new Date(at.getTime() + keptHours * 60 * 60 * 1000)
  return { ...ownerColumns(owner), code_id: codeId, ended_at: at, expires_at }
}

/**
 * Inserts the rows of families that end, as part of the statement that ends them.
 *
 * @param families The common table expression with their tenant columns and `code_id`.
 */
export function insertEndedFamilies(families: string, at: Date): RawBuilder<unknown> {
  return sql`
    insert into ended_families (account_id, environment, organization_id, code_id, ended_at, expires_at)
    select account_id, environment, organization_id, code_id,
      ${at}::timestamptz, ${later(sql`${at}::timestamptz`, sql`make_interval(hours => ${sql.lit(keptHours)})`)}
    from ${sql.table(families)}
    on conflict do nothing`
}
