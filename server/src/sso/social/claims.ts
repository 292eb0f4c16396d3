import type { SocialProviderType } from '@portico/contract/social-providers'
import { domainOfEmail, normalizeEmail } from '../../platform/email.js'
import type { KeptIdentity } from '../../sign-in/flows/social-arrival.js'
import {
  authenticatedAtOf,
  claimedEmail,
  isTrue,
  issuedAtOf,
  namedData,
  toAttributes,
  type AnsweredClaims,
} from '../oidc/claims.js'
import { assertedProfile, boundedData } from '../sign-in/asserted-identity.js'
import type { PostedName } from './posted-answer.js'

/** The user whom a social provider names. */
export interface SocialUser {
  readonly identity: KeptIdentity
  /** As it was said; undefined where none was. */
  readonly email: string | undefined
  /** The provider gives the address itself, so that whoever has the account has the mailbox. */
  readonly isOwnWord: boolean
  /** When the user has authenticated there; undefined where the provider does not say. */
  readonly authenticatedAt: Date | undefined
}

/** The user whom the claims of a validated ID token name. */
export function toSocialUser(
  { provider, name }: { readonly provider: SocialProviderType; readonly name: string },
  claims: AnsweredClaims,
  { at, name: posted }: { readonly at: Date; readonly name?: PostedName | undefined },
): SocialUser {
  const attributes = toAttributes(claims)
  const issuedAt = issuedAtOf(claims) ?? at
  return {
    identity: {
      kind: 'social',
      issuer: String(claims['iss']),
      subject: claims.sub,
      idpId: null,
      provider: `social.${name}`,
      data: boundedData(namedData(attributes)),
      // Clocks of providers may be ahead of ours.
      authenticatedAt: issuedAt < at ? issuedAt : at,
      profile: assertedProfile({
        attributes: posted
          ? { ...attributes, given_name: [posted.given], family_name: [posted.family] }
          : attributes,
      }),
    },
    email: claimedEmail(claims),
    isOwnWord: isOwnWord[provider](claims),
    authenticatedAt: authenticatedAtOf(claims),
  }
}

/** Domains of whose addresses Google is the mail provider. */
const googleMail = ['gmail.com', 'googlemail.com']

/** The same of Apple, which gives out addresses of a relay, too. */
const appleMail = ['icloud.com', 'me.com', 'mac.com']

/**
 * Whether a provider gives out the address that it says. Others' addresses may be years old, or whatever the user has typed, as
 * those of Entra are.
 */
const isOwnWord: Readonly<Record<SocialProviderType, (claims: AnsweredClaims) => boolean>> = {
  google: (claims) => {
    const email = claimedEmail(claims)
    if (email === undefined || !isTrue(claims['email_verified'])) return false
    const domain = domainOfEmail(normalizeEmail(email))
    return googleMail.includes(domain) || claims['hd'] === domain
  },
  // xms_edov is true of personal accounts and guests, too, whose address at another provider may be years old.
  microsoft: () => false,
  // GitHub says which address a user has verified, and gives out none.
  github: () => false,
  apple: (claims) => {
    const email = claimedEmail(claims)
    if (email === undefined || !isTrue(claims['email_verified'])) return false
    return isTrue(claims['is_private_email']) || appleMail.includes(domainOfEmail(normalizeEmail(email)))
  },
  custom_oidc: () => false,
  // Of the sandbox: its visitor says what it asserts.
  test: (claims) => isTrue(claims['email_verified']),
}
