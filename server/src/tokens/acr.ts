import { acrValues } from '@portico/contract/authorize'

/** How strong a sign-in was. @param amr How the user was authenticated; `mfa` is among it after a second factor (RFC 8176). */
export function toAcr(amr: readonly string[]): string {
  return amr.includes('mfa') ? acrValues.twoFactors : acrValues.oneFactor
}
