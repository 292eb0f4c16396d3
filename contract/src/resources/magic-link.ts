import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, inOrganization, reading } from '../core/answers.js'
import { codeRequest } from './code-request.js'
import {
  email,
  environment,
  EnvironmentQuery,
  flag,
  id,
  ifMatchHeader,
  OrganizationPath,
  personal,
  reference,
  secret,
  slug,
  timestamp,
  url,
} from '../core/fields.js'
import { record } from '../core/record.js'

/** Id of the built-in e-mail template. */
export const signInTemplateId = '0190c8c0-0000-7000-8000-000000000001'

export const MagicLinkConnection = record(
  'MagicLinkConnection',
  {
    __type__: z.literal('MagicLinkConnection'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    active: z.boolean(),
    find_or_create_user: z
      .boolean()
      .describe('A user is created for an unknown address when its link is used'),
    sign_in_template_id: id(),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'MagicLinkConnection',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190c8c1-7a8b-7c9d-8e0f-1a2b3c4d5e6f',
    active: true,
    find_or_create_user: false,
    sign_in_template_id: signInTemplateId,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type MagicLinkConnection = z.output<typeof MagicLinkConnection>

export const MagicLinkChallenge = record(
  'MagicLinkChallenge',
  {
    __type__: z.literal('MagicLinkChallenge'),
    __domain__: slug(),
    __environment__: environment(),
    code: secret(z.string().nullable()).describe(
      'null: the code is sent to redirect_uri when the link is used',
    ),
    email_address: personal(z.string()),
    find_or_create_user: z.boolean(),
    magic_link: secret(z.string().nullable()).describe('The link if send_email is false, otherwise null'),
    request_id: id(),
    expired_at: timestamp().describe('Expiry of the link'),
  },
  {
    __type__: 'MagicLinkChallenge',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    code: null,
    email_address: 'ada@awesome.example',
    find_or_create_user: false,
    magic_link: 'https://auth.example/t/awesome-company/magic-link?token=q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9',
    request_id: '0190c8c2-8b9c-7dae-9f10-2b3c4d5e6f70',
    expired_at: '2026-03-14T09:41:53.589Z',
  },
)
export type MagicLinkChallenge = z.output<typeof MagicLinkChallenge>

export const NewMagicLinkChallenge = z
  .strictObject({
    user_email: personal(email()),
    redirect_uri: url()
      .optional()
      .describe(
        'An allowed redirect URL of an application; any other is replaced by the default redirect URL',
      ),
    send_email: flag().default(true).describe('false: the answer contains the link, for the caller to send'),
    org_domain: slug()
      .optional()
      .describe('Required unless exactly one organization allows the domain of the address'),
    request_id: reference()
      .optional()
      .describe(
        'request_id of an open password request for the same address: the link then leads to a new password instead of a code, and ' +
          'the members about the code are taken from that request',
      ),
    ...codeRequest,
  })
  .meta({ examples: [{ user_email: 'ada@awesome.example', org_domain: 'awesome-company' }] })
export type NewMagicLinkChallenge = z.output<typeof NewMagicLinkChallenge>

export const MagicLinkConnectionChanges = z.strictObject({
  active: flag().optional(),
  find_or_create_user: flag().optional(),
})
export type MagicLinkConnectionChanges = z.output<typeof MagicLinkConnectionChanges>

const tag = {
  name: 'Magic link',
  description: 'Signing in with a single-use link, by e-mail or handed over by you.',
}
const path = '/api/v2/org/:org_domain/magic-link-connection'
const c = initContract()

export const magicLink = c.router(
  {
    createChallenge: {
      method: 'POST',
      path: '/api/v2/magic-link-challenge',
      summary: 'Create a single-use link that signs a user in',
      body: NewMagicLinkChallenge,
      responses: changing(
        { 201: MagicLinkChallenge },
        'organization_not_found',
        'user_not_found',
        'application_not_found',
        'email_domain_not_allowed',
        'sso_required',
        'connection_inactive',
        'user_inactive',
        'no_application',
      ),
      metadata: access({
        tag,
        scope: 'write:magic_links',
        asUser: { send_email: true },
        reach: 'caller',
        emits: ['magic_link.challenge.create.success'],
        limited: 'mail',
      }),
    },
    getConnection: {
      method: 'GET',
      path,
      summary: 'Get the magic-link connection',
      pathParams: OrganizationPath,
      query: EnvironmentQuery,
      responses: reading({ 200: MagicLinkConnection }, ...inOrganization, 'invalid_parameters'),
      metadata: access({ tag, scope: 'read:magic_links', versioned: 'answers' }),
    },
    updateConnection: {
      method: 'PUT',
      path,
      summary: 'Change the magic-link connection',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: MagicLinkConnectionChanges,
      responses: changing({ 200: MagicLinkConnection }, 'organization_not_found', 'precondition_failed'),
      metadata: access({
        tag,
        scope: 'write:magic_links',
        danger: 'reason',
        emits: ['magic_link.connection.update.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)
