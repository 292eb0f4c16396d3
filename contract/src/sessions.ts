import { z } from 'zod/v4'
import { environment, id, slug, timestamp } from './fields.js'
import { record } from './record.js'

/** A user signed in to an application; told by the event of the sign-in. */
export const Session = record(
  'Session',
  {
    __type__: z.literal('Session'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    user_id: id(),
    client_id: id(),
    amr: z.array(z.string()).describe('How the user was authenticated: email, relay, or a name of RFC 8176'),
    authenticated_at: timestamp(),
    expires_at: timestamp(),
  },
  {
    __type__: 'Session',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190c8e0-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    amr: ['email'],
    authenticated_at: '2026-03-14T09:26:53.589Z',
    expires_at: '2026-03-14T17:26:53.589Z',
  },
)
export type Session = z.output<typeof Session>
