import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, reading } from '../core/answers.js'
import { email, id, idempotencyHeader, list, PageQuery, pathId, slug, timestamp } from '../core/fields.js'
import { deletionOf, listOf, record } from '../core/record.js'

/** The roles of staff. What each may do is decided where it is asked. */
export const staffRoles = ['owner', 'developer', 'support', 'viewer'] as const
export type StaffRole = (typeof staffRoles)[number]

/** What a member of staff proves a sign-in by, beside the links that everybody is mailed. */
export const staffFactors = ['password', 'totp', 'sso'] as const
export type StaffFactor = (typeof staffFactors)[number]

/** How somebody became a member of staff. */
export const staffSources = ['start', 'invitation', 'sso', 'directory'] as const
export type StaffSource = (typeof staffSources)[number]

const staffId = '0190c8a4-22e3-7b70-9f4c-8d0e1f2a3b57'

/** A user of the staff organization of an account. Colleagues see each other, so nothing of it is personal to a viewer. */
export const StaffMember = record(
  'StaffMember',
  {
    __type__: z.literal('StaffMember'),
    __domain__: slug(),
    id: id(),
    name: z.string().nullable(),
    email: z.string(),
    roles: z.array(z.enum(staffRoles)),
    factors: z.array(z.enum(staffFactors)),
    active: z.boolean(),
    source: z.enum(staffSources).describe('start: the link of the first owner'),
    last_seen_at: timestamp().nullable().describe('Last time that a page of the console was shown'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'StaffMember',
    __domain__: 'acme',
    id: staffId,
    name: 'Grace Hopper',
    email: 'grace@acme.example',
    roles: ['owner'],
    factors: ['password', 'totp'],
    active: true,
    source: 'invitation',
    last_seen_at: '2026-03-14T09:26:53.589Z',
    inserted_at: '2026-02-02T08:00:00.000Z',
  },
)
export type StaffMember = z.output<typeof StaffMember>

/** An address that may become a member of staff. */
export const StaffInvitation = record(
  'StaffInvitation',
  {
    __type__: z.literal('StaffInvitation'),
    __domain__: slug(),
    id: id(),
    email: z.string(),
    roles: z.array(z.enum(staffRoles)),
    expires_at: timestamp(),
    last_sent_at: timestamp().nullable().describe('null: its link was handed over by an operator'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'StaffInvitation',
    __domain__: 'acme',
    id: '0190d2b0-4a5b-7c6d-8e9f-0a1b2c3d4e5f',
    email: 'katherine@acme.example',
    roles: ['support'],
    expires_at: '2026-03-21T09:26:53.589Z',
    last_sent_at: '2026-03-14T09:26:53.589Z',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type StaffInvitation = z.output<typeof StaffInvitation>

const roles = () => list(z.enum(staffRoles), staffRoles.length, 1)

export const NewStaffInvitation = z
  .strictObject({ email: email(), roles: roles() })
  .meta({ examples: [{ email: 'katherine@acme.example', roles: ['support'] }] })
export type NewStaffInvitation = z.output<typeof NewStaffInvitation>

export const StaffRoleChange = z
  .strictObject({ roles: roles().describe('In place of all that the console has given') })
  .meta({ examples: [{ roles: ['developer'] }] })
export type StaffRoleChange = z.output<typeof StaffRoleChange>

const StaffPath = z.object({ staff_id: pathId() })
const path = '/console/v1/staff'
const onePath = `${path}/:staff_id` as const

const tag = {
  name: 'Staff',
  description: 'Who uses the console of an account.',
  notPromoted: 'people are no configuration',
}
const read = { tag, scope: 'read:staff', reach: 'account' } as const
const write = {
  tag,
  scope: 'write:staff',
  reach: 'account',
  danger: 'proof',
  spansEnvironments: true,
} as const
const limited = 'key_limited_to_organizations'
const c = initContract()

export const staff = c.router(
  {
    list: {
      method: 'GET',
      path,
      summary: 'List the staff of the account, newest first',
      query: PageQuery,
      responses: reading({ 200: listOf(StaffMember) }, limited),
      metadata: access(read),
    },
    get: {
      method: 'GET',
      path: onePath,
      summary: 'Read a member of staff',
      pathParams: StaffPath,
      responses: reading({ 200: StaffMember }, 'malformed_request', 'staff_not_found', limited),
      metadata: access(read),
    },
    setRole: {
      method: 'PUT',
      path: `${onePath}/roles`,
      summary: 'Give a member of staff other roles',
      pathParams: StaffPath,
      body: StaffRoleChange,
      responses: changing({ 200: StaffMember }, 'staff_not_found', 'last_owner', limited),
      metadata: access(write),
    },
    endSessions: {
      method: 'POST',
      path: `${onePath}/end-sessions`,
      summary: 'Sign a member of staff out everywhere',
      pathParams: StaffPath,
      body: c.noBody(),
      responses: changing({ 200: StaffMember }, 'staff_not_found', limited),
      metadata: access(write),
    },
    remove: {
      method: 'DELETE',
      path: onePath,
      summary: 'Remove a member of staff, and end their sessions',
      pathParams: StaffPath,
      responses: changing({ 200: deletionOf(StaffMember) }, 'staff_not_found', 'last_owner', limited),
      metadata: access(write),
    },
  },
  { strictStatusCodes: true },
)

/** A resource of its own, so that its screens are derived as those of any other. */
export const staffInvitations = c.router(
  {
    list: {
      method: 'GET',
      path: '/console/v1/staff-invitations',
      summary: 'List the pending invitations of staff, newest first',
      query: PageQuery,
      responses: reading({ 200: listOf(StaffInvitation) }, limited),
      metadata: access(read),
    },
    invite: {
      method: 'POST',
      path: '/console/v1/staff-invitations',
      summary: 'Invite an address to the staff; it is mailed',
      headers: idempotencyHeader,
      body: NewStaffInvitation,
      responses: creating(
        { 201: StaffInvitation },
        'email_domain_not_allowed',
        'seats_exhausted',
        'invitation_taken',
        'already_member',
        'invitations_exhausted',
        limited,
      ),
      metadata: access({ ...write, idempotent: true, limited: 'mail' }),
    },
    revoke: {
      method: 'POST',
      path: '/console/v1/staff-invitations/:invitation_id/revoke',
      summary: 'Withdraw a pending invitation; its link works no more',
      pathParams: z.object({ invitation_id: pathId() }),
      body: c.noBody(),
      responses: changing(
        { 200: StaffInvitation },
        'invitation_not_found',
        'invitation_not_pending',
        limited,
      ),
      metadata: access(write),
    },
  },
  { strictStatusCodes: true },
)
