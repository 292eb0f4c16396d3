import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, inOrganization, reading } from '../core/answers.js'
import {
  email,
  environment,
  environmentEcho,
  EnvironmentQuery,
  filter,
  id,
  ifMatchHeader,
  list,
  OrganizationPath,
  PageQuery,
  pathId,
  personal,
  slug,
  timestamp,
} from '../core/fields.js'
import { listOf, record } from '../core/record.js'
import { maxRolesOfUser } from './user-roles.js'

/** Days after which a request that nobody has decided expires. */
export const joinRequestDays = 30

export const joinRequestStates = ['pending', 'approved', 'denied', 'expired'] as const
export type JoinRequestState = (typeof joinRequestStates)[number]

export const JoinDecider = record(
  'JoinDecider',
  { type: z.string().describe('Of an actor, such as api_key'), id: z.string() },
  { type: 'api_key', id: '0190c8a0-5a0d-7b2c-8e39-1a5c7d9e0f24' },
)

/** Somebody with an address of a verified domain, who asks to become a user of its organization. */
export const JoinRequest = record(
  'JoinRequest',
  {
    __type__: z.literal('JoinRequest'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    email: personal(z.string()).describe('Its owner has proved it'),
    state: z.enum(joinRequestStates),
    decided_by: JoinDecider.nullable().describe('null until it is approved or denied'),
    decided_at: timestamp().nullable(),
    user_id: id().nullable().describe('The user whom the approval has made'),
    expires_at: timestamp().describe('The end of a pending request'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'JoinRequest',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190d2b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    email: 'ada@awesome.example',
    state: 'pending',
    decided_by: null,
    decided_at: null,
    user_id: null,
    expires_at: '2026-04-13T09:26:53.589Z',
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type JoinRequest = z.output<typeof JoinRequest>

export const JoinApproval = z
  .strictObject({
    roles: list(z.string(), maxRolesOfUser)
      .optional()
      .describe(
        'Names of roles of the account or of the organization, in place of join_roles of the policy; requires the scope write:roles',
      ),
    environment: environmentEcho(),
  })
  .meta({ examples: [{ roles: ['billing_admin'] }] })
export type JoinApproval = z.output<typeof JoinApproval>

export const JoinRequestQuery = PageQuery.extend({
  state: filter(z.enum(joinRequestStates)).describe('Only requests in this state'),
  email: filter(email()).describe('Only requests of this address'),
})
export type JoinRequestQuery = z.output<typeof JoinRequestQuery>

const JoinRequestPath = OrganizationPath.extend({ join_request_id: pathId() })
const path = '/api/v2/org/:org_domain/join-requests'
const onePath = `${path}/:join_request_id` as const

const tag = {
  name: 'Join requests',
  description: 'People with an address of a verified domain, who ask to become users of its organization.',
  notPromoted: 'people are no configuration',
}
const read = { tag, scope: 'read:memberships' } as const
const write = { tag, scope: 'write:memberships', versioned: 'checks' } as const
const c = initContract()

export const joinRequests = c.router(
  {
    list: {
      method: 'GET',
      path,
      summary: 'List the join requests of an organization, newest first',
      pathParams: OrganizationPath,
      query: JoinRequestQuery,
      responses: reading({ 200: listOf(JoinRequest) }, ...inOrganization),
      metadata: access(read),
    },
    get: {
      method: 'GET',
      path: onePath,
      summary: 'Get a join request',
      pathParams: JoinRequestPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: JoinRequest },
        ...inOrganization,
        'join_request_not_found',
        'invalid_parameters',
      ),
      metadata: access({ ...read, versioned: 'answers' }),
    },
    approve: {
      method: 'PATCH',
      path: `${onePath}/approve`,
      summary: 'Make the user of a pending join request, and mail them',
      headers: ifMatchHeader,
      pathParams: JoinRequestPath,
      body: JoinApproval,
      responses: changing(
        { 200: JoinRequest },
        'organization_not_found',
        'join_request_not_found',
        'join_request_decided',
        'join_not_allowed',
        'email_domain_not_allowed',
        'sso_required',
        'seats_exhausted',
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        emits: ['user.user.create.success', 'invitation.join_request.approve.success'],
      }),
    },
    deny: {
      method: 'PATCH',
      path: `${onePath}/deny`,
      summary: 'Deny a pending join request, and mail its owner that it was not approved',
      headers: ifMatchHeader,
      pathParams: JoinRequestPath,
      body: c.noBody(),
      responses: changing(
        { 200: JoinRequest },
        'organization_not_found',
        'join_request_not_found',
        'join_request_decided',
        'precondition_failed',
      ),
      metadata: access({ ...write, emits: ['invitation.join_request.deny.success'] }),
    },
  },
  { strictStatusCodes: true },
)
