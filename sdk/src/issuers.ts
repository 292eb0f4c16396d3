import { accountIssuerPath, issuerPath, keySetPath, maxSlugLength, slugPattern } from './generated.js'

/** The issuers of an account: its own, and those of its organizations. */
export interface AccountIssuers {
  /** The account's own issuer. */
  readonly own: string
  /** What the issuers of organizations begin with; the domain is the rest. */
  readonly organizationPrefix: string
}

const slug = new RegExp(slugPattern)
const keySetSuffix = keySetPath.slice(issuerPath.length)
const [organizationSegment = ''] = issuerPath.split(':')
const [accountSegment = ''] = accountIssuerPath.split(':')

/** Whether a value has the form of the domain of an organization or account. */
export function isSlug(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxSlugLength && slug.test(value)
}

/** The issuer of an organization. */
export function organizationIssuer(baseUrl: string, domain: string): string {
  return baseUrl + organizationSegment + domain
}

/** The address of an issuer's keys. */
export function keySetUrl(issuer: string): string {
  return issuer + keySetSuffix
}

/** The issuers of an account. */
export function issuersOfAccount(baseUrl: string, account: string): AccountIssuers {
  return { own: baseUrl + accountSegment + account, organizationPrefix: organizationIssuer(baseUrl, '') }
}

/**
 * The organization whose issuer a token names; null for the account's own issuer, undefined for any other text. The text is
 * compared and never parsed as a URL, so that no spelling of another host, path or domain is taken for one of the account.
 */
export function organizationOf(
  issuer: unknown,
  { own, organizationPrefix }: AccountIssuers,
): string | null | undefined {
  if (issuer === own) return null
  if (typeof issuer !== 'string' || !issuer.startsWith(organizationPrefix)) return undefined
  const domain = issuer.slice(organizationPrefix.length)
  return isSlug(domain) ? domain : undefined
}
