import { z } from 'zod/v4'
import { scopes } from '../core/access.js'
import { environment, id, slug, timestamp } from '../core/fields.js'
import { record } from '../core/record.js'

/** An API key in events and in the operator's command; no record contains its secret. */
export const ApiKey = record(
  'ApiKey',
  {
    __type__: z.literal('ApiKey'),
    __domain__: slug(),
    __environment__: environment(),
    id: id().describe('The client_id'),
    name: z.string(),
    scopes: z.array(z.enum(scopes)).nullable().describe('null: every scope but write:impersonations'),
    organization_ids: z.array(id()).nullable().describe('null: every organization of the account'),
    expires_at: timestamp().nullable(),
    previous_secret_expires_at: timestamp()
      .nullable()
      .describe('Until then the secret before the last rotation is accepted too'),
    revoked_at: timestamp().nullable(),
    last_used_at: timestamp().nullable().describe('Accurate to about ten seconds'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'ApiKey',
    __domain__: 'acme',
    __environment__: 'sandbox',
    id: '7d1f0c52-6b0e-4c57-9a55-3f2f7c1f5a10',
    name: 'Backend of the shop',
    scopes: ['read:users', 'write:magic_links'],
    organization_ids: null,
    expires_at: '2027-03-14T09:26:53.589Z',
    previous_secret_expires_at: null,
    revoked_at: null,
    last_used_at: '2026-03-15T10:00:00.000Z',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type ApiKey = z.output<typeof ApiKey>
