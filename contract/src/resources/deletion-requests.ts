import { z } from 'zod/v4'
import { environment, id, slug, timestamp } from '../core/fields.js'
import { record } from '../core/record.js'

/** The wish of a user that their account be deleted. The administrators of the organization were told by mail. */
export const DeletionRequest = record(
  'DeletionRequest',
  {
    __type__: z.literal('DeletionRequest'),
    __domain__: slug(),
    __environment__: environment(),
    user_id: id(),
    expires_at: timestamp().describe('Until then the user asks no second time'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'DeletionRequest',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    expires_at: '2026-04-13T09:26:53.589Z',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type DeletionRequest = z.output<typeof DeletionRequest>
