import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, inOrganization, reading } from '../core/answers.js'
import {
  environment,
  EnvironmentQuery,
  ifMatchHeader,
  integer,
  OrganizationPath,
  slug,
  timestamp,
} from '../core/fields.js'
import { record } from '../core/record.js'

/** The most seats that a limit can be. */
export const maxSeats = 1_000_000

/** What an organization demands of its members, in one environment. It is always there. */
export const OrganizationPolicy = record(
  'OrganizationPolicy',
  {
    __type__: z.literal('OrganizationPolicy'),
    __domain__: slug(),
    __environment__: environment(),
    seats_limit: z
      .int()
      .describe(
        'Users that the organization may have, however they come in; 0: any number. Users who are there stay',
      ),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'OrganizationPolicy',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    seats_limit: 25,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type OrganizationPolicy = z.output<typeof OrganizationPolicy>

export const OrganizationPolicyChanges = z
  .strictObject({
    seats_limit: integer({ min: 0, max: maxSeats }).optional(),
  })
  .meta({ examples: [{ seats_limit: 25 }] })
export type OrganizationPolicyChanges = z.output<typeof OrganizationPolicyChanges>

const tag = {
  name: 'Organization policy',
  description: 'What an organization demands of its members: how many there may be.',
}
const c = initContract()

export const organizationPolicy = c.router(
  {
    get: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/policy',
      summary: 'Get the policy of an organization',
      pathParams: OrganizationPath,
      query: EnvironmentQuery,
      responses: reading({ 200: OrganizationPolicy }, ...inOrganization, 'invalid_parameters'),
      metadata: access({ tag, scope: 'read:memberships', versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: '/api/v2/org/:org_domain/policy',
      summary: 'Change the policy of an organization',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: OrganizationPolicyChanges,
      responses: changing({ 200: OrganizationPolicy }, 'organization_not_found', 'precondition_failed'),
      metadata: access({
        tag,
        scope: 'write:memberships',
        emits: ['organization.policy.update.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)
