import { contractTest, guard, routeTests, unitTest, without } from './guard.js'

const deliveries = 'server/src/delivery/webhooks/deliveries.ts'
const queue = 'server/src/delivery/webhooks/queue.ts'
const sender = 'server/src/delivery/webhooks/sender.ts'
const emit = 'server/src/delivery/events/emit.ts'

const listDeliveries = routeTests('webhooks.listDeliveries')

const anEvent = (title: string) => contractTest('deliveries', `an event ${title}`)
const toWhoSubscribes = anEvent(
  'is posted as JSON to who subscribes to its code, its family or to all, and to nobody else',
)
const notAfterRefusal = anEvent('of a change that was refused is not sent')
const afterLease = anEvent(
  'that a process was sending when it ended is sent by another when the lease has run out',
)
const notToInactive = anEvent('that waits when its webhook becomes inactive waits on until it is active')
const inSlots = anEvent('for one receiver does not wait for another that does not answer')
const isSubscribed = contractTest('webhooks', 'a webhook subscribes to each code once')
const keySigns = contractTest('webhooks', 'the signature key signs beside its successor for a day')
const notToldWithKey = contractTest('webhooks', 'a webhook tells of itself in events without its key')

/**
 * Whose webhooks these are, who is sent what, and what is sent once. That nobody is sent an event of another account or
 * environment has no row: the foreign keys of a delivery refuse it, and no statement alone can let it pass.
 */
export const webhookGuards = [
  ...(['accountId', 'environment'] as const).flatMap((owner) => {
    const column = owner === 'accountId' ? 'account_id' : 'environment'
    return [
      guard({
        name: `${owner}: deliveries`,
        file: deliveries,
        ...without(column, "ofEnvironment({ accountId, environment }, 'webhook_deliveries')"),
        also: [
          {
            file: deliveries,
            find: ".where(({ exists }) => exists( webhooksOf(db, { accountId, environment }).where('webhooks.id', '=', webhookId).select('webhooks.id'), ), )",
            replace: '',
          },
        ],
        red: listDeliveries.hidesForeign,
        green: listDeliveries.succeeds,
      }),
    ]
  }),
  guard({
    name: 'subscription: who is sent an event',
    file: emit,
    find: 'then active and event_codes && ${event.selectors}::text[]',
    replace: 'then active and ${event.selectors}::text[] is not null',
    red: toWhoSubscribes,
    green: isSubscribed,
  }),
  guard({
    name: 'active: what is sent',
    file: queue,
    find: ') due where wanted.active',
    replace: ') due',
    red: notToInactive,
    green: toWhoSubscribes,
  }),
  guard({
    name: 'lease: how an attempt ended',
    file: queue,
    find: 'and webhook_deliveries.lease = ending.lease',
    replace: 'and ending.lease is not null',
    red: unitTest(
      queue,
      'attempts that are stored together are each recorded, but for one whose lease has ended',
    ),
    green: toWhoSubscribes,
  }),
  guard({
    name: 'lease: an event that is being sent',
    file: queue,
    find: 'set run_at = ${leaseUntil}, lease',
    replace: "set run_at = ${leaseUntil}::timestamptz - interval '1 hour', lease",
    red: afterLease,
    green: notAfterRefusal,
  }),
  guard({
    name: 'slots of a webhook',
    file: sender,
    find: 'healthy: Math.min(perWebhook - busy, free)',
    replace: 'healthy: free',
    red: inSlots,
    green: toWhoSubscribes,
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
