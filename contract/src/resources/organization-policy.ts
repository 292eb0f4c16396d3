import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, inOrganization, reading } from '../core/answers.js'
import {
  environment,
  EnvironmentQuery,
  flag,
  ifMatchHeader,
  integer,
  list,
  OrganizationPath,
  slug,
  timestamp,
} from '../core/fields.js'
import { record } from '../core/record.js'
import { maxRolesOfUser } from './user-roles.js'

/** The most seats that a limit can be. */
export const maxSeats = 1_000_000

/** How long a session lasts from the sign-in, in seconds. */
export const sessionLifetimeSeconds = { min: 900, max: 2_592_000, default: 28_800 }

/** How long a session of a browser lasts without use, in seconds. */
export const sessionIdleSeconds = { min: 300, default: 3_600 }

/** Whether users without a second factor have to enrol one on the sign-in pages. */
export const secondFactorRules = ['optional', 'required'] as const
export type SecondFactorRule = (typeof secondFactorRules)[number]

/** For how many days they may put it off. */
export const secondFactorGraceDays = { min: 0, max: 90, default: 14 }

/**
 * How people with an address of a verified domain become users: not by that; by a request that is approved; or at once, when they have
 * proved their address.
 */
export const joinModes = ['off', 'request', 'automatic'] as const
export type JoinMode = (typeof joinModes)[number]

/** Whether users may delete their own account, on the account page, or ask the administrators to. */
export const selfDeletions = ['none', 'request', 'allowed'] as const
export type SelfDeletion = (typeof selfDeletions)[number]

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
    join_by_domain: z
      .enum(joinModes)
      .describe(
        'Whether people who prove an address of a verified domain become users: not by that, by a request that is approved, or at once',
      ),
    join_roles: z
      .array(z.string())
      .describe('Names of the roles of users who join so, in alphabetical order; deleted ones are gone'),
    second_factor: z
      .enum(secondFactorRules)
      .describe(
        'Whether users who sign in by password or link have to enrol a second factor; who comes by SSO is not asked',
      ),
    second_factor_grace_days: z
      .int()
      .describe(
        'For how many days users may put it off, from the switch or from their creation if that is later',
      ),
    session_lifetime_in_seconds: z
      .int()
      .describe(
        'How long a session lasts from the last sign-in. A shorter one holds at once for those that are open',
      ),
    session_idle_in_seconds: z
      .int()
      .describe('How long a session of a browser lasts without a sign-in or a code; at most the lifetime'),
    self_service: z
      .boolean()
      .describe(
        'Whether users change their own profile, and download their data, on the account page. Where a directory or an identity provider writes it, they do not',
      ),
    self_deletion: z
      .enum(selfDeletions)
      .describe(
        'Whether users may delete their own account, on the account page: not at all, by a request that the administrators are mailed, or at once. Who is kept by a directory may not, and may ask',
      ),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'OrganizationPolicy',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    seats_limit: 25,
    join_by_domain: 'request',
    join_roles: ['billing_admin'],
    second_factor: 'required',
    second_factor_grace_days: 14,
    session_lifetime_in_seconds: 28_800,
    session_idle_in_seconds: 3_600,
    self_service: true,
    self_deletion: 'none',
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type OrganizationPolicy = z.output<typeof OrganizationPolicy>

export const OrganizationPolicyChanges = z
  .strictObject({
    seats_limit: integer({ min: 0, max: maxSeats }).optional(),
    join_by_domain: z.enum(joinModes).optional(),
    join_roles: list(z.string(), maxRolesOfUser)
      .optional()
      .describe(
        'Replaces all: names of roles of the account or of the organization; requires the scope write:roles',
      ),
    second_factor: z
      .enum(secondFactorRules)
      .optional()
      .describe(
        'required needs an active TOTP connection, which then stays active. Requires the scope write:totp',
      ),
    second_factor_grace_days: integer(secondFactorGraceDays)
      .optional()
      .describe('Requires the scope write:totp'),
    session_lifetime_in_seconds: integer(sessionLifetimeSeconds)
      .optional()
      .describe('Requires the scope write:sessions'),
    session_idle_in_seconds: integer({ min: sessionIdleSeconds.min, max: sessionLifetimeSeconds.max })
      .optional()
      .describe('At most session_lifetime_in_seconds. Requires the scope write:sessions'),
    self_service: flag().optional(),
    self_deletion: z.enum(selfDeletions).optional(),
  })
  .meta({ examples: [{ seats_limit: 25, join_by_domain: 'request' }] })
export type OrganizationPolicyChanges = z.output<typeof OrganizationPolicyChanges>

const tag = {
  name: 'Organization policy',
  description:
    'What an organization demands of its members: how many there may be, who joins by their domain, a second factor, how long sessions last, and whether users change their own profile and download their data.',
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
        danger: 'proof',
        emits: ['organization.policy.update.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)
