import { issuerOf } from './claims.js'

/** The owner of an issuer: the user's organization, or the account for all of its organizations. */
export type IssuerKind = 'organization' | 'account'

/** An issuer as its address names it: an organization, or an account for all of its organizations. */
export interface NamedIssuer {
  readonly kind: IssuerKind
  /** Of the organization or of the account. */
  readonly domain: string
}

/** The organization in a path as an issuer. */
export function organizationOf({ org_domain: domain }: { readonly org_domain: string }): NamedIssuer {
  return { kind: 'organization', domain }
}

/** The account in a path as an issuer. */
export function accountOf({ account_domain: domain }: { readonly account_domain: string }): NamedIssuer {
  return { kind: 'account', domain }
}

/** The issuer of an account, the same in both environments. */
export function accountIssuerOf(baseUrl: string, accountDomain: string): string {
  return `${baseUrl}/a/${accountDomain}`
}

/** Whether the path of an issuer, which is its identifier without the base URL, is that of an account. */
export function isAccountIssuer(path: string): boolean {
  return path.startsWith('/a/')
}

/** The identifier of an issuer. */
export function toIssuer(baseUrl: string, { kind, domain }: NamedIssuer): string {
  return kind === 'account' ? accountIssuerOf(baseUrl, domain) : issuerOf(baseUrl, domain)
}

/** A row of a sign-in, with the kind of the issuer that was asked. */
interface AskedIssuer {
  readonly issuer: IssuerKind
  /** Of the organization. */
  readonly domain: string
  readonly account_domain: string
}

/** The issuer that a sign-in was asked of, whose identifier is in its redirects and ID tokens. */
export function issuerOfSignIn(baseUrl: string, { issuer, domain, account_domain }: AskedIssuer): string {
  return toIssuer(baseUrl, { kind: issuer, domain: issuer === 'account' ? account_domain : domain })
}
