import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, inOrganization, reading } from '../core/answers.js'
import {
  environment,
  EnvironmentQuery,
  flag,
  ifMatchHeader,
  list,
  OrganizationPath,
  slug,
  timestamp,
} from '../core/fields.js'
import { record } from '../core/record.js'
import { maxSocialProviders } from './social-providers.js'

/** How the users of an organization sign in with accounts of their own, in one environment. It is always there. */
export const SocialConnection = record(
  'SocialConnection',
  {
    __type__: z.literal('SocialConnection'),
    __domain__: slug(),
    __environment__: environment(),
    active: z.boolean(),
    providers: z
      .array(z.string())
      .nullable()
      .describe('Names of the social providers, in the order of their buttons; null: all of the account'),
    allow_sign_up: z
      .boolean()
      .describe('Whether people without an account become users; the invited ones do in any case'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'SocialConnection',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    active: true,
    providers: ['google'],
    allow_sign_up: false,
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type SocialConnection = z.output<typeof SocialConnection>

export const SocialConnectionChanges = z
  .strictObject({
    active: flag().optional(),
    providers: list(slug(), maxSocialProviders)
      .nullish()
      .describe('Replaces all: names of social providers of the account; null: all of them'),
    allow_sign_up: flag().optional(),
  })
  .meta({ examples: [{ active: true, providers: ['google'] }] })
export type SocialConnectionChanges = z.output<typeof SocialConnectionChanges>

const tag = {
  name: 'Social sign-in',
  description: 'Whether and with which social providers the users of an organization sign in.',
}
const path = '/api/v2/org/:org_domain/social-connection'
const c = initContract()

export const socialConnection = c.router(
  {
    get: {
      method: 'GET',
      path,
      summary: 'Get the social sign-in of an organization',
      pathParams: OrganizationPath,
      query: EnvironmentQuery,
      responses: reading({ 200: SocialConnection }, ...inOrganization, 'invalid_parameters'),
      metadata: access({ tag, scope: 'read:social', versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path,
      summary: 'Change the social sign-in of an organization',
      headers: ifMatchHeader,
      pathParams: OrganizationPath,
      body: SocialConnectionChanges,
      responses: changing({ 200: SocialConnection }, 'organization_not_found', 'precondition_failed'),
      metadata: access({
        tag,
        scope: 'write:social',
        danger: 'reason',
        emits: ['social.connection.update.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)
