import type { NewCredential, UsedCredential } from '@portico/contract/passkey-credentials'
import { z } from 'zod/v4'

/** The keys that are asked for: EdDSA, ES256 and RS256, as COSE numbers them (RFC 9053 section 2, RFC 8812 section 2). */
export const keyAlgorithms: readonly number[] = [-8, -7, -257]

/** What the answer of an authenticator has to be of. */
export interface Expected {
  /** One for each master key: the page may have been shown by a process with another current one. */
  readonly challenges: readonly string[]
  /** Those that the page may have, to the letter. */
  readonly origins: readonly string[]
  readonly rpId: string
  /** Whether the authenticator has to have asked for a fingerprint, a face or a PIN. */
  readonly isVerificationRequired: boolean
}

/** A key that an authenticator has made. */
export interface MadeKey {
  readonly credentialId: string
  readonly publicKey: Buffer
  /** Null where the authenticator does not say what it is. */
  readonly aaguid: string | null
  /** The flag BE: its provider may copy it. */
  readonly isSynced: boolean
  /** The flag BS. */
  readonly isBackedUp: boolean
  readonly signCount: number
}

/** A key that was used. */
export interface UsedKey {
  readonly isSynced: boolean
  readonly isBackedUp: boolean
  readonly isVerified: boolean
  readonly signCount: number
}

/**
 * Loaded with the first answer of an authenticator: it brings a hundred modules of certificates along. Nothing is asked of the makers
 * of authenticators, so it has none of their certificates: to those that it knows of itself it would fetch lists of revoked ones.
 */
async function load() {
  const library = await import('@simplewebauthn/server')
  for (const identifier of ['android-key', 'android-safetynet', 'apple'] as const)
    library.SettingsService.setRootCertificates({ identifier, certificates: [] })
  return library
}

/** Verifies a new key (Web Authentication Level 3 section 7.1). @returns Undefined when anything is wrong with it. */
export async function verifyMadeKey(
  { id, rawId, type, response }: NewCredential,
  { challenges, origins, rpId, isVerificationRequired }: Expected,
): Promise<MadeKey | undefined> {
  const { verifyRegistrationResponse } = await load()
  const { clientDataJSON, attestationObject } = response
  const info = await unlessWrong(clientDataJSON, async () => {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId,
        type,
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: (challenge) => challenges.includes(challenge),
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserPresence: true,
      requireUserVerification: isVerificationRequired,
      supportedAlgorithmIDs: [...keyAlgorithms],
    })
    return registrationInfo
  })
  // The identifier that the page has sent is not signed; that of the authenticator data is the key's.
  if (info === undefined || info.credential.id !== id) return undefined
  return {
    credentialId: info.credential.id,
    publicKey: Buffer.from(info.credential.publicKey),
    aaguid: /^[0-]+$/.test(info.aaguid) ? null : info.aaguid,
    isSynced: info.credentialDeviceType === 'multiDevice',
    isBackedUp: info.credentialBackedUp,
    signCount: info.credential.counter,
  }
}

/**
 * Verifies the use of a key (Web Authentication Level 3 section 7.2), but for its count of uses, which one statement compares
 * and stores. @returns Undefined when anything is wrong with it.
 */
export async function verifyUsedKey(
  { id, rawId, type, response }: UsedCredential,
  publicKey: Buffer,
  { challenges, origins, rpId, isVerificationRequired }: Expected,
): Promise<UsedKey | undefined> {
  const { verifyAuthenticationResponse } = await load()
  const { clientDataJSON, authenticatorData, signature } = response
  return unlessWrong(clientDataJSON, async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...{ id, rawId, type, clientExtensionResults: {} },
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: (challenge) => challenges.includes(challenge),
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserVerification: isVerificationRequired,
      credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 },
    })
    if (!verified) return undefined
    return {
      isSynced: authenticationInfo.credentialDeviceType === 'multiDevice',
      isBackedUp: authenticationInfo.credentialBackedUp,
      isVerified: authenticationInfo.userVerified,
      signCount: authenticationInfo.newCounter,
    }
  })
}

/** The members of the client data that say where a page stands (Web Authentication Level 3 section 5.8.1). */
const Place = z.object({ crossOrigin: z.boolean().optional(), topOrigin: z.string().optional() })

/** The library throws for each fault of an answer, and never for another reason: it works on what it is given alone. */
async function unlessWrong<Result>(
  clientDataJSON: string,
  verify: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    const place = Place.parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')))
    // Our pages are in no frame.
    if (place.crossOrigin === true || place.topOrigin !== undefined) return undefined
    return await verify()
  } catch {
    return undefined
  }
}
