import { acrValues } from '@portico/contract/authorize'

/** What acr_values and the claim acr say of `phr`: the answer may have it, or there is no other. */
export type AskedPhr = 'asked' | 'required'

/** Whether the request takes no other second factor than a passkey. */
export function demandsPasskey(claims: { readonly phr?: AskedPhr | undefined } | null): boolean {
  return claims?.phr === 'required'
}

/** Whether nobody can have been led to another site to sign in there: a passkey answers its own alone. */
export function isPhishingResistant(amr: readonly string[]): boolean {
  return amr.includes('pop')
}

/**
 * How strong a sign-in was.
 *
 * @param amr How the user was authenticated; `mfa` is among it after a second factor (RFC 8176).
 * @param phr What the request has said of it: a client that has not asked for it does not know it.
 */
export function toAcr(amr: readonly string[], phr?: AskedPhr): string {
  if (phr !== undefined && isPhishingResistant(amr)) return acrValues.phishingResistant
  return amr.includes('mfa') ? acrValues.twoFactors : acrValues.oneFactor
}
