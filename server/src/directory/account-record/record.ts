import type { Account } from '@portico/contract/account'
import type { Selectable } from 'kysely'
import type { Accounts } from '../../platform/db/schema.js'

export const accountColumns = [
  'id',
  'domain',
  'product_name',
  'brand',
  'version',
  'inserted_at',
  'updated_at',
] as const

type AccountRow = Omit<Selectable<Accounts>, 'plan'>

/** The members of the column `brand`; those that were never set are missing. */
type Brand = Partial<
  Pick<
    Account,
    | 'color'
    | 'icon_logo_url'
    | 'inline_logo_url'
    | 'support_url'
    | 'privacy_policy_url'
    | 'terms_of_service_url'
    | 'locale'
  >
>

export function toAccount(row: AccountRow): Account {
  // Written only from validated input.
  const brand = row.brand as Brand
  return {
    __type__: 'Account',
    __domain__: row.domain,
    id: row.id,
    domain: row.domain,
    product_name: row.product_name,
    color: brand.color ?? null,
    icon_logo_url: brand.icon_logo_url ?? null,
    inline_logo_url: brand.inline_logo_url ?? null,
    support_url: brand.support_url ?? null,
    privacy_policy_url: brand.privacy_policy_url ?? null,
    terms_of_service_url: brand.terms_of_service_url ?? null,
    locale: brand.locale ?? null,
    inserted_at: row.inserted_at.toISOString(),
    updated_at: (row.updated_at ?? row.inserted_at).toISOString(),
  }
}
