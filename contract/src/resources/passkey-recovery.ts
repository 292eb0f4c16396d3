import { z } from 'zod/v4'
import { environment, id, personal, slug, text, timestamp } from '../core/fields.js'
import { record } from '../core/record.js'

/** How long a recovery is open, in seconds. */
export const passkeyRecoverySeconds = 24 * 60 * 60

/** How long its reason may be, in characters. */
export const maxRecoveryReason = 500

/** A user who has lost their passkeys may add one by a sign-in that proves their mailbox. It ends with the passkey that is added. */
export const PasskeyRecovery = record(
  'PasskeyRecovery',
  {
    __type__: z.literal('PasskeyRecovery'),
    __domain__: slug(),
    __environment__: environment(),
    user_id: id(),
    reason: personal(z.string()).describe('Why it was opened; the mail to the user does not say it'),
    expired_at: timestamp().describe('24 hours later, unless a passkey is added before'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'PasskeyRecovery',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    reason: 'Lost their telephone; confirmed by a call',
    expired_at: '2026-03-15T09:26:53.589Z',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type PasskeyRecovery = z.output<typeof PasskeyRecovery>

export const NewPasskeyRecovery = z.strictObject({ reason: personal(text(maxRecoveryReason, 1)) })
export type NewPasskeyRecovery = z.output<typeof NewPasskeyRecovery>
