import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, inOrganization, reading } from '../core/answers.js'
import {
  environment,
  EnvironmentQuery,
  id,
  idempotencyHeader,
  OrganizationPath,
  pathId,
  secret,
  slug,
  timestamp,
} from '../core/fields.js'
import { deletionOf, exampleOf, record } from '../core/record.js'

/** A secret of an application, which authenticates it with client_secret_basic or client_secret_post. */
export const ApplicationSecret = record(
  'ApplicationSecret',
  {
    __type__: z.literal('ApplicationSecret'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    application_id: id(),
    hint: z.string().describe('The last four characters'),
    value: secret(z.string().nullable()).describe(
      'The client_secret: only in the answer to its creation, otherwise null',
    ),
    expires_at: timestamp().nullable().describe('From then on it is refused; null: never'),
    last_used_at: timestamp().nullable().describe('Written within ten seconds of a use'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'ApplicationSecret',
    __domain__: 'acme',
    __environment__: 'sandbox',
    id: '0190ca31-4d5e-7f60-8a7b-8c9d0e1f2a3b',
    application_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    hint: 'x7Qp',
    value: null,
    expires_at: null,
    last_used_at: null,
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type ApplicationSecret = z.output<typeof ApplicationSecret>

/** The secrets of an application, two at most, and therefore without pages. */
export const ApplicationSecrets = record(
  'ApplicationSecrets',
  { __type__: z.literal('List'), data: z.array(ApplicationSecret) },
  { __type__: 'List', data: [exampleOf(ApplicationSecret)] },
)
export type ApplicationSecrets = z.output<typeof ApplicationSecrets>

export const NewApplicationSecret = z
  .strictObject({
    expires_at: z.iso
      .datetime({ offset: true, error: 'must be a date and time such as 2099-01-31T00:00:00Z' })
      .nullish()
      .describe('A time to come, in RFC 3339; null: the secret does not expire'),
  })
  .meta({ examples: [{ expires_at: '2099-01-31T00:00:00Z' }] })
export type NewApplicationSecret = z.output<typeof NewApplicationSecret>

/** The example of the answer that contains the secret. */
const withValue: ApplicationSecret = { ...exampleOf(ApplicationSecret), value: 'appsandbox_…x7Qp' }

const ApplicationPath = OrganizationPath.extend({ client_id: pathId() })
const path = '/api/v2/org/:org_domain/applications/:client_id/secrets'

const tag = {
  name: 'Application secrets',
  description:
    'The secrets with which an application authenticates: two at most, so that one can replace the other.',
  notPromoted: 'secrets stay in their environment',
}
const c = initContract()

export const applicationSecrets = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary: 'Create a secret of an application; only this answer contains it',
      headers: idempotencyHeader,
      pathParams: ApplicationPath,
      body: NewApplicationSecret,
      responses: creating(
        { 201: ApplicationSecret },
        'organization_not_found',
        'application_not_found',
        'key_limited_to_organizations',
        'secret_limit_reached',
      ),
      metadata: access({
        tag,
        scope: 'write:applications',
        danger: 'proof',
        emits: ['application.secret.create.success'],
        idempotent: true,
        example: withValue,
      }),
    },
    list: {
      method: 'GET',
      path,
      summary: 'List the secrets of an application, newest first',
      pathParams: ApplicationPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: ApplicationSecrets },
        ...inOrganization,
        'application_not_found',
        'invalid_parameters',
      ),
      metadata: access({ tag, scope: 'read:applications' }),
    },
    delete: {
      method: 'DELETE',
      path: `${path}/:secret_id`,
      summary: 'Delete a secret of an application, which is refused from then on',
      pathParams: ApplicationPath.extend({ secret_id: pathId() }),
      responses: changing(
        { 200: deletionOf(ApplicationSecret) },
        'organization_not_found',
        'application_not_found',
        'application_secret_not_found',
        'key_limited_to_organizations',
      ),
      metadata: access({
        tag,
        scope: 'write:applications',
        danger: 'proof',
        emits: ['application.secret.delete.success'],
      }),
    },
  },
  { strictStatusCodes: true },
)
