import { newSignatureKey } from '@portico/contract/webhook-signature'
import { randomBytes } from '../../platform/crypto/random.js'
import { open, seal, type SealContext } from '../../platform/crypto/seal.js'
import type { Deps } from '../deps.js'

/** The key of a webhook. */
interface WebhookName {
  readonly accountId: string
  readonly environment: string
  readonly id: string
}

/** The sealing context of a webhook's keys: identical for both, so that a rotation moves a key without unsealing it. */
export function signatureKeyContext({ accountId, environment, id }: WebhookName): SealContext {
  return {
    purpose: 'webhook_signature_key',
    scope: accountId,
    aad: `webhooks.signature_key:${environment}:${id}`,
  }
}

export function sealNewSignatureKey({ keys }: Pick<Deps, 'keys'>, webhook: WebhookName): Buffer {
  return seal(keys.master, signatureKeyContext(webhook), newSignatureKey(new Uint8Array(randomBytes(32))))
}

export function openSignatureKey({ keys }: Pick<Deps, 'keys'>, webhook: WebhookName, sealed: Buffer): string {
  return open(keys.master, signatureKeyContext(webhook), sealed).toString()
}
