import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, reading } from '../core/answers.js'
import { requestedScope } from './code-request.js'
import {
  environment,
  EnvironmentQuery,
  flag,
  id,
  idempotencyHeader,
  ifMatchHeader,
  PageQuery,
  pathId,
  secret,
  slug,
  text,
  timestamp,
  url,
} from '../core/fields.js'
import { deletionOf, listOf, record } from '../core/record.js'

const relayId = '0190c900-4d5e-7f60-a172-839405162738'

export const Relay = record(
  'Relay',
  {
    __type__: z.literal('Relay'),
    __domain__: slug().describe('Domain of the account'),
    __environment__: environment(),
    __managed_by__: slug().describe('Domain of the account'),
    id: id(),
    partner_domain: slug().describe('Domain of the organization that users are handed over to'),
    partner_redirect_uri: z
      .string()
      .describe('Redirect URI to which users are sent with an authorization code'),
    active: z.boolean(),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Relay',
    __domain__: 'acme',
    __environment__: 'sandbox',
    __managed_by__: 'acme',
    id: relayId,
    partner_domain: 'partner-company',
    partner_redirect_uri: 'https://partner.example/callback',
    active: true,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Relay = z.output<typeof Relay>

export const RelayRequest = record(
  'RelayRequest',
  {
    __type__: z.literal('RelayRequest'),
    __domain__: slug().describe('Domain of the organization of the user'),
    __environment__: environment(),
    id: id(),
    relay_id: id(),
    user_id: id().describe('Id of the user in their own organization'),
    relay_uri: secret(z.string()).describe(
      'Redirect the browser of the user to this URL immediately; valid once, for 60 seconds',
    ),
    expires_at: timestamp(),
  },
  {
    __type__: 'RelayRequest',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190c901-5e6f-7071-8283-940516273849',
    relay_id: relayId,
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    relay_uri: 'https://auth.example/relay/q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9q3Jc0mVx8n2',
    expires_at: '2026-03-14T09:27:53.589Z',
  },
)
export type RelayRequest = z.output<typeof RelayRequest>

const partnerRedirectUri = url().describe(
  'An allowed redirect URL of an application that the partner can use',
)

export const NewRelay = z.strictObject({
  partner_domain: slug(),
  partner_redirect_uri: partnerRedirectUri,
  environment: EnvironmentQuery.shape.environment,
})
export type NewRelay = z.output<typeof NewRelay>

export const RelayChanges = z.strictObject({
  partner_redirect_uri: partnerRedirectUri.optional(),
  active: flag().optional(),
  environment: EnvironmentQuery.shape.environment,
})
export type RelayChanges = z.output<typeof RelayChanges>

export const NewRelayRequest = z.strictObject({
  access_token: secret(text(10_000, 1)).describe('The access token of the user who is signed in'),
  scope: requestedScope(),
})
export type NewRelayRequest = z.output<typeof NewRelayRequest>

const RelayPath = z.object({ relay_id: pathId() })

const tag = {
  name: 'Relays',
  description: 'Carrying a user who is signed in to a partner, without another sign-in.',
  notPromoted: 'a relay has no name, and leads to an address of its environment',
}
const limited = 'key_limited_to_organizations'
const c = initContract()

export const relays = c.router(
  {
    create: {
      method: 'POST',
      path: '/api/v2/relays',
      summary: 'Create a relay to a partner',
      headers: idempotencyHeader,
      body: NewRelay,
      responses: creating({ 201: Relay }, limited, 'organization_not_found', 'partner_not_open'),
      metadata: access({
        tag,
        scope: 'write:relays',
        danger: 'proof',
        reach: 'account',
        emits: ['relay.relay.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    list: {
      method: 'GET',
      path: '/api/v2/relays',
      summary: 'List relays, newest first',
      query: PageQuery,
      responses: reading({ 200: listOf(Relay) }, limited),
      metadata: access({ tag, scope: 'read:relays', reach: 'account' }),
    },
    get: {
      method: 'GET',
      path: '/api/v2/relays/:relay_id',
      summary: 'Get a relay',
      pathParams: RelayPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: Relay },
        'malformed_request',
        limited,
        'relay_not_found',
        'invalid_parameters',
      ),
      metadata: access({ tag, scope: 'read:relays', reach: 'account', versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: '/api/v2/relays/:relay_id',
      summary: 'Change a relay',
      headers: ifMatchHeader,
      pathParams: RelayPath,
      body: RelayChanges,
      responses: changing(
        { 200: Relay },
        limited,
        'relay_not_found',
        'partner_not_open',
        'precondition_failed',
      ),
      metadata: access({
        tag,
        scope: 'write:relays',
        danger: 'proof',
        reach: 'account',
        emits: ['relay.relay.update.success'],
        versioned: 'checks',
      }),
    },
    delete: {
      method: 'DELETE',
      path: '/api/v2/relays/:relay_id',
      summary: 'Delete a relay; its open requests become invalid',
      headers: ifMatchHeader,
      pathParams: RelayPath,
      responses: changing({ 200: deletionOf(Relay) }, limited, 'relay_not_found', 'precondition_failed'),
      metadata: access({
        tag,
        scope: 'write:relays',
        danger: 'proof',
        reach: 'account',
        emits: ['relay.relay.delete.success'],
        versioned: 'checks',
      }),
    },
    request: {
      method: 'POST',
      path: '/api/v2/relays/:relay_id/request',
      summary: 'Create the URL that hands a signed-in user over to the partner',
      pathParams: RelayPath,
      body: NewRelayRequest,
      responses: changing(
        { 201: RelayRequest },
        limited,
        'relay_not_found',
        'relay_inactive',
        'partner_not_open',
        'access_token_refused',
      ),
      metadata: access({
        tag,
        scope: 'write:relays',
        asUser: 'refused',
        reach: 'account',
        emits: ['relay.request.create.success'],
      }),
    },
  },
  { strictStatusCodes: true },
)
