import { sql } from 'kysely'

/** The look of the pages of an account; null members were not chosen. */
export interface AccountLook {
  /** Of the account. */
  readonly domain: string
  readonly product_name: string | null
  readonly color: string | null
  readonly icon_logo_url: string | null
  readonly inline_logo_url: string | null
  readonly support_url: string | null
  readonly privacy_policy_url: string | null
  readonly terms_of_service_url: string | null
  /** BCP 47. */
  readonly locale: string | null
}

/** Selects a look, in a statement with `accounts`. */
export const lookColumns = [
  'accounts.domain',
  'accounts.product_name',
  brandMember('color'),
  brandMember('icon_logo_url'),
  brandMember('inline_logo_url'),
  brandMember('support_url'),
  brandMember('privacy_policy_url'),
  brandMember('terms_of_service_url'),
  brandMember('locale'),
] as const

function brandMember<Name extends keyof AccountLook>(name: Name) {
  return sql<string | null>`accounts.brand->>${sql.lit(name)}`.as(name)
}

/** The look in a row with more columns. */
export function toAccountLook(row: AccountLook): AccountLook {
  const { domain, product_name, color, icon_logo_url, inline_logo_url } = row
  const { support_url, privacy_policy_url, terms_of_service_url, locale } = row
  return {
    ...{ domain, product_name, color, icon_logo_url, inline_logo_url },
    ...{ support_url, privacy_policy_url, terms_of_service_url, locale },
  }
}
