import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import { countryCodes } from '../core/countries.js'
import {
  domainName,
  email,
  EnvironmentQuery,
  filter,
  filterText,
  httpsUrl,
  id,
  idempotencyHeader,
  ifMatchHeader,
  list,
  locale,
  OrganizationPath,
  PageQuery,
  personal,
  slug,
  text,
  timestamp,
  timeZone,
} from '../core/fields.js'
import { order } from '../core/order.js'
import { deletedOf, deletionOf, listOf, record } from '../core/record.js'

export const organizationColors = [
  '#1f6feb',
  '#0a7ea4',
  '#0f766e',
  '#2f855a',
  '#4d7c0f',
  '#a16207',
  '#c2410c',
  '#b91c1c',
  '#be185d',
  '#86198f',
  '#6d28d9',
  '#475569',
] as const

/** Whether staff may sign in as users of an organization. */
const impersonationRules = ['allowed', 'refused'] as const

const environmentStatuses = ['up', 'down'] as const

export const OrganizationEnvironment = record(
  'OrganizationEnvironment',
  { name: z.enum(['production', 'sandbox']), status: z.enum(environmentStatuses) },
  { name: 'sandbox', status: 'up' },
)

export const OrganizationStatus = record(
  'OrganizationStatus',
  {
    errors: z.array(z.string()),
    estimated_time_to_complete_in_seconds: z.int().nullable(),
    progress_in_percentage: z.int().nullable(),
    state: z.enum(['pending', 'terminated']).describe('terminated: the setup is complete'),
  },
  {
    errors: [],
    estimated_time_to_complete_in_seconds: null,
    progress_in_percentage: 100,
    state: 'terminated',
  },
)

export const Organization = record(
  'Organization',
  {
    __type__: z.literal('Organization'),
    __domain__: slug().describe('Domain of the account that manages the organization'),
    domain: slug().describe('Derived from the name at creation; immutable'),
    id: id(),
    name: z.string(),
    allowed_email_domains: z
      .array(z.string())
      .nullable()
      .describe('E-mail domains whose users may sign in; null or empty: any'),
    color: z.string().describe('Hexadecimal color of the logo'),
    environments: z.array(OrganizationEnvironment),
    status: OrganizationStatus,
    icon_logo_url: z.string().nullable(),
    inline_logo_url: z.string().nullable(),
    locale: z.string().nullable(),
    timezone: z.string().nullable(),
    locality: z.string().nullable(),
    state: z.string().nullable(),
    country_name: z.string().nullable().describe('ISO 3166-1 alpha-2'),
    privacy_policy_url: z.string().nullable(),
    terms_of_service_url: z.string().nullable(),
    impersonation: z
      .enum(impersonationRules)
      .describe('refused: nobody signs in as its users, and impersonations that run end'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Organization',
    __domain__: 'acme',
    domain: 'awesome-company',
    id: '0190c8a2-6b1e-7c3d-9f4a-2b6d8e0f1a35',
    name: 'Awesome company',
    allowed_email_domains: ['awesome.example'],
    color: '#0f766e',
    environments: [
      { name: 'production', status: 'down' },
      { name: 'sandbox', status: 'up' },
    ],
    status: {
      errors: [],
      estimated_time_to_complete_in_seconds: null,
      progress_in_percentage: 100,
      state: 'terminated',
    },
    icon_logo_url: 'https://awesome.example/icon.png',
    inline_logo_url: null,
    locale: 'fr-FR',
    timezone: 'Europe/Paris',
    locality: 'Lyon',
    state: 'Auvergne-Rhône-Alpes',
    country_name: 'FR',
    privacy_policy_url: 'https://awesome.example/privacy',
    terms_of_service_url: null,
    impersonation: 'allowed',
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Organization = z.output<typeof Organization>

export const DeletedOrganization = deletedOf('Organization', 'domain', {
  id: '0190c8a2-6b1e-7c3d-9f4a-2b6d8e0f1a35',
  label: 'awesome-company',
})
export type DeletedOrganization = z.output<typeof DeletedOrganization>

const country = z
  .string()
  .transform((code) => code.toUpperCase())
  .pipe(z.string().refine((code) => countryCodes.has(code), 'must be an ISO 3166-1 alpha-2 code such as FR'))

export const NewOrganization = z.strictObject({
  name: text(100, 1).refine((name) => name.trim() !== '', 'must have a character that is not a space'),
  allowed_email_domains: list(domainName(), 500).nullish(),
  color: z.enum(organizationColors).optional(),
  icon_logo_url: httpsUrl().nullish(),
  inline_logo_url: httpsUrl().nullish(),
  locale: locale().nullish(),
  timezone: timeZone().nullish(),
  autocomplete_address: text(300)
    .optional()
    .describe(
      'Address as street, locality, region, country: sets locality, state and country_name; street and region are optional',
    ),
  locality: text(100).nullish(),
  state: text(100).nullish(),
  country_name: country.nullish(),
  privacy_policy_url: httpsUrl().nullish(),
  terms_of_service_url: httpsUrl().nullish(),
  impersonation: z.enum(impersonationRules).optional(),
})
export type NewOrganization = z.output<typeof NewOrganization>

export const OrganizationChanges = NewOrganization.partial()
export type OrganizationChanges = z.output<typeof OrganizationChanges>

/** What lists of them can be ordered by. */
export const organizationOrders = ['name', 'domain', 'inserted_at', 'updated_at'] as const

export const OrganizationQuery = PageQuery.extend({
  filter: filterText().describe('Part of the name or domain, case-insensitive'),
  member_email: personal(
    filter(email()).describe(
      'Only organizations that have a user with this address in the environment of the key; needs the scope read:users, too',
    ),
  ),
  sort: order(
    organizationOrders,
    'name, domain, inserted_at or updated_at; prefix with - for descending order',
  ),
  q: z
    .object({
      environments_status_in: filter(z.array(z.string()).max(10)).describe(
        'up, down: only organizations with an environment in one of these statuses',
      ),
    })
    .optional()
    .catch({ environments_status_in: null }),
})
export type OrganizationQuery = z.output<typeof OrganizationQuery>

const tag = {
  name: 'Organizations',
  description: 'The customers of your product, each with its users and its sign-in methods.',
  notPromoted: 'an organization is one record, which both environments share',
}
const c = initContract()

export const organizations = c.router(
  {
    list: {
      method: 'GET',
      path: '/api/v2/organizations',
      summary: 'List organizations, newest first',
      query: OrganizationQuery,
      responses: reading({ 200: listOf(Organization) }),
      metadata: access({ tag, scope: 'read:organizations', reach: 'caller' }),
    },
    create: {
      method: 'POST',
      path: '/api/v2/organizations',
      summary: 'Create an organization',
      headers: idempotencyHeader,
      body: NewOrganization,
      responses: creating({ 201: Organization }, 'plan_limit_reached', 'key_limited_to_organizations'),
      metadata: access({
        tag,
        scope: 'write:organizations',
        reach: 'account',
        emits: ['organization.organization.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    get: {
      method: 'GET',
      path: '/api/v2/organizations/:org_domain',
      summary: 'Get an organization',
      pathParams: OrganizationPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: z.union([Organization, DeletedOrganization]) },
        ...inOrganization,
        'invalid_parameters',
      ),
      metadata: access({ tag, scope: 'read:organizations', versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: '/api/v2/organizations/:org_domain',
      summary: 'Change an organization; its domain is immutable',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: OrganizationChanges,
      responses: changing(
        { 200: Organization },
        'organization_not_found',
        'production_is_up',
        'precondition_failed',
      ),
      metadata: access({
        tag,
        scope: 'write:organizations',
        emits: ['organization.organization.update.success'],
        versioned: 'checks',
      }),
    },
    delete: {
      method: 'DELETE',
      path: '/api/v2/organizations/:org_domain',
      summary: 'Delete an organization; everything it contains becomes inaccessible',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      responses: changing(
        { 200: deletionOf(Organization) },
        'organization_not_found',
        'production_is_up',
        'precondition_failed',
      ),
      metadata: access({
        tag,
        scope: 'write:organizations',
        danger: 'proof',
        spansEnvironments: true,
        emits: ['organization.organization.delete.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)
