import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  email,
  environment,
  flag,
  id,
  idempotencyHeader,
  integer,
  PageQuery,
  pathId,
  personal,
  reference,
  secret,
  slug,
  text,
  timestamp,
  UserPath,
} from '../core/fields.js'
import { deletionOf, exampleOf, listOf, record } from '../core/record.js'

/** A member of staff, as the back end that creates an impersonation knows them. */
const Actor = z.object({
  id: personal(z.string()).describe('As the caller names them; `sub` of the claim `act`'),
  email: personal(z.string().nullable()),
})

/** A sign-in of a member of staff as a user, with a reason and an end. */
export const Impersonation = record(
  'Impersonation',
  {
    __type__: z.literal('Impersonation'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    user_id: id(),
    application_id: id().describe('The only application that it signs in to'),
    actor: Actor,
    reason: personal(z.string()),
    duration_in_seconds: z.int().describe('From its start to its end'),
    notify_user: z.boolean().describe('Whether the user is told of it by mail when it starts'),
    url: secret(z.string().nullable()).describe(
      'Address that the member of staff opens, once and within five minutes: only in the answer to its creation, otherwise null',
    ),
    expires_at: timestamp().describe('Its end; before it has started, until when that is possible'),
    started_at: timestamp().nullable(),
    ended_at: timestamp().nullable().describe('Null as well where it expired before it had started'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'Impersonation',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190cb10-2a3b-7c4d-8e5f-6a7b8c9d0e1f',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    application_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    actor: { id: 'staff-7', email: 'grace@acme.example' },
    reason: 'Ticket 4711: the invoices are not shown',
    duration_in_seconds: 900,
    notify_user: true,
    url: null,
    expires_at: '2026-03-14T09:42:10.204Z',
    started_at: '2026-03-14T09:27:10.204Z',
    ended_at: null,
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Impersonation = z.output<typeof Impersonation>

const noControls = /^\P{Cc}*$/u

export const NewImpersonation = z
  .strictObject({
    reason: text(500, 1)
      .refine((reason) => reason.trim() !== '', 'must have a character that is not a space')
      .describe('Shown to the member of staff, and kept with the impersonation and in its events'),
    actor: z
      .strictObject({
        id: text(200, 1).regex(noControls, 'must have no control characters'),
        email: email().nullish(),
      })
      .describe('The member of staff'),
    application_id: reference().describe('The application to sign in to, which has an initiate_login_uri'),
    duration_in_seconds: integer({ min: 60, max: 3600 }).default(900),
    notify_user: flag().default(false).describe('true: the user is told of it by mail when it starts'),
  })
  .meta({
    examples: [
      {
        reason: 'Ticket 4711: the invoices are not shown',
        actor: { id: 'staff-7', email: 'grace@acme.example' },
        application_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
        notify_user: true,
      },
    ],
  })
export type NewImpersonation = z.output<typeof NewImpersonation>

/** The example of the answer that contains the address. */
const withUrl: Impersonation = {
  ...exampleOf(Impersonation),
  url: 'https://auth.example/t/awesome-company/impersonation?token=…',
  expires_at: '2026-03-14T09:31:53.589Z',
  started_at: null,
}

const path = '/api/v2/org/:org_domain/users/:user_id/impersonations'

const tag = {
  name: 'Impersonations',
  description: 'Staff who use an application as one of its users, visibly and for a limited time.',
  notPromoted: 'impersonations are no configuration',
}
const c = initContract()

export const impersonations = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary: 'Create an impersonation: the address at which a member of staff signs in as the user',
      headers: idempotencyHeader,
      pathParams: UserPath,
      body: NewImpersonation,
      responses: creating(
        { 201: Impersonation },
        'organization_not_found',
        'user_not_found',
        'application_not_found',
        'impersonation_refused',
        'email_domain_not_allowed',
        'initiate_login_uri_required',
      ),
      metadata: access({
        tag,
        scope: 'write:impersonations',
        asUser: 'refused',
        emits: ['user.impersonation.create.success'],
        idempotent: true,
        example: withUrl,
      }),
    },
    list: {
      method: 'GET',
      path,
      summary: 'List the impersonations of a user, newest first',
      pathParams: UserPath,
      query: PageQuery,
      responses: reading({ 200: listOf(Impersonation) }, ...inOrganization, 'user_not_found'),
      metadata: access({ tag, scope: 'read:impersonations' }),
    },
    end: {
      method: 'DELETE',
      path: `${path}/:impersonation_id`,
      summary: 'End an impersonation at once, or before it has started',
      pathParams: UserPath.extend({ impersonation_id: pathId() }),
      responses: changing(
        { 200: deletionOf(Impersonation) },
        'organization_not_found',
        'impersonation_not_found',
      ),
      metadata: access({
        tag,
        scope: 'write:impersonations',
        emits: ['user.impersonation.end.success'],
      }),
    },
  },
  { strictStatusCodes: true },
)
