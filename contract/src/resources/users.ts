import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  choices,
  environment,
  EnvironmentQuery,
  filter,
  filterText,
  flag,
  id,
  idempotencyHeader,
  ifMatchHeader,
  JsonValue,
  OrganizationPath,
  PageQuery,
  pathEmail,
  personal,
  slug,
  timestamp,
  UserPath,
} from '../core/fields.js'
import { order } from '../core/order.js'
import { DirectoryAttributes } from './directory-attributes.js'
import { MetaData, MetaKey } from './metadata.js'
import { Address, PhoneNumber, Profile } from './profile.js'
import { deletedOf, deletionOf, exampleOf, listOf, record } from '../core/record.js'
import { NewUser, UserChanges } from './user-input.js'

export const Identity = record(
  'Identity',
  {
    __type__: z.literal('Identity'),
    id: id()
      .nullable()
      .describe('What it is unlinked by; null of the identity by which a directory keeps the user'),
    idp_id: z.string().nullable().describe('idp_id of the connection that asserted the user'),
    provider: z
      .string()
      .describe('For example saml.okta, oidc.entra_id, social.google, scim.entra_id or relay'),
    authenticated_at: timestamp().nullable(),
    data: personal(z.record(z.string(), JsonValue)),
  },
  {
    __type__: 'Identity',
    id: '0190c8d7-5e6f-7081-92a3-b4c5d6e7f809',
    idp_id: 'awesome_company_5fGh2KqPzX81mTnRw4YdJb',
    provider: 'saml.okta',
    authenticated_at: '2026-03-14T09:26:53.589Z',
    data: { saml_nameid: 'ada@awesome.example' },
  },
)
export type Identity = z.output<typeof Identity>

const userId = '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46'

export const User = record(
  'User',
  {
    __type__: z.literal('User'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    active: z.boolean().describe('An inactive user opens no session'),
    email: personal(z.string()),
    email_verified: z.boolean(),
    phone_number: personal(z.string().nullable()).describe('E.164: the primary one of phone_numbers'),
    phone_number_verified: z.boolean(),
    phone_numbers: personal(z.array(PhoneNumber)),
    address: personal(Address),
    identities: z.array(Identity),
    groups: z
      .array(z.object({ id: id(), display_name: z.string() }))
      .describe(
        'Groups of the organization’s directory that the user is a member of, by name, at most about 1,000. They change without ' +
          'a change of the user’s version and updated_at, and are reported by dir_sync.group events',
      ),
    metadata: personal(z.array(MetaData)),
    profile: personal(Profile),
    directory_attributes: personal(DirectoryAttributes.nullable().optional()).describe(
      'Only where preload_associations contains it; null for a user whom no directory keeps',
    ),
    roles: z
      .array(z.string())
      .optional()
      .describe('Only where preload_associations contains it: names of the roles, the default one included'),
    avatar_hexa_color: z.string().describe('# and six hexadecimal digits, drawn at creation'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'User',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: userId,
    active: true,
    email: 'ada@awesome.example',
    email_verified: true,
    phone_number: '+33612345678',
    phone_number_verified: false,
    phone_numbers: [exampleOf(PhoneNumber)],
    address: exampleOf(Address),
    identities: [],
    groups: [{ id: '0190ca22-3c4d-7e5f-9061-7283940516c7', display_name: 'Engineering' }],
    metadata: [exampleOf(MetaData)],
    profile: exampleOf(Profile),
    avatar_hexa_color: '#6d28d9',
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type User = z.output<typeof User>

export const DeletedUser = deletedOf('User', 'email', { id: userId, label: 'ada@awesome.example' })
export type DeletedUser = z.output<typeof DeletedUser>

/** What lists of them can be ordered by. */
export const userOrders = ['inserted_at', 'updated_at', 'email'] as const

const associations = ['directory_attributes', 'roles'] as const

const PreloadQuery = z.object({
  preload_associations: choices(associations)
    .optional()
    .describe(
      'What an answer contains beside the record: directory_attributes, what the directory says of a user, and roles',
    ),
})
/** What a read of users asks for beside their records. */
export type PreloadQuery = z.output<typeof PreloadQuery>

const OneUserQuery = EnvironmentQuery.extend(PreloadQuery.shape)

export const UserQuery = PageQuery.extend({
  ...PreloadQuery.shape,
  filter: personal(filterText().describe('Beginning of the e-mail address, case-insensitive')),
  active: filter(flag()).describe('true: only active users; false: only inactive ones'),
  sort: order(userOrders, 'inserted_at, updated_at or email; - before it: descending'),
})
export type UserQuery = z.output<typeof UserQuery>

const keyName = z
  .string()
  .meta({ description: 'Name of a declared MetaKey', examples: [exampleOf(MetaKey).name] })

const tag = {
  name: 'Users',
  description: 'The people of an organization, in one environment.',
  notPromoted: 'people are no configuration',
}
const c = initContract()

export const users = c.router(
  {
    create: {
      method: 'POST',
      path: '/api/v2/org/:org_domain/users',
      summary: 'Create a user',
      headers: idempotencyHeader,
      pathParams: OrganizationPath,
      body: NewUser,
      responses: creating(
        { 201: User },
        'organization_not_found',
        'email_taken',
        'meta_key_not_found',
        'metadata_required',
        'seats_exhausted',
      ),
      metadata: access({
        tag,
        scope: 'write:users',
        emits: ['user.user.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    list: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/users',
      summary: 'List users, newest first',
      pathParams: OrganizationPath,
      query: UserQuery,
      responses: reading({ 200: listOf(User) }, ...inOrganization),
      metadata: access({ tag, scope: 'read:users' }),
    },
    get: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/users/:user_id',
      summary: 'Get a user',
      pathParams: UserPath,
      query: OneUserQuery,
      responses: reading(
        { 200: z.union([User, DeletedUser]) },
        ...inOrganization,
        'user_not_found',
        'invalid_parameters',
      ),
      metadata: access({ tag, scope: 'read:users', versioned: 'answers' }),
    },
    getByEmail: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/user-by-email/:user_email',
      summary: 'Get a user by e-mail address',
      pathParams: OrganizationPath.extend({ user_email: pathEmail() }),
      query: OneUserQuery,
      responses: reading({ 200: User }, ...inOrganization, 'user_not_found', 'invalid_parameters'),
      metadata: access({ tag, scope: 'read:users', versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: '/api/v2/org/:org_domain/users/:user_id',
      summary: 'Change a user',
      headers: ifMatchHeader,
      pathParams: UserPath,
      body: UserChanges,
      responses: changing(
        { 200: User },
        'organization_not_found',
        'user_not_found',
        'email_taken',
        'meta_key_not_found',
        'metadata_managed',
        'metadata_required',
        'precondition_failed',
      ),
      metadata: access({
        tag,
        scope: 'write:users',
        danger: { email: 'proof', active: 'reason' },
        emits: ['user.user.update.success'],
        versioned: 'checks',
      }),
    },
    delete: {
      method: 'DELETE',
      path: '/api/v2/org/:org_domain/users/:user_id',
      summary: 'Delete a user; sessions end at once',
      headers: ifMatchHeader,
      pathParams: UserPath,
      responses: changing(
        { 200: deletionOf(User) },
        'organization_not_found',
        'user_not_found',
        'precondition_failed',
      ),
      metadata: access({
        tag,
        scope: 'write:users',
        danger: 'proof',
        emits: ['user.user.delete.success'],
        versioned: 'checks',
      }),
    },
    addMetadata: {
      method: 'PUT',
      path: '/api/v2/org/:org_domain/users/:user_id/add-metadata',
      summary: 'Set a metadata value of a user, replacing any existing one',
      headers: ifMatchHeader,
      pathParams: UserPath,
      body: z.strictObject({ key: keyName, value: personal(z.string()) }),
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
        scope: 'write:users',
        emits: ['user.metadata.set.success'],
        versioned: 'checks',
      }),
    },
    removeMetadata: {
      method: 'PUT',
      path: '/api/v2/org/:org_domain/users/:user_id/remove-metadata',
      summary: 'Remove a metadata value of a user',
      headers: ifMatchHeader,
      pathParams: UserPath,
      body: z.strictObject({ key: keyName }),
      responses: changing(
        { 200: User },
        'organization_not_found',
        'user_not_found',
        'meta_key_not_found',
        'metadata_managed',
        'metadata_required',
        'precondition_failed',
      ),
      metadata: access({
        tag,
        scope: 'write:users',
        emits: ['user.metadata.remove.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)
