import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  environment,
  EnvironmentQuery,
  filter,
  flag,
  id,
  idempotencyHeader,
  ifMatchHeader,
  integer,
  JsonValue,
  OrganizationPath,
  PageQuery,
  personal,
  reference,
  secret,
  slug,
  timestamp,
} from '../core/fields.js'
import { AttributeMapping, attributeMapping, ExtensionSchema, extensionSchemas } from './attribute-mapping.js'
import { deletionOf, exampleOf, listOf, record } from '../core/record.js'
import { directoryRoleMapping, RoleMapping } from './role-mapping.js'

/** The products that provision users. They differ in their SCIM dialects and consoles. */
export const directoryProviders = [
  'okta',
  'entra_id',
  'onelogin',
  'jumpcloud',
  'ping_one',
  'custom_scim',
] as const
export type DirectoryProvider = (typeof directoryProviders)[number]

const directoryId = '0190ca20-1a2b-7c3d-8e4f-50617283940a'

export const DirectorySync = record(
  'DirectorySync',
  {
    __type__: z.literal('DirectorySync'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    provider_type: z.enum(directoryProviders),
    active: z.boolean().describe('An inactive directory answers 403 to every request of its provider'),
    takes_over_users: z
      .boolean()
      .describe(
        'An existing user with the same verified e-mail address is taken over by the directory instead of being refused as taken',
      ),
    extension_schemas: z
      .array(ExtensionSchema)
      .describe('Schemas of the provider that the directory takes beside the core and enterprise ones'),
    attribute_mapping: z
      .array(AttributeMapping)
      .describe(
        'Values that the directory writes into metadata and profile of its users. Metadata that it maps cannot be changed by the API',
      ),
    role_mapping: RoleMapping.describe(
      'Roles of the users whom the directory keeps, by its groups and attributes',
    ),
    mapping_progress: z
      .object({ done: z.int(), total: z.int() })
      .nullable()
      .describe(
        'Users to whom the latest change of extension_schemas, attribute_mapping or the attributes of role_mapping was applied, which begins after a minute; null before any change',
      ),
    scim_base_url: z.string().describe('Base URL to enter at the provider, also called tenant URL there'),
    auth_secret_token: z
      .object({
        hint: z.string().describe('The last four characters'),
        value: secret(z.string().nullable()).describe(
          'Bearer token for the provider: only in the answers to creation and reset, otherwise null',
        ),
      })
      .describe('Token with which the provider authenticates'),
    previous_secret_expires_at: timestamp()
      .nullable()
      .describe('Until then the token before the last reset is accepted, too'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'DirectorySync',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: directoryId,
    provider_type: 'entra_id',
    active: true,
    takes_over_users: false,
    extension_schemas: [],
    attribute_mapping: [],
    role_mapping: { mode: 'add', rules: [] },
    mapping_progress: null,
    scim_base_url: `https://auth.example/scim/v2/${directoryId}`,
    auth_secret_token: { hint: '9Kd3', value: null },
    previous_secret_expires_at: null,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type DirectorySync = z.output<typeof DirectorySync>

const scimResourceTypes = ['User', 'Group'] as const
export type ScimResourceType = (typeof scimResourceTypes)[number]

/** One change of a user or group by a directory's provider. */
export const DirectorySyncEvent = record(
  'DirectorySyncEvent',
  {
    __type__: z.literal('DirectorySyncEvent'),
    __domain__: slug(),
    __environment__: environment(),
    change: z.enum(['provision', 'update', 'deprovision']),
    directory_sync_id: id(),
    provider: z.enum(directoryProviders),
    resource: z.object({
      id: id().nullable().describe('Id of the user or group; null if none was created'),
      type: z.enum(scimResourceTypes),
      changes: z.object({
        new_values: personal(z.record(z.string(), JsonValue)).describe(
          'Changed members with their new values',
        ),
        previous_values: personal(z.record(z.string(), JsonValue)).describe(
          'The same members with their previous values',
        ),
      }),
    }),
  },
  {
    __type__: 'DirectorySyncEvent',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    change: 'update',
    directory_sync_id: directoryId,
    provider: 'entra_id',
    resource: {
      id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
      type: 'User',
      changes: {
        new_values: { active: false, updated_at: '2026-03-14T09:26:53.589Z' },
        previous_values: { active: true, updated_at: '2026-03-13T17:02:11.004Z' },
      },
    },
  },
)
export type DirectorySyncEvent = z.output<typeof DirectorySyncEvent>

/** Deviations of SCIM requests from RFC 7644, and how the service reads them. */
const scimQuirks = {
  boolean_as_text: 'A boolean came as text ("True", "False") and was read as one.',
  number_as_text: 'A text came as a number and was read as text.',
  text_as_number: 'A number came as text and was read as a number.',
  value_in_array: 'A single value came in an array and was taken out of it.',
  complex_as_text: 'A complex value came as text and was read as its value.',
  operation_case: 'op was not in lower case (Add, Replace, Remove).',
  unquoted_text: 'A text in a filter was sent without quotation marks.',
  attribute_case: 'The case of an attribute name differed from that in the schema.',
  filter_made_element:
    'A path selected no element of a list: an element that matches the filter was created.',
  dotted_member: 'A member of a value had a path as its name (name.givenName) and was set at that path.',
  remove_with_value: 'remove listed members by value instead of by a filter, and only these were removed.',
  unknown_attribute: 'An attribute that no schema defines was ignored.',
  read_only_ignored: 'A change of a read-only attribute was ignored.',
  schemas_missing: 'A body was sent without schemas and was read as the resource type of its path.',
  patch_wrapped: 'Operations were sent without the PatchOp schema.',
  value_not_mapped:
    'A value that attribute_mapping names did not fit its target and was left out, or a required one was missing.',
} as const satisfies Record<string, string>
export type ScimQuirk = keyof typeof scimQuirks
const scimQuirkNames = Object.keys(scimQuirks) as [ScimQuirk, ...ScimQuirk[]]

/** One request of a directory's provider, and its result. */
export const ScimRequest = record(
  'ScimRequest',
  {
    __type__: z.literal('ScimRequest'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    directory_sync_id: id(),
    method: z.string(),
    path: z.string().describe('Relative to the base URL, for example /Users'),
    query: personal(z.string()).describe(
      'Query string, empty without one. Parameters that lists do not have appear without their values',
    ),
    request: personal(z.string().nullable()).describe(
      'Body as received, truncated to 8,000 characters, without passwords and without values of attributes that no schema defines',
    ),
    status: z.int(),
    answer: personal(z.string().nullable()).describe(
      'Body of the answer, truncated to 8,000 characters; for a list only the ids',
    ),
    scim_type: z.string().nullable().describe('scimType of an error (RFC 7644 section 3.12)'),
    changes: z
      .array(z.object({ type: z.enum(scimResourceTypes), id: id(), members: z.array(z.string()) }))
      .describe('Changed users and groups, with the names of the changed members'),
    quirks: z.array(z.enum(scimQuirkNames)).describe('Deviations from RFC 7644 that were tolerated'),
    user_id: id().nullable().describe('Id of the affected user'),
    duration_ms: z.int(),
    request_id: z.string(),
    inserted_at: timestamp(),
  },
  {
    __type__: 'ScimRequest',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190ca21-2b3c-7d4e-8f50-61728394050b',
    directory_sync_id: directoryId,
    method: 'PATCH',
    path: '/Users/0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    query: '',
    request:
      '{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"Replace","path":"active","value":"False"}]}',
    status: 200,
    answer: null,
    scim_type: null,
    changes: [{ type: 'User', id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46', members: ['active'] }],
    quirks: ['operation_case', 'boolean_as_text'],
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    duration_ms: 4,
    request_id: '5b1d6a1e-7d0b-4f0f-8a52-0b7b7d7f2a11',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type ScimRequest = z.output<typeof ScimRequest>

const settings = {
  active: flag().optional().describe('An inactive directory answers 403 to every request of its provider'),
  takes_over_users: flag()
    .optional()
    .describe(
      'An existing user with the same verified e-mail address is taken over by the directory instead of being refused as taken',
    ),
  extension_schemas: extensionSchemas(),
  attribute_mapping: attributeMapping(),
  role_mapping: directoryRoleMapping(),
}

export const NewDirectorySync = z
  .strictObject({
    provider_type: z.enum(directoryProviders),
    ...settings,
    environment: EnvironmentQuery.shape.environment,
  })
  .meta({ examples: [{ provider_type: 'entra_id' }] })
export type NewDirectorySync = z.output<typeof NewDirectorySync>

export const DirectorySyncChanges = z.strictObject({
  provider_type: z.enum(directoryProviders).optional(),
  ...settings,
  environment: EnvironmentQuery.shape.environment,
})
export type DirectorySyncChanges = z.output<typeof DirectorySyncChanges>

export const ScimRequestQuery = PageQuery.extend({
  status: filter(integer({ min: 100, max: 599 })).describe('Only requests answered with this status'),
  user_id: filter(reference()).describe('Only requests about this user'),
})
export type ScimRequestQuery = z.output<typeof ScimRequestQuery>

/** The example of the two answers that contain the secret. */
const withSecret: DirectorySync = {
  ...exampleOf(DirectorySync),
  auth_secret_token: { hint: '9Kd3', value: 'scimsandbox_…9Kd3' },
}

const tag = {
  name: 'Directory sync',
  description: 'Having the provider of an organization keep its users and groups, by SCIM 2.0.',
}
const path = '/api/v2/org/:org_domain/directory-sync'
const notFound = 'directory_sync_not_found'
const read = { tag, scope: 'read:directories' } as const
const write = { tag, scope: 'write:directories' } as const
const c = initContract()

export const directorySync = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary:
        'Let a provider synchronize the users of an organization; only this answer contains its secret',
      headers: idempotencyHeader,
      pathParams: OrganizationPath,
      body: NewDirectorySync,
      responses: creating({ 201: DirectorySync }, 'organization_not_found', 'directory_sync_taken'),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['dir_sync.directory.create.success'],
        idempotent: true,
        versioned: 'answers',
        example: withSecret,
      }),
    },
    get: {
      method: 'GET',
      path,
      summary: 'Get the directory of an organization',
      pathParams: OrganizationPath,
      query: EnvironmentQuery,
      responses: reading({ 200: DirectorySync }, ...inOrganization, notFound, 'invalid_parameters'),
      metadata: access({ ...read, versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path,
      summary: 'Change the directory of an organization',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: DirectorySyncChanges,
      responses: changing({ 200: DirectorySync }, 'organization_not_found', notFound, 'precondition_failed'),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['dir_sync.directory.update.success'],
        versioned: 'checks',
      }),
    },
    delete: {
      method: 'DELETE',
      path,
      summary: 'Delete the directory and its groups; its users remain and are no longer synchronized',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      responses: changing(
        { 200: deletionOf(DirectorySync) },
        'organization_not_found',
        notFound,
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['dir_sync.directory.delete.success'],
        versioned: 'checks',
      }),
    },
    reset: {
      method: 'PUT',
      path: `${path}/reset`,
      summary: 'Create a new secret; the previous one stays valid for 24 hours',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: c.noBody(),
      responses: changing({ 200: DirectorySync }, 'organization_not_found', notFound, 'precondition_failed'),
      metadata: access({
        ...write,
        danger: 'proof',
        emits: ['dir_sync.directory.reset.success'],
        versioned: 'checks',
        example: withSecret,
      }),
    },
    listRequests: {
      method: 'GET',
      path: `${path}/requests`,
      summary:
        'List the requests of the provider of a directory in the last seven days, newest first; total is at most 10,000',
      pathParams: OrganizationPath,
      query: ScimRequestQuery,
      responses: reading({ 200: listOf(ScimRequest) }, ...inOrganization, notFound),
      metadata: access(read),
    },
  },
  { strictStatusCodes: true },
)
