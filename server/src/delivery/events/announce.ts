import { announcements } from '../../platform/db/announcements.js'

/** Tells the senders of this process of webhooks for which deliveries were made. */
export const { onAnnounced: onDeliveries, announce: announceDeliveries } = announcements<readonly string[]>()
