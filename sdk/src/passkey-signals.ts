import type { PasskeyRegistration } from './generated.js'

/** What a page tells the browser of the passkeys of its user (Web Authentication Level 3 section 5.1.10). */
export interface PasskeySignals {
  /** For `PublicKeyCredential.signalAllAcceptedCredentials()`: the browser proposes no others of this user. */
  readonly accepted: {
    readonly rpId: string
    readonly userId: string
    readonly allAcceptedCredentialIds: readonly string[]
  }
  /** For `PublicKeyCredential.signalCurrentUserDetails()`: what the browser calls the user in its list. */
  readonly details: {
    readonly rpId: string
    readonly userId: string
    readonly name: string
    readonly displayName: string
  }
}

/**
 * What to tell a browser after a passkey of a user was removed, or their address changed.
 *
 * @param registration Asked for after the change: its options name the user as passkeys do, and each passkey that they have.
 * @example
 * ```ts
 * const user_id = '019b6f2e-5c1d-7a60-9f3e-2b1c4d5e6f70'
 * const registration = await client.passkeys.createRegistration({ org_domain: 'acme', user_id })
 * return passkeySignals(registration)
 * ```
 */
export function passkeySignals({ options }: Pick<PasskeyRegistration, 'options'>): PasskeySignals {
  const { rp, user, excludeCredentials } = options
  const of = { rpId: rp.id, userId: user.id }
  return {
    accepted: { ...of, allAcceptedCredentialIds: excludeCredentials.map(({ id }) => id) },
    details: { ...of, name: user.name, displayName: user.displayName },
  }
}
