import {
  isSlug,
  issuersOfAccount,
  keySetUrl,
  organizationIssuer,
  organizationOf,
  type AccountIssuers,
} from './issuers.js'
import { createKeySet, type KeySetOptions, type VerificationKey } from './key-set.js'
import { createKeySets } from './key-sets.js'
import type { SignedToken } from './signed-token.js'
import { TokenError } from './token-error.js'

/** A lookup of a key by its id; undefined for an unknown one. */
export type KeyWithId = (kid: string) => Promise<VerificationKey | undefined>

/** The issuers whose tokens are accepted, and their keys. */
export interface TokenSource {
  /** The keys of all tokens; undefined where the claims choose the keys. */
  readonly keyWithId: KeyWithId | undefined
  /** The keys of the issuer that a token names; undefined when it is not accepted. */
  keysOf(issuer: unknown): KeyWithId | undefined
  /** @throws TokenError when the claims name another organization than the issuer. */
  checkOrganization(claims: SignedToken['claims']): void
}

interface Place extends Omit<KeySetOptions, 'url'> {
  /** Of the service. */
  readonly baseUrl: string
}

/** The tokens of one organization. */
export function sourceOfOrganization({ baseUrl, ...options }: Place, domain: string): TokenSource {
  const accepted = organizationIssuer(baseUrl, domain)
  const keyWithId = createKeySet({ ...options, url: keySetUrl(accepted) })
  return {
    keyWithId,
    keysOf: (issuer) => (issuer === accepted ? keyWithId : undefined),
    checkOrganization: () => undefined,
  }
}

/** The tokens of an account's own issuer, for users of any of its organizations. */
export function sourceOfOwnIssuer({ baseUrl, ...options }: Place, account: string): TokenSource {
  const issuers = issuersOfAccount(baseUrl, account)
  const keyWithId = createKeySet({ ...options, url: keySetUrl(issuers.own) })
  return {
    keyWithId: undefined,
    keysOf: (issuer) => (issuer === issuers.own ? keyWithId : undefined),
    checkOrganization: (claims) => checkOrganization(claims, issuers),
  }
}

/** The tokens of an account: of its own issuer, and of every organization. */
export function sourceOfAccount(
  { baseUrl, ...options }: Place,
  account: string,
  maxOrganizations = 2_000,
): TokenSource & { preload(domains: readonly string[]): Promise<string[]> } {
  if (!isSlug(account)) throw new TypeError('account must be the domain of an account')
  if (!(Number.isInteger(maxOrganizations) && maxOrganizations >= 1 && maxOrganizations <= 50_000))
    throw new TypeError('maxOrganizations must be a whole number from 1 to 50,000')
  const issuers = issuersOfAccount(baseUrl, account)
  const ownKeyWithId = createKeySet({ ...options, url: keySetUrl(issuers.own) })
  const urlOf = (domain: string) => keySetUrl(organizationIssuer(baseUrl, domain))
  const { keyOf, preload } = createKeySets({ ...options, urlOf, maxOrganizations })
  return {
    keyWithId: undefined,
    keysOf(issuer) {
      const domain = organizationOf(issuer, issuers)
      if (domain === undefined) return undefined
      return domain === null ? ownKeyWithId : (kid) => keyOf(domain, kid)
    },
    checkOrganization: (claims) => checkOrganization(claims, issuers),
    async preload(domains) {
      if (!domains.every(isSlug)) throw new TypeError('each must be the domain of an organization')
      if (domains.length > maxOrganizations)
        throw new TypeError('at most maxOrganizations can be read before their tokens come')
      return preload(domains)
    },
  }
}

function checkOrganization({ iss, org, tnt }: SignedToken['claims'], issuers: AccountIssuers): void {
  const named = organizationOf(iss, issuers) ?? org
  if (!isSlug(named) || org !== named || tnt !== named)
    throw new TokenError('issuer_mismatch', 'the token is not of the organization that it names')
}
