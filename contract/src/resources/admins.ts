import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  email,
  id,
  idempotencyHeader,
  OrganizationPath,
  PageQuery,
  pathEmail,
  personal,
  slug,
  timestamp,
} from '../core/fields.js'
import { Organization } from './organizations.js'
import { deletionOf, exampleOf, listOf, record } from '../core/record.js'

export const Admin = record(
  'Admin',
  {
    __type__: z.literal('Admin'),
    __domain__: slug(),
    id: id(),
    email: personal(z.string()),
    color: z.string().describe('# and six hexadecimal digits, drawn at creation'),
    organization: Organization,
    invited_at: timestamp(),
    accepted_invitation_at: timestamp().nullable(),
    declined_to_be_in_charge_at: timestamp().nullable(),
    last_login_at: timestamp().nullable(),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Admin',
    __domain__: 'awesome-company',
    id: '0190ca14-6f70-7182-9394-051627384950',
    email: 'grace@awesome.example',
    color: '#2F6F4F',
    organization: exampleOf(Organization),
    invited_at: '2026-03-14T09:26:53.589Z',
    accepted_invitation_at: '2026-03-14T10:02:11.000Z',
    declined_to_be_in_charge_at: null,
    last_login_at: '2026-03-14T10:02:11.000Z',
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T10:02:11.000Z',
  },
)
export type Admin = z.output<typeof Admin>

export const NewAdmin = z.strictObject({ email: personal(email()) })
export type NewAdmin = z.output<typeof NewAdmin>

const tag = {
  name: 'Admins',
  description: 'Who sets up the SSO connections of an organization, by invitation.',
  notPromoted: 'people are no configuration',
}
const path = '/api/v2/org/:org_domain/admins'
const c = initContract()

export const admins = c.router(
  {
    invite: {
      method: 'POST',
      path,
      summary:
        'Invite an administrator by e-mail, or invite them again, which invalidates earlier links; a sandbox key invites only to the sandbox',
      headers: idempotencyHeader,
      pathParams: OrganizationPath,
      body: NewAdmin,
      responses: creating({ 201: Admin }, 'organization_not_found'),
      metadata: access({
        tag,
        scope: 'write:admins',
        emits: ['admin.admin.invite.success'],
        idempotent: true,
        limited: 'mail',
      }),
    },
    list: {
      method: 'GET',
      path,
      summary: 'List the administrators of an organization, newest first',
      pathParams: OrganizationPath,
      query: PageQuery,
      responses: reading({ 200: listOf(Admin) }, ...inOrganization),
      metadata: access({ tag, scope: 'read:admins' }),
    },
    delete: {
      method: 'DELETE',
      path: `${path}/:email`,
      summary: 'Remove an administrator, and end their links and sessions',
      pathParams: OrganizationPath.extend({ email: pathEmail() }),
      responses: changing(
        { 200: deletionOf(Admin) },
        'organization_not_found',
        'admin_not_found',
        'production_is_up',
      ),
      metadata: access({
        tag,
        scope: 'write:admins',
        danger: 'reason',
        emits: ['admin.admin.delete.success'],
      }),
    },
  },
  { strictStatusCodes: true },
)
