import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, creating, reading } from '../core/answers.js'
import {
  environment,
  EnvironmentQuery,
  filterText,
  flag,
  id,
  idempotencyHeader,
  ifMatchHeader,
  PageQuery,
  pathId,
  secret,
  slug,
  text,
  timestamp,
  url,
} from '../core/fields.js'
import { deletionOf, listOf, record } from '../core/record.js'
import { ForcedDeletion } from './permissions.js'

/** The kinds of social providers; `test` is built in, and there in the sandbox alone. */
export const socialProviderTypes = ['google', 'microsoft', 'github', 'apple', 'custom_oidc', 'test'] as const
export type SocialProviderType = (typeof socialProviderTypes)[number]

/** Whether users can be sent to a provider; `incomplete` lacks a client. */
export const socialProviderStates = ['incomplete', 'ready'] as const
export type SocialProviderState = (typeof socialProviderStates)[number]

/** The most social providers of an account in one environment. */
export const maxSocialProviders = 50

/** Which accounts of Microsoft can sign in: all, those of companies, personal ones, or those of one tenant. */
export const microsoftTenantPattern =
  /^(?:common|organizations|consumers|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/

/** What is looked at in a check of a provider. */
export const socialCheckNames = [
  'settings',
  'redirect_uri',
  'discovery',
  'credentials',
  'secret_expiry',
] as const
export type SocialCheckName = (typeof socialCheckNames)[number]

/** `unknown`: the provider has not said; `skipped`: there is nothing to look at. */
export const socialCheckOutcomes = ['passed', 'failed', 'unknown', 'skipped'] as const
export type SocialCheckOutcome = (typeof socialCheckOutcomes)[number]

/** The names of teams and keys at Apple. */
const appleIdPattern = /^[A-Z0-9]{10}$/

export const SocialProvider = record(
  'SocialProvider',
  {
    __type__: z.literal('SocialProvider'),
    __domain__: slug().describe('Domain of the account'),
    __environment__: environment(),
    id: id(),
    provider: z.enum(socialProviderTypes),
    name: z.string().describe('What social connections know it by; never changes'),
    display_name: z.string().describe('On its button'),
    client_id: z.string().nullable().describe('Of the application that was registered at the provider'),
    tenant: z.string().nullable().describe('Of microsoft: whose accounts can sign in; else null'),
    team_id: z.string().nullable().describe('Of apple: the team of its developers; else null'),
    key_id: z.string().nullable().describe('Of apple: the id of its private_key; else null'),
    issuer: z
      .string()
      .nullable()
      .describe(
        'Issuer of the provider; that of microsoft has {tenantid} in it where there is more than one tenant',
      ),
    secret_expires_at: timestamp()
      .nullable()
      .describe('When client_secret or private_key ends, as it was entered; null: never, or not said'),
    active: z.boolean().describe('Nobody can sign in by an inactive one'),
    state: z
      .enum(socialProviderStates)
      .describe(
        'incomplete: it has no issuer, client_id or client_secret, or one of the members of apple is missing; no button is shown',
      ),
    redirect_uri: z.string().describe('What has to be registered at the provider'),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'SocialProvider',
    __domain__: 'acme',
    __environment__: 'sandbox',
    id: '0190d2d0-4a5b-7c6d-8e7f-90a1b2c3d4e5',
    provider: 'google',
    name: 'google',
    display_name: 'Google',
    client_id: '407408718192.apps.googleusercontent.com',
    tenant: null,
    team_id: null,
    key_id: null,
    issuer: 'https://accounts.google.com',
    secret_expires_at: null,
    active: true,
    state: 'ready',
    redirect_uri: 'https://auth.example/social/0190d2d0-4a5b-7c6d-8e7f-90a1b2c3d4e5/callback',
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type SocialProvider = z.output<typeof SocialProvider>

const settings = {
  display_name: text(60, 1).optional().describe('On its button. By default the name of the provider'),
  issuer: url().optional().describe('Of a custom provider alone: exactly as in its discovery document'),
  client_id: text(255, 1)
    .optional()
    .describe('Not of test, which has its own; of apple the identifier of the Services ID'),
  client_secret: secret(text(1000, 1))
    .optional()
    .describe(
      'Stored encrypted and never returned. Kept only for the issuer and client_id that it was sent with. Not of apple, which has a private_key',
    ),
  team_id: z
    .string()
    .regex(appleIdPattern, 'must be ten capital letters and digits')
    .optional()
    .describe('Of apple alone: the team of its developers'),
  key_id: z
    .string()
    .regex(appleIdPattern, 'must be ten capital letters and digits')
    .optional()
    .describe('Of apple alone: the id of the private_key'),
  private_key: secret(text(2000, 1))
    .optional()
    .describe(
      'Of apple alone, in place of client_secret, and kept like one: the file .p8, a key of P-256 as PKCS #8 in PEM',
    ),
  tenant: z
    .string()
    .regex(microsoftTenantPattern, 'must be common, organizations, consumers, or the id of a tenant')
    .nullish()
    .describe('Of microsoft alone; null: common'),
  secret_expires_at: z.iso
    .datetime({ offset: true })
    .nullish()
    .describe(
      'When client_secret or private_key ends at the provider; 30 days before, an event tells. A new secret that is sent without it has no end',
    ),
  active: flag().optional().describe('By default true'),
}

export const NewSocialProvider = z
  .strictObject({
    name: slug()
      .max(40)
      .describe(
        'google, microsoft, github, apple, or test in the sandbox; any other name is that of a custom OpenID provider',
      ),
    ...settings,
  })
  .meta({
    examples: [
      {
        name: 'google',
        client_id: '407408718192.apps.googleusercontent.com',
        client_secret: 'GOCSPX-2mZ0qT5yVw8xRb3uKj',
      },
    ],
  })
export type NewSocialProvider = z.output<typeof NewSocialProvider>

export const SocialProviderChanges = z
  .strictObject(settings)
  .meta({ examples: [{ display_name: 'Google', active: true }] })
export type SocialProviderChanges = z.output<typeof SocialProviderChanges>

/** What a check of a provider has found. */
export const SocialProviderCheck = record(
  'SocialProviderCheck',
  {
    __type__: z.literal('SocialProviderCheck'),
    __domain__: slug().describe('Domain of the account'),
    __environment__: environment(),
    provider_id: id(),
    passed: z.boolean().describe('false: something has failed'),
    checks: z.array(
      z.object({
        name: z.enum(socialCheckNames),
        outcome: z.enum(socialCheckOutcomes),
        message: z.string().describe('What was found, and what to do, in English'),
      }),
    ),
  },
  {
    __type__: 'SocialProviderCheck',
    __domain__: 'acme',
    __environment__: 'sandbox',
    provider_id: '0190d2d0-4a5b-7c6d-8e7f-90a1b2c3d4e5',
    passed: false,
    checks: [
      { name: 'settings', outcome: 'passed', message: 'Everything is entered.' },
      {
        name: 'credentials',
        outcome: 'failed',
        message: 'The provider does not know this client, or its secret is another one: invalid_client.',
      },
    ],
  },
)
export type SocialProviderCheck = z.output<typeof SocialProviderCheck>

export const SocialProviderQuery = PageQuery.extend({
  name: filterText().describe('Only the provider of this name'),
})
export type SocialProviderQuery = z.output<typeof SocialProviderQuery>

const SocialProviderPath = z.object({ provider_id: pathId() })
const path = '/api/v2/social-providers'
const onePath = `${path}/:provider_id` as const

const tag = {
  name: 'Social providers',
  description: 'Where users have accounts of their own that they can sign in with, such as Google.',
}
const read = { tag, scope: 'read:social', reach: 'account' } as const
const write = { tag, scope: 'write:social', reach: 'account' } as const
const limited = 'key_limited_to_organizations'
const c = initContract()

export const socialProviders = c.router(
  {
    create: {
      method: 'POST',
      path,
      summary: 'Add a social provider',
      headers: idempotencyHeader,
      body: NewSocialProvider,
      responses: creating(
        { 201: SocialProvider },
        limited,
        'social_provider_taken',
        'social_providers_exhausted',
      ),
      metadata: access({
        ...write,
        emits: ['social.provider.create.success'],
        idempotent: true,
        versioned: 'answers',
      }),
    },
    list: {
      method: 'GET',
      path,
      summary: 'List the social providers, newest first',
      query: SocialProviderQuery,
      responses: reading({ 200: listOf(SocialProvider) }, limited),
      metadata: access(read),
    },
    get: {
      method: 'GET',
      path: onePath,
      summary: 'Get a social provider',
      pathParams: SocialProviderPath,
      query: EnvironmentQuery,
      responses: reading(
        { 200: SocialProvider },
        'malformed_request',
        limited,
        'social_provider_not_found',
        'invalid_parameters',
      ),
      metadata: access({ ...read, versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: onePath,
      summary: 'Change a social provider',
      headers: ifMatchHeader,
      pathParams: SocialProviderPath,
      body: SocialProviderChanges,
      responses: changing(
        { 200: SocialProvider },
        limited,
        'social_provider_not_found',
        'precondition_failed',
      ),
      metadata: access({ ...write, emits: ['social.provider.update.success'], versioned: 'checks' }),
    },
    check: {
      method: 'POST',
      path: `${onePath}/check`,
      summary: 'Try a social provider: its settings, and its client, with a code that cannot be',
      pathParams: SocialProviderPath,
      body: c.noBody(),
      responses: changing({ 200: SocialProviderCheck }, limited, 'social_provider_not_found'),
      metadata: access({ ...write, limited: 'social-check' }),
    },
    delete: {
      method: 'DELETE',
      path: onePath,
      summary: 'Delete a social provider; with force, also one that organizations use',
      headers: ifMatchHeader,
      pathParams: SocialProviderPath,
      body: ForcedDeletion,
      responses: changing(
        { 200: deletionOf(SocialProvider) },
        limited,
        'social_provider_not_found',
        'social_provider_in_use',
        'precondition_failed',
      ),
      metadata: access({ ...write, emits: ['social.provider.delete.success'], versioned: 'checks' }),
    },
  },
  { strictStatusCodes: true },
)
