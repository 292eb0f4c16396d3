import { acrValues, type AuthorizationRequest, type ClaimRequest } from '@portico/contract/authorize'
import type { AskedPhr } from '../../tokens/acr.js'

/** The values of acr that the application accepts (OpenID Connect Core section 5.5.1.1); undefined: any. */
export function essentialAcrs({ claims }: AuthorizationRequest): string[] | undefined {
  const acr = claims?.id_token?.['acr']
  return acr?.essential === true ? valuesOf(acr) : undefined
}

/** Whether a demand of acr has no value that a sign-in can have. */
export function isAcrUnknown(request: AuthorizationRequest): boolean {
  const known: readonly string[] = Object.values(acrValues)
  return essentialAcrs(request)?.some((value) => known.includes(value)) === false
}

/** The texts among the values that a claim must have; undefined where it may have any. */
export function valuesOf(asked: ClaimRequest | undefined): string[] | undefined {
  if (asked?.value === undefined && asked?.values === undefined) return undefined
  const values = asked.values ?? [asked.value]
  return values.filter((value) => typeof value === 'string')
}

type Factors = 'any' | 'two_if_possible' | 'two' | 'phishing_resistant'

/** The factors that the application requires, by acr_values and by an essential claim acr: the stricter ones of both. */
export function requiredFactors(request: AuthorizationRequest): Factors {
  const demanded = [factorsOf(request.acr_values ?? []), factorsOf(essentialAcrs(request) ?? [])]
  return (
    (['phishing_resistant', 'two', 'two_if_possible'] as const).find((factors) =>
      demanded.includes(factors),
    ) ?? 'any'
  )
}

/** What the request says of `phr`; undefined: nothing. */
export function phrOf(request: AuthorizationRequest): AskedPhr | undefined {
  if (requiredFactors(request) === 'phishing_resistant') return 'required'
  const { phishingResistant } = acrValues
  // An essential claim takes no other value than those that it names.
  if (essentialAcrs(request)?.includes(phishingResistant) === false) return undefined
  const asked = [...(request.acr_values ?? []), ...(valuesOf(request.claims?.id_token?.['acr']) ?? [])]
  return asked.includes(phishingResistant) ? 'asked' : undefined
}

/** The factors of the first known value (OpenID Connect Core section 3.1.2.1); `phr` only where no other will do. */
function factorsOf(asked: readonly string[]): Factors {
  const { oneFactor, twoFactors, phishingResistant } = acrValues
  const first = asked.find((value) => value === oneFactor || value === twoFactors)
  if (first === undefined && asked.includes(phishingResistant)) return 'phishing_resistant'
  if (first !== twoFactors) return 'any'
  return asked.includes(oneFactor) ? 'two_if_possible' : 'two'
}
