import { announcements } from '../../platform/db/announcements.js'

/** Notifies this process's senders of the webhooks that have new deliveries. */
export const { onAnnounced: onDeliveries, announce: announceDeliveries } = announcements<readonly string[]>()
