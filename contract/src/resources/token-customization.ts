import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  EnvironmentQuery,
  flag,
  idempotencyHeader,
  ifMatchHeader,
  integer,
  OrganizationPath,
  PageQuery,
  personal,
  reference,
  slug,
  text,
} from '../core/fields.js'
import { MetaKey, metaTypes } from './metadata.js'
import { deletionOf, listOf, record } from '../core/record.js'
import { User } from './users.js'

/** Names of claims; a claim with members is a tree, any other is null. */
export interface ClaimTree {
  [claim: string]: ClaimTree | null
}
const ClaimTree: z.ZodType<ClaimTree> = z
  .lazy(() => z.record(z.string(), z.union([z.null(), ClaimTree])))
  .meta({ id: 'ClaimTree' })

export const JwtSample = record(
  'JwtSample',
  {
    __type__: z.literal('__JwtSamples__'),
    __domain__: slug(),
    access_token_jwt: z.string(),
    access_token_keys: ClaimTree,
    id_token_jwt: z.string(),
    id_token_keys: ClaimTree,
  },
  {
    __type__: '__JwtSamples__',
    __domain__: 'awesome-company',
    access_token_jwt: 'eyJhbGciOiJFUzI1NiJ9.eyJqdHQiOiJhY2Nlc3NfdG9rZW4ifQ.c2lnbmF0dXJl',
    access_token_keys: { sub: null, meta_data: { employee_number: null } },
    id_token_jwt: 'eyJhbGciOiJFUzI1NiJ9.eyJqdHQiOiJpZF90b2tlbiJ9.c2lnbmF0dXJl',
    id_token_keys: { sub: null, resource_owner_metadata: { email: null } },
  },
)
export type JwtSample = z.output<typeof JwtSample>

export const SampleQuery = EnvironmentQuery.extend({
  user_id: reference().optional().describe('Id of an existing user; by default an invented user'),
  authorization_id: reference().optional().describe('Value of the claim authorization_id'),
  application_id: reference().optional().describe('Value of the claim cid'),
  expired: flag().optional().describe('Issue tokens that have already expired'),
  expiration_in_seconds: integer({ min: 1, max: 86_400 }).optional(),
})
export type SampleQuery = z.output<typeof SampleQuery>

/** Names that would pollute prototypes in programs that merge a token's claims. */
const dangerousNames = ['__proto__', 'constructor', 'prototype']

const metaKeyMembers = z.strictObject({
  name: text(100, 1)
    .regex(/^[^\s].*[^\s]$|^[^\s]$/u, 'must not begin or end with a space')
    .refine((name) => !dangerousNames.includes(name), `must not be ${dangerousNames.join(', ')}`),
  type: z
    .string()
    .transform((type) => type.toLowerCase())
    .pipe(z.enum(metaTypes))
    .meta({ enum: [...metaTypes] }),
  required: flag().default(false),
})

/** Older callers wrap the members in `user_metakey`. */
export const NewMetaKey = z.preprocess(unwrapped, metaKeyMembers)
export type NewMetaKey = z.output<typeof NewMetaKey>

function unwrapped(body: unknown): unknown {
  const isWrapped = typeof body === 'object' && body !== null && 'user_metakey' in body
  return isWrapped && Object.keys(body).length === 1 ? body.user_metakey : body
}

export const UserMetadata = z.strictObject({
  user_id: reference(),
  key_name: z.string(),
  key_value: personal(z.string()),
})
export type UserMetadata = z.output<typeof UserMetadata>

const tag = {
  name: 'Token customization',
  description: 'Metadata keys whose values appear in tokens, and samples of those tokens.',
  notPromoted: 'metadata keys are of the organization, in both environments',
}
const c = initContract()

export const tokenCustomization = c.router(
  {
    sample: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/token-customization/sample',
      summary: 'Get sample tokens like those of a user of the organization; no endpoint accepts them',
      pathParams: OrganizationPath,
      query: SampleQuery,
      responses: reading(
        { 200: JwtSample },
        ...inOrganization,
        'user_not_found',
        'application_not_found',
        'invalid_parameters',
      ),
      metadata: access({ tag, scope: 'read:token_customization' }),
    },
    createMetaKey: {
      method: 'POST',
      path: '/api/v2/org/:org_domain/token-customization/user-metakey',
      summary: 'Declare a metadata key',
      headers: idempotencyHeader,
      pathParams: OrganizationPath,
      body: NewMetaKey,
      responses: creating(
        { 201: MetaKey },
        'organization_not_found',
        'meta_key_taken',
        'meta_keys_exhausted',
        'production_is_up',
      ),
      metadata: access({
        tag,
        scope: 'write:token_customization',
        emits: ['metakey.metakey.create.success'],
        idempotent: true,
      }),
    },
    listMetaKeys: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/token-customization/user-metakey',
      summary: 'List the metadata keys, newest first',
      pathParams: OrganizationPath,
      query: PageQuery,
      responses: reading({ 200: listOf(MetaKey) }, ...inOrganization),
      metadata: access({ tag, scope: 'read:token_customization' }),
    },
    deleteMetaKey: {
      method: 'DELETE',
      path: '/api/v2/org/:org_domain/token-customization/user-metakey',
      summary: 'Delete a metadata key together with its values',
      pathParams: OrganizationPath,
      body: z.strictObject({ key_name: z.string() }),
      responses: changing(
        { 200: deletionOf(MetaKey) },
        'organization_not_found',
        'meta_key_not_found',
        'meta_key_in_use',
        'production_is_up',
      ),
      metadata: access({
        tag,
        scope: 'write:token_customization',
        danger: 'proof',
        spansEnvironments: true,
        emits: ['metakey.metakey.delete.success'],
      }),
    },
    setUserMetadata: {
      method: 'PATCH',
      path: '/api/v2/org/:org_domain/token-customization/set-user-metadata',
      summary: 'Set a metadata value of a user, replacing any existing one',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: UserMetadata,
      responses: changing(
        { 200: User },
        'organization_not_found',
        'user_not_found',
        'meta_key_not_found',
        'metadata_managed',
        'precondition_failed',
      ),
      metadata: access({
        tag,
        scope: 'write:token_customization',
        emits: ['user.metadata.set.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)
