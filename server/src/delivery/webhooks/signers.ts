import { createHmac, createSecretKey } from 'node:crypto'
import { createSigner, type Mac } from '@portico/contract/webhook-signature'
import { keepRecentlyUsed } from '../../platform/recently-used.js'
import type { Deps } from '../deps.js'
import type { ClaimedDelivery } from './queue.js'
import { openSignatureKey } from './signature-keys.js'

type Signer = ReturnType<typeof createSigner>
type Signed = Pick<
  ClaimedDelivery,
  | 'account_id'
  | 'environment'
  | 'webhook_id'
  | 'signature_key_sealed'
  | 'previous_signature_key_sealed'
  | 'previous_signature_key_expires_at'
>

/** Gives the signer of a delivery at a time, which includes the previous key while that is valid. */
export type SignerOf = (delivery: Signed, at: Date) => Signer

/** Signers cached in memory; unsealing and importing the keys takes several times as long as signing. */
const keptSigners = 1_000

/** Web Crypto passes every text to another thread, which takes longer than the HMAC itself. */
const nodeMac: Mac = (bytes) => {
  const key = createSecretKey(bytes)
  return (text) => Promise.resolve(createHmac('sha256', key).update(text).digest())
}

/** Makes signers, and caches the most recently used ones. */
export function cacheSigners({ keys }: Pick<Deps, 'keys'>): SignerOf {
  /** By the sealed keys, so that a rotation misses the cache. */
  const kept = new Map<string, Signer>()
  return (delivery, at) => {
    const webhook = {
      accountId: delivery.account_id,
      environment: delivery.environment,
      id: delivery.webhook_id,
    }
    const current = delivery.signature_key_sealed
    const isPreviousAlive = (delivery.previous_signature_key_expires_at ?? at) > at
    const previous = isPreviousAlive ? delivery.previous_signature_key_sealed : null
    const name = [webhook.id, current.toString('base64'), previous?.toString('base64')].join()
    const signer =
      kept.get(name) ??
      createSigner(
        {
          current: openSignatureKey({ keys }, webhook, current),
          previous: previous === null ? undefined : openSignatureKey({ keys }, webhook, previous),
        },
        nodeMac,
      )
    return keepRecentlyUsed(kept, name, signer, keptSigners)
  }
}
