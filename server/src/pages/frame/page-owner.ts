import type { AccountLook } from '../../directory/organizations/account-look.js'
import type { PublicOrganization } from '../../directory/organizations/find-organization.js'

/** The organization, or the account, that a page belongs to, as far as the page shows it. */
export interface PageOwner extends Pick<
  PublicOrganization,
  | 'domain'
  | 'name'
  | 'product_name'
  | 'locale'
  | 'icon_logo_url'
  | 'inline_logo_url'
  | 'terms_of_service_url'
  | 'privacy_policy_url'
> {
  /** Where users get help; organizations have no such address. */
  readonly support_url?: string | null
  /** The root of its addresses, where that is not an organization's. */
  readonly root?: 'a'
}

/** The owner of an account's pages, which have the name of its product. */
export function ownerOfAccount(productName: string, look: AccountLook): PageOwner {
  return { ...look, root: 'a', name: look.product_name ?? productName }
}
