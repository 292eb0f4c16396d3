import { z } from 'zod/v4'
import { environment, id, slug, timestamp } from '../core/fields.js'
import { record } from '../core/record.js'

/** A change of the address of a user, by the user on the account page. The addresses are in `user.user.update.success`. */
export const EmailChange = record(
  'EmailChange',
  {
    __type__: z.literal('EmailChange'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    user_id: id(),
    confirmed_at: timestamp().nullable().describe('When both mailboxes were proved, and the address changed'),
    reverted_at: timestamp()
      .nullable()
      .describe(
        'When the owner of the address of before has put it back; for 72 hours it is not changed again',
      ),
    inserted_at: timestamp(),
  },
  {
    __type__: 'EmailChange',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190cd20-5a6b-7c8d-9e0f-1a2b3c4d5e6f',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    confirmed_at: '2026-03-14T09:31:07.120Z',
    reverted_at: null,
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type EmailChange = z.output<typeof EmailChange>
