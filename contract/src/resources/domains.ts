import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  email,
  environment,
  EnvironmentQuery,
  environmentEcho,
  filterText,
  flag,
  id,
  idempotencyHeader,
  ifMatchHeader,
  list,
  OrganizationPath,
  PageQuery,
  pathId,
  personal,
  slug,
  text,
  timestamp,
} from '../core/fields.js'
import { deletionOf, listOf, record } from '../core/record.js'

/** The most domains that an organization creates in an environment. */
export const maxDomains = 50

export const domainStates = ['pending', 'verified', 'lapsing', 'lapsed', 'expired', 'declared'] as const
export type DomainState = (typeof domainStates)[number]

/** What the latest look-up of a record has found. */
export const domainResults = ['matched', 'not_matched', 'no_record', 'no_answer'] as const
export type DomainResult = (typeof domainResults)[number]

export const DomainRecord = record(
  'DomainRecord',
  {
    type: z.literal('TXT'),
    name: z.string(),
    value: z.string().describe('Token of this organization and domain, which is no secret'),
  },
  {
    type: 'TXT',
    name: '_portico-challenge.awesome.example',
    value: 'token=k3vq7m2xw5ta4hzj6ybr2n5cdpfg3e7s',
  },
)

/** An e-mail domain of an organization, and the proof that it is. */
export const Domain = record(
  'Domain',
  {
    __type__: z.literal('Domain'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    domain: z.string().describe('In lower case; international ones as xn--…'),
    state: z
      .enum(domainStates)
      .describe(
        'verified, lapsing and declared count: connections, directories and relays are authoritative for addresses of the domain',
      ),
    declared: z.boolean().describe('The account answers for the domain, without a proof'),
    include_subdomains: z.boolean().describe('Addresses of all subdomains belong to the domain'),
    sso_required: z
      .boolean()
      .describe(
        'Users with addresses of the domain sign in only with the SSO connection that is authoritative for them',
      ),
    sso_exempt_emails: personal(z.array(z.string())).describe(
      'Addresses that are exempt from sso_required, for the day the identity provider fails',
    ),
    record: DomainRecord.describe('DNS record that proves the domain'),
    verified_at: timestamp().nullable().describe('Time of the latest proof after which it has counted'),
    checked_at: timestamp().nullable(),
    last_result: z
      .enum(domainResults)
      .nullable()
      .describe('Result of the latest look-up; no_answer proves nothing and lapses nothing'),
    expires_at: timestamp()
      .nullable()
      .describe('pending: end of the token; lapsing: time from which the domain does not count'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Domain',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190d1b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    domain: 'awesome.example',
    state: 'verified',
    declared: false,
    include_subdomains: false,
    sso_required: false,
    sso_exempt_emails: [],
    record: {
      type: 'TXT',
      name: '_portico-challenge.awesome.example',
      value: 'token=k3vq7m2xw5ta4hzj6ybr2n5cdpfg3e7s',
    },
    verified_at: '2026-03-14T09:26:53.589Z',
    checked_at: '2026-03-14T09:26:53.589Z',
    last_result: 'matched',
    expires_at: null,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Domain = z.output<typeof Domain>

const settings = {
  declared: flag().optional(),
  include_subdomains: flag().optional(),
  sso_required: flag().optional(),
  sso_exempt_emails: personal(list(email(), 5)).optional(),
}

export const NewDomain = z
  .strictObject({
    domain: text(253, 1).describe('Such as example.com, also with letters of any language'),
    ...settings,
    environment: environmentEcho(),
  })
  .meta({ examples: [{ domain: 'awesome.example' }] })
export type NewDomain = z.output<typeof NewDomain>

export const DomainChanges = z.strictObject({ ...settings, environment: environmentEcho() })
export type DomainChanges = z.output<typeof DomainChanges>

export const DomainQuery = PageQuery.extend({
  domain: filterText().describe('Only this domain'),
})
export type DomainQuery = z.output<typeof DomainQuery>

const DomainPath = OrganizationPath.extend({ domain_id: pathId() })
const path = '/api/v2/org/:org_domain/domains'
const onePath = `${path}/:domain_id` as const

const tag = {
  name: 'Domains',
  description:
    'The e-mail domains of an organization, and their proof: what its connections, directories and relays may be authoritative for.',
}
const read = { tag, scope: 'read:domains' } as const
const write = { tag, scope: 'write:domains' } as const
const c = initContract()

export const domains = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary: 'Add an e-mail domain to an organization; its record proves it',
      headers: idempotencyHeader,
      pathParams: OrganizationPath,
      body: NewDomain,
      responses: creating({ 201: Domain }, 'organization_not_found', 'domain_taken', 'domains_exhausted'),
      metadata: access({
        ...write,
        emits: ['domain.domain.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    list: {
      method: 'GET',
      path,
      summary: 'List the domains of an organization, newest first',
      pathParams: OrganizationPath,
      query: DomainQuery,
      responses: reading({ 200: listOf(Domain) }, ...inOrganization),
      metadata: access(read),
    },
    get: {
      method: 'GET',
      path: onePath,
      summary: 'Get a domain',
      pathParams: DomainPath,
      query: EnvironmentQuery,
      responses: reading({ 200: Domain }, ...inOrganization, 'domain_not_found', 'invalid_parameters'),
      metadata: access({ ...read, versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: onePath,
      summary: 'Change a domain',
      headers: ifMatchHeader,
      pathParams: DomainPath,
      body: DomainChanges,
      responses: changing(
        { 200: Domain },
        'organization_not_found',
        'domain_not_found',
        'precondition_failed',
      ),
      metadata: access({ ...write, emits: ['domain.domain.update.success'], versioned: 'checks' }),
    },
    delete: {
      method: 'DELETE',
      path: onePath,
      summary: 'Delete a domain; nothing is authoritative for its addresses any more',
      headers: ifMatchHeader,
      pathParams: DomainPath,
      responses: changing(
        { 200: deletionOf(Domain) },
        'organization_not_found',
        'domain_not_found',
        'precondition_failed',
      ),
      metadata: access({ ...write, emits: ['domain.domain.delete.success'], versioned: 'checks' }),
    },
    check: {
      method: 'POST',
      path: `${onePath}/check`,
      summary: 'Look the record of a domain up now',
      headers: idempotencyHeader,
      pathParams: DomainPath,
      body: c.noBody(),
      responses: creating({ 200: Domain }, 'organization_not_found', 'domain_not_found'),
      metadata: access({
        ...write,
        emits: ['domain.domain.update.success'],
        idempotent: true,
        versioned: 'answers',
        limited: 'domain-check',
      }),
    },
  },
  { strictStatusCodes: true },
)
