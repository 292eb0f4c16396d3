import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  email,
  environment,
  environmentEcho,
  EnvironmentQuery,
  filter,
  flag,
  id,
  idempotencyHeader,
  ifMatchHeader,
  integer,
  list,
  locale,
  OrganizationPath,
  PageQuery,
  pathId,
  personal,
  reference,
  secret,
  slug,
  text,
  timestamp,
  url,
} from '../core/fields.js'
import { listOf, record } from '../core/record.js'
import { maxMetaKeys } from './metadata.js'
import { maxRolesOfUser } from './user-roles.js'

/** The most invitations of an organization that are pending at a time. */
export const maxPendingInvitations = 1_000
/** How often an organization mails invitations to one address within a day: the first one, and five more. */
export const maxInvitationMailsPerDay = 6
/** Characters of the message of an invitation. */
export const maxInvitationMessage = 500

export const invitationStates = ['pending', 'accepted', 'revoked', 'expired'] as const
export type InvitationState = (typeof invitationStates)[number]

export const InvitationProfile = record(
  'InvitationProfile',
  { given_name: z.string().nullable(), family_name: z.string().nullable() },
  { given_name: 'Ada', family_name: 'Lovelace' },
)

export const InvitationMetadata = record(
  'InvitationMetadata',
  { key: z.string(), value: z.string() },
  { key: 'employee_number', value: '42' },
)

export const Inviter = record(
  'Inviter',
  { type: z.string().describe('Of an actor, such as api_key'), id: z.string() },
  { type: 'api_key', id: '0190c8a0-5a0d-7b2c-8e39-1a5c7d9e0f24' },
)

/** An address that may become a user of an organization. */
export const Invitation = record(
  'Invitation',
  {
    __type__: z.literal('Invitation'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    email: personal(z.string()),
    state: z.enum(invitationStates),
    roles: z
      .array(z.string())
      .describe('Names of the roles that the user is given, in alphabetical order; deleted ones are gone'),
    application_id: id().nullable().describe('null: the oldest application that the organization can use'),
    redirect_uri: z.string().nullable(),
    locale: z.string().nullable().describe('Language of the mail; null: that of the organization'),
    profile: personal(InvitationProfile).describe('Names of the new user'),
    metadata: personal(z.array(InvitationMetadata)).describe('Metadata of the new user'),
    message: personal(z.string().nullable()),
    invited_by: Inviter,
    expires_at: timestamp().describe('The end of a pending invitation'),
    last_sent_at: timestamp().nullable().describe('null where no mail was asked for'),
    sends: z.int().describe('How often a mail was asked for'),
    accepted_at: timestamp().nullable(),
    user_id: id().nullable().describe('The user who has accepted it'),
    invitation_url: secret(z.string().nullable()).describe(
      'URL of the invitation if it was created with send_email false, in that answer alone; otherwise null',
    ),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Invitation',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190d2b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    email: 'ada@awesome.example',
    state: 'pending',
    roles: ['billing_admin'],
    application_id: null,
    redirect_uri: null,
    locale: null,
    profile: { given_name: 'Ada', family_name: 'Lovelace' },
    metadata: [],
    message: 'Welcome to the team!',
    invited_by: { type: 'api_key', id: '0190c8a0-5a0d-7b2c-8e39-1a5c7d9e0f24' },
    expires_at: '2026-03-21T09:26:53.589Z',
    last_sent_at: '2026-03-14T09:26:53.589Z',
    sends: 1,
    accepted_at: null,
    user_id: null,
    invitation_url: null,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Invitation = z.output<typeof Invitation>

const roles = () => list(z.string(), maxRolesOfUser)
const lifetime = () => integer({ min: 1, max: 30 })
const message = () => personal(text(maxInvitationMessage))

export const NewInvitation = z
  .strictObject({
    email: personal(email()),
    roles: roles()
      .optional()
      .describe('Names of roles of the account or of the organization; requires the scope write:roles'),
    expires_in_days: lifetime().default(7),
    send_email: flag()
      .default(true)
      .describe(
        'false: the answer contains the URL, for the caller to send. It does not prove the mailbox: its sign-in mails a link first',
      ),
    application_id: reference().optional(),
    redirect_uri: url().optional().describe('An allowed redirect URL of an application'),
    locale: locale().optional(),
    profile: personal(
      z.strictObject({ given_name: text(100).nullish(), family_name: text(100).nullish() }),
    ).optional(),
    metadata: personal(
      z.array(z.strictObject({ key: z.string(), value: z.string() })).max(maxMetaKeys),
    ).optional(),
    message: message().optional().describe('Plain text in the mail; addresses in it are no links'),
    environment: environmentEcho(),
  })
  .meta({ examples: [{ email: 'ada@awesome.example', roles: ['billing_admin'] }] })
export type NewInvitation = z.output<typeof NewInvitation>

export const InvitationChanges = z
  .strictObject({
    roles: roles().optional().describe('Replaces all; requires the scope write:roles'),
    expires_in_days: lifetime().optional().describe('From now'),
    message: message().nullish(),
    environment: environmentEcho(),
  })
  .meta({ examples: [{ expires_in_days: 14 }] })
export type InvitationChanges = z.output<typeof InvitationChanges>

export const InvitationQuery = PageQuery.extend({
  state: filter(z.enum(invitationStates)).describe('Only invitations in this state'),
  email: personal(filter(email()).describe('Only invitations of this address')),
})
export type InvitationQuery = z.output<typeof InvitationQuery>

const InvitationPath = OrganizationPath.extend({ invitation_id: pathId() })
const path = '/api/v2/org/:org_domain/invitations'
const onePath = `${path}/:invitation_id` as const

const tag = {
  name: 'Invitations',
  description: 'Addresses that may become users of an organization, by a mail or a URL that you hand over.',
  notPromoted: 'people are no configuration',
}
const read = { tag, scope: 'read:memberships' } as const
const write = { tag, scope: 'write:memberships' } as const
const c = initContract()

export const invitations = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary: 'Invite an address to an organization',
      headers: idempotencyHeader,
      pathParams: OrganizationPath,
      body: NewInvitation,
      responses: creating(
        { 201: Invitation },
        'organization_not_found',
        'application_not_found',
        'no_application',
        'meta_key_not_found',
        'email_domain_not_allowed',
        'seats_exhausted',
        'invitation_taken',
        'already_member',
        'invitations_exhausted',
      ),
      metadata: access({
        ...write,
        emits: ['invitation.invitation.create.success'],
        idempotent: true,
        versioned: 'answers',
        limited: 'mail',
      }),
    },
    list: {
      method: 'GET',
      path,
      summary: 'List the invitations of an organization, newest first',
      pathParams: OrganizationPath,
      query: InvitationQuery,
      responses: reading({ 200: listOf(Invitation) }, ...inOrganization),
      metadata: access(read),
    },
    get: {
      method: 'GET',
      path: onePath,
      summary: 'Get an invitation',
      pathParams: InvitationPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: Invitation },
        ...inOrganization,
        'invitation_not_found',
        'invalid_parameters',
      ),
      metadata: access({ ...read, versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: onePath,
      summary: 'Change a pending invitation',
      headers: ifMatchHeader,
      pathParams: InvitationPath,
      body: InvitationChanges,
      responses: changing(
        { 200: Invitation },
        'organization_not_found',
        'invitation_not_found',
        'invitation_not_pending',
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        emits: ['invitation.invitation.update.success'],
        versioned: 'checks',
      }),
    },
    resend: {
      method: 'POST',
      path: `${onePath}/resend`,
      summary:
        'Mail a pending invitation again, with a new URL; it expires later, and the URL before works no more',
      headers: idempotencyHeader,
      pathParams: InvitationPath,
      body: c.noBody(),
      responses: creating(
        { 200: Invitation },
        'organization_not_found',
        'invitation_not_found',
        'invitation_not_pending',
      ),
      metadata: access({
        ...write,
        emits: ['invitation.invitation.resend.success'],
        idempotent: true,
        versioned: 'answers',
        limited: 'mail',
      }),
    },
    revoke: {
      method: 'PATCH',
      path: `${onePath}/revoke`,
      summary: 'Revoke a pending invitation; its URL works no more',
      headers: ifMatchHeader,
      pathParams: InvitationPath,
      body: c.noBody(),
      responses: changing(
        { 200: Invitation },
        'organization_not_found',
        'invitation_not_found',
        'invitation_not_pending',
        'precondition_failed',
      ),
      metadata: access({
        ...write,
        emits: ['invitation.invitation.revoke.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)
