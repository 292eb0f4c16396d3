import type { SealContext } from '../../platform/crypto/seal.js'

/** The row of a social provider. */
export interface ProviderKey {
  readonly accountId: string
  readonly environment: string
  readonly providerId: string
}

/** The context under which the client's secret is sealed; the re-sealing command uses it too. */
export function socialSecretContext({ accountId, environment, providerId }: ProviderKey): SealContext {
  return {
    purpose: 'social_provider',
    scope: accountId,
    aad: `social_providers.client_secret_sealed:${accountId}:${environment}:${providerId}`,
  }
}
