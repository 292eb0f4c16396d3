import type { Environment } from '@portico/contract/fields'
import { normalizeEmail } from '../../platform/email.js'
import type { Deps } from '../deps.js'

/** The tenant of a message. */
export interface MessageScope {
  readonly accountId: string
  readonly environment: Environment
  readonly organizationId: string | null
  /** Domain of the organization, or of the account. */
  readonly domain: string
}

interface KeptMessage {
  /** A UUID: a kept message replaces that of an earlier attempt. */
  readonly id: string
  readonly channel: 'mail' | 'sms'
  readonly recipient: string
  /** Of the user: the message is erased with them. */
  readonly email: string
  readonly subject?: string
  readonly text: string
  readonly html?: string
}

/** Keeps a message in the outbox instead of sending it. */
export async function keepMessage(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { accountId, environment, organizationId, domain }: MessageScope,
  { id, channel, email, ...message }: KeptMessage,
): Promise<void> {
  const content = { ...message, email_normalized: normalizeEmail(email), inserted_at: now() }
  await db
    .insertInto('outbox_messages')
    .values({
      account_id: accountId,
      environment,
      id,
      organization_id: organizationId,
      domain,
      channel,
      ...content,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'environment', 'id']).doUpdateSet(content))
    .execute()
}
