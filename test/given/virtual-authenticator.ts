import type { Page } from 'playwright-core'

/** The options of an authenticator of Chromium (Chrome DevTools Protocol, VirtualAuthenticatorOptions). */
export type Authenticator = Readonly<Record<string, unknown>>

/** A built-in authenticator, which keeps passkeys and verifies its user. */
export const platform: Authenticator = {
  ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal' },
  ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
  ...{ automaticPresenceSimulation: true, defaultBackupEligibility: true, defaultBackupState: true },
}

/** A passkey as an authenticator keeps it. */
interface KeptKey {
  readonly credentialId: string
  readonly userName?: string
}

/** Gives the browser of a page an authenticator. @returns What it keeps. */
export async function addAuthenticator(
  page: Page,
  options: Authenticator,
): Promise<() => Promise<KeptKey[]>> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  // The types of the protocol are those of one version.
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options } as never)
  return async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials
}

/** Has the browser propose no passkey among the addresses: a virtual authenticator would choose it at once. */
export async function proposeNone(page: Page): Promise<void> {
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
}
