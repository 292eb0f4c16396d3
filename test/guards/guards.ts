import type { Guard } from './guard.js'
import { apiKeyGuards } from './api-key-guards.js'
import { changeGuards } from './change-guards.js'
import { codeGuards } from './code-guards.js'
import { erasureGuards } from './erasure-guards.js'
import { magicLinkGuards } from './magic-link-guards.js'
import { outboundGuards } from './outbound-guards.js'
import { relayGuards } from './relay-guards.js'
import { signatureGuards } from './signature-guards.js'
import { tenantGuards } from './tenant-guards.js'
import { webhookGuards } from './webhook-guards.js'

/** Every predicate that keeps somebody out, with the test that notices its removal. */
export const guards: readonly Guard[] = [
  ...tenantGuards,
  ...changeGuards,
  ...apiKeyGuards,
  ...magicLinkGuards,
  ...codeGuards,
  ...outboundGuards,
  ...signatureGuards,
  ...webhookGuards,
  ...relayGuards,
  ...erasureGuards,
]
