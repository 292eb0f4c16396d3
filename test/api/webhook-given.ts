import type { Client, Webhook, WebhookDelivery } from '@portico/sdk'
import type { Service } from '../given/harness.js'
import type { Receiver } from '../given/receiver.js'

export type WebhookGiven = ReturnType<typeof webhooksOf>

/** Webhooks of a service's account, and the state of their deliveries. */
export function webhooksOf(service: Service, client: Client) {
  async function deliveriesTo(webhook: Webhook): Promise<WebhookDelivery[]> {
    const { data } = await client.webhooks.listDeliveries({ webhook_id: webhook.id, per_page: 100 })
    return data
  }
  return {
    /** A webhook with a receiver as its target, by default for events of new users. */
    subscribed(
      receiver: Receiver,
      members: Partial<Parameters<Client['webhooks']['create']>[0]> = {},
      as = client,
    ): Promise<Webhook> {
      return as.webhooks.create({
        name: 'Receiver',
        target_url: receiver.url,
        event_codes: ['user.user.create.success'],
        ...members,
      })
    },
    deliveriesTo,
    async onlyDeliveryTo(webhook: Webhook): Promise<WebhookDelivery> {
      const [delivery, ...others] = await deliveriesTo(webhook)
      if (delivery === undefined || others.length > 0) throw new Error('there is not exactly one delivery')
      return delivery
    },
    /** Creates users in an organization of their own, which emits subscribed events. */
    async happen(times = 1): Promise<void> {
      const { domain } = await service.given.organization()
      for (let count = 0; count < times; count += 1) await service.given.user({ org_domain: domain })
    },
  }
}
