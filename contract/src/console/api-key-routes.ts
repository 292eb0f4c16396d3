import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access, scopes } from '../core/access.js'
import { changing, creating, reading } from '../core/answers.js'
import {
  filter,
  id,
  idempotencyHeader,
  integer,
  list,
  PageQuery,
  pathId,
  reference,
  secret,
  text,
} from '../core/fields.js'
import { exampleOf, listOf, record } from '../core/record.js'
import { ApiKey } from '../resources/api-keys.js'

/** An API key with its new secret, in the one answer that shows it. */
export const IssuedApiKey = record(
  'IssuedApiKey',
  {
    ...ApiKey.shape,
    client_id: id().describe('The same as id'),
    client_secret: secret(z.string()).describe('Shown here only'),
  },
  { ...exampleOf(ApiKey), client_id: exampleOf(ApiKey).id, client_secret: 'keysandbox_…' },
)
export type IssuedApiKey = z.output<typeof IssuedApiKey>

export const NewKey = z
  .strictObject({
    name: text(100, 1).describe('What the key is for'),
    // Required, because the key of somebody who has chosen nothing would have every scope.
    scopes: list(z.enum(scopes), scopes.length, 1)
      .nullable()
      .describe('What the key may do, within what its maker may; null: all but write:impersonations'),
    organization_ids: list(reference(), 100, 1)
      .nullish()
      .describe('The only organizations it may see; null: every organization of the account'),
    expires_at: z.iso
      .datetime({ offset: true, error: 'must be a date and time such as 2099-01-31T00:00:00Z' })
      .nullish()
      .describe('A time within five years; null: the key does not expire. Default: in a year'),
  })
  .meta({ examples: [{ name: 'Backend of the shop', scopes: ['read:users', 'write:magic_links'] }] })
export type NewKey = z.output<typeof NewKey>

export const KeyRotation = z
  .strictObject({
    overlap_in_seconds: integer({ min: 0, max: 2_592_000 })
      .default(86_400)
      .describe('How long the secret before is accepted, too: at most 30 days'),
  })
  .meta({ examples: [{ overlap_in_seconds: 3600 }] })
export type KeyRotation = z.output<typeof KeyRotation>

export const KeyQuery = PageQuery.extend({
  state: filter(z.enum(['active', 'expired', 'revoked'])).describe('Only keys in this state'),
})
export type KeyQuery = z.output<typeof KeyQuery>

const KeyPath = z.object({ api_key_id: pathId() })
const path = '/console/v1/api-keys'

const tag = {
  name: 'API keys',
  description: 'What the back ends of an account call the API with.',
  notPromoted: 'keys stay in their environment',
}
const ofAccount = { tag, reach: 'account' } as const
const c = initContract()

export const apiKeys = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary: 'Create an API key; only this answer contains its secret',
      headers: idempotencyHeader,
      body: NewKey,
      responses: creating({ 201: IssuedApiKey }, 'key_limited_to_organizations'),
      metadata: access({
        ...ofAccount,
        scope: 'write:api_keys',
        danger: 'proof',
        spansEnvironments: 'by_scopes',
        emits: ['api_key.api_key.create.success'],
        idempotent: true,
      }),
    },
    list: {
      method: 'GET',
      path,
      summary: 'List the API keys of the account, newest first, revoked ones too',
      query: KeyQuery,
      responses: reading({ 200: listOf(ApiKey) }, 'key_limited_to_organizations'),
      metadata: access({ ...ofAccount, scope: 'read:api_keys' }),
    },
    get: {
      method: 'GET',
      path: `${path}/:api_key_id`,
      summary: 'Read an API key',
      pathParams: KeyPath,
      responses: reading(
        { 200: ApiKey },
        'malformed_request',
        'api_key_not_found',
        'key_limited_to_organizations',
      ),
      metadata: access({ ...ofAccount, scope: 'read:api_keys' }),
    },
    rotate: {
      method: 'POST',
      path: `${path}/:api_key_id/rotate`,
      summary: 'Replace the secret of an API key; only this answer contains the new one',
      headers: idempotencyHeader,
      pathParams: KeyPath,
      body: KeyRotation,
      responses: creating(
        { 200: IssuedApiKey },
        'api_key_not_found',
        'api_key_revoked',
        'key_limited_to_organizations',
      ),
      metadata: access({
        ...ofAccount,
        scope: 'write:api_keys',
        danger: 'proof',
        spansEnvironments: 'perhaps',
        emits: ['api_key.api_key.rotate.success'],
        idempotent: true,
      }),
    },
    revoke: {
      method: 'POST',
      path: `${path}/:api_key_id/revoke`,
      summary: 'Revoke an API key; its tokens are refused within seconds',
      pathParams: KeyPath,
      body: c.noBody(),
      responses: changing(
        { 200: ApiKey },
        'api_key_not_found',
        'api_key_revoked',
        'key_limited_to_organizations',
      ),
      metadata: access({
        ...ofAccount,
        scope: 'write:api_keys',
        danger: 'proof',
        emits: ['api_key.api_key.revoke.success'],
      }),
    },
  },
  { strictStatusCodes: true },
)
