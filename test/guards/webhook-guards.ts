import { contractTest, guard } from './guard.js'

const queue = 'server/src/delivery/webhooks/queue.ts'

const anEvent = (title: string) => contractTest('deliveries', `an event ${title}`)
const toWhoSubscribes = anEvent(
  'is posted as JSON to who subscribes to its code, its family or to all, and to nobody else',
)
const notToInactive = anEvent('is not sent to an inactive webhook, then or later')
const afterLease = anEvent(
  'that a process was sending when it ended is sent by another when the lease has run out',
)
const isSubscribed = contractTest('webhooks', 'a webhook subscribes to each code once')
const keySigns = contractTest('webhooks', 'the signature key signs beside its successor for a day')
const notToldWithKey = contractTest('webhooks', 'a webhook tells of itself in events without its key')

/** Guards of webhooks: single delivery, and signature keys. */
export const webhookGuards = [
  guard({
    name: 'lease: an event that is being sent',
    file: queue,
    find: 'set run_at = ${leaseUntil}, lease',
    replace: "set run_at = ${leaseUntil}::timestamptz - interval '1 hour', lease",
    red: afterLease,
    green: notToInactive,
  }),
  guard({
    name: 'expiry: the key before',
    file: 'server/src/delivery/webhooks/signers.ts',
    find: '(delivery.previous_signature_key_expires_at ?? at) > at',
    replace: 'delivery.previous_signature_key_expires_at !== null',
    red: keySigns,
    green: toWhoSubscribes,
  }),
  guard({
    name: 'secret: the key in events',
    file: 'contract/src/events/webhook-records.ts',
    find: 'export const WebhookData = Webhook.omit({ signature_key: true }).meta({',
    replace: 'export const WebhookData = z.object({ ...Webhook.shape, signature_key: z.string() }).meta({',
    red: notToldWithKey,
    green: isSubscribed,
  }),
]
