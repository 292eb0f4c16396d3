import type { PasskeyCreationOptions, PasskeyRequestOptions } from '@portico/contract/passkey-ceremonies'
import { maxCredentialBytes } from '@portico/contract/passkey-credentials'
import type { z } from 'zod/v4'
import type { Deps } from '../../delivery/deps.js'
import { fingerprints } from '../../platform/crypto/seal.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { displayName } from '../../platform/display-name.js'
import type { PasskeyOffer } from './offer.js'
import { keyAlgorithms, type Expected } from './webauthn.js'

/** How long a browser waits for its authenticator, in ms. */
export const timeoutMs = 5 * 60 * 1000

/** What a page asks of an authenticator, and what makes it this page and no other. */
export interface Ceremony {
  readonly purpose:
    | 'passkey_registration'
    | 'passkey_sign_in'
    | 'passkey_account_sign_in'
    | 'passkey_second_factor'
    | 'passkey_email_change'
    | 'passkey_api'
  /** The organization of the page; of the first page of an account, the account. */
  readonly organizationId: string
  /** Of the session or the flow; of a page of an application that of the ceremony itself. */
  readonly id: string
  /** The CSRF field of the page, which is of its browser alone; empty on a page of an application. */
  readonly csrf: string
  /** How many answers there were before. */
  readonly attempt: number
}

/**
 * The challenges of a ceremony, that of the current master key first. Nothing is stored when a page is shown: an answer counts as
 * an attempt, so that each challenge is good for one.
 */
export function challengesOf(
  { keys }: Pick<Deps, 'keys'>,
  { purpose, organizationId, id, csrf, attempt }: Ceremony,
): readonly [string, ...string[]] {
  const context = { purpose, scope: organizationId, aad: id }
  const [first, ...others] = fingerprints(keys.master, context, `${attempt}:${csrf}`)
  const toText = (digest: Buffer) => digest.toString('base64url')
  return [toText(first), ...others.map(toText)]
}

/** Where passkeys are added and used. */
export interface PasskeyPage {
  readonly rpId: string
  readonly origins: readonly string[]
}

/** What the answer to a ceremony has to be of; undefined where the service has no domain that browsers bind passkeys to. */
export function expectedOf(
  deps: Pick<Deps, 'config' | 'keys'>,
  ceremony: Ceremony,
  isVerificationRequired: boolean,
): Expected | undefined {
  const { baseUrl, passkeyRpId: rpId } = deps.config
  if (rpId === undefined) return undefined
  return expectedAt(deps, { rpId, origins: [baseUrl] }, ceremony, isVerificationRequired)
}

/** The same on any page. */
export function expectedAt(
  deps: Pick<Deps, 'keys'>,
  page: PasskeyPage,
  ceremony: Ceremony,
  isVerificationRequired: boolean,
): Expected {
  const { rpId, origins } = page
  return { challenges: challengesOf(deps, ceremony), origins, rpId, isVerificationRequired }
}

/** The answer of an authenticator as a page has sent it; undefined when it has another form. */
export function readCredential<Credential>(
  schema: z.ZodType<Credential>,
  text: string,
): Credential | undefined {
  if (text.length > maxCredentialBytes) return undefined
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** The owner of a new passkey. */
interface NewOwner {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly userId: string
}

/**
 * What authenticators call a user: 32 bytes that say nothing of who it is, the same for each passkey, so that a device keeps one
 * of them. Made of the user's id, so that a page can be shown without storing anything.
 */
export function userHandleOf({ accountId, environment, organizationId, userId }: NewOwner): Buffer {
  return hashSecret(['passkey', accountId, environment, organizationId, userId].join(':'))
}

/** A credential of the user, to be used, or not to be made twice. */
export interface KnownCredential {
  readonly credential_id: string
  readonly transports: readonly string[]
}

/** A passkey that is to be made. */
interface NewPasskey {
  readonly challenge: string
  readonly rpId: string
  /** Those that the user has. */
  readonly passkeys: readonly (KnownCredential & { readonly rp_id: string })[]
}

/** What a browser is asked for to make a passkey of a user (PublicKeyCredentialCreationOptionsJSON). */
export function toCreationOptions(
  { accountId, environment }: Pick<NewOwner, 'accountId' | 'environment'>,
  { organizationId, organizationName, email, isFirstFactor, userId }: PasskeyOffer,
  { challenge, rpId, passkeys }: NewPasskey,
): PasskeyCreationOptions {
  const organization = displayName(organizationName)
  return {
    challenge,
    rp: { id: rpId, name: organization },
    // Somebody may have one in several organizations of the service: the list of a browser shows which is which.
    user: {
      id: userHandleOf({ accountId, environment, organizationId, userId }).toString('base64url'),
      name: `${email} · ${organization}`,
      displayName: email,
    },
    pubKeyCredParams: keyAlgorithms.map((alg) => ({ type: 'public-key', alg }) as const),
    timeout: timeoutMs,
    excludeCredentials: passkeys.filter((known) => known.rp_id === rpId).map(toDescriptor),
    // One that only stands beside a password is asked for by its identifier, and need not be found without.
    authenticatorSelection: {
      residentKey: isFirstFactor ? 'required' : 'preferred',
      requireResidentKey: isFirstFactor,
      userVerification: isFirstFactor ? 'required' : 'preferred',
    },
    attestation: 'none',
  }
}

interface Use {
  readonly challenge: string
  readonly rpId: string
  /** Empty: any passkey of the service, which the browser lists. */
  readonly known: readonly KnownCredential[]
  readonly isVerificationRequired: boolean
}

/** What a browser is asked for to use a passkey (PublicKeyCredentialRequestOptionsJSON). */
export function toRequestOptions({
  challenge,
  rpId,
  known,
  isVerificationRequired,
}: Use): PasskeyRequestOptions {
  return {
    challenge,
    rpId,
    timeout: timeoutMs,
    allowCredentials: known.map(toDescriptor),
    userVerification: isVerificationRequired ? 'required' : 'preferred',
  }
}

function toDescriptor({ credential_id: id, transports }: KnownCredential) {
  return { type: 'public-key' as const, id, transports: [...transports] }
}
