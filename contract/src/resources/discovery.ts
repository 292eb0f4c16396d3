import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing } from '../core/answers.js'
import {
  email,
  environment,
  flag,
  id,
  personal,
  reference,
  secret,
  slug,
  text,
  timestamp,
  url,
} from '../core/fields.js'
import { exampleOf, record } from '../core/record.js'
import { codeRequest } from './code-request.js'

export const DiscoveryChallenge = record(
  'DiscoveryChallenge',
  {
    __type__: z.literal('DiscoveryChallenge'),
    __domain__: slug().describe('Domain of the account'),
    __environment__: environment(),
    request_id: id(),
    magic_link: secret(z.string().nullable()).describe('The link if send_email is false, otherwise null'),
    expired_at: timestamp().describe('Expiry of the link'),
  },
  {
    __type__: 'DiscoveryChallenge',
    __domain__: 'acme',
    __environment__: 'sandbox',
    request_id: '0190c8e2-8b9c-7dae-9f10-2b3c4d5e6f70',
    magic_link: 'https://auth.example/a/acme/discovery-link?token=q3Jc0mVx8n2Zr5tYb7uAe1oPi4Ls6Kd9',
    expired_at: '2026-03-14T09:41:53.589Z',
  },
)
export type DiscoveryChallenge = z.output<typeof DiscoveryChallenge>

export const DiscoveredOrganization = record(
  'DiscoveredOrganization',
  {
    __type__: z.literal('DiscoveredOrganization'),
    __domain__: slug().describe('Domain of the account'),
    __environment__: environment(),
    domain: slug(),
    name: z.string(),
    icon_logo_url: z.string().nullable(),
    kind: z
      .enum(['member', 'invited', 'sso', 'may_join', 'may_ask'])
      .describe(
        'member: a user has the address; invited: an invitation waits for it, and entering creates the user; sso: an SSO connection owns its domain and creates users; may_join: entering creates the user; may_ask: entering leads to a page on which they ask to join',
      ),
    user_id: id().nullable().describe('null: entering creates the user'),
    last_signed_in_at: timestamp()
      .nullable()
      .describe('To the hour; null: the owner of the address has not signed in yet, so do not enter unasked'),
    first_factor: z
      .enum(['email', 'password', 'sso'])
      .nullable()
      .describe('email: the link was enough; null: the organization has no method for the address'),
    second_factor: z.boolean().describe('The user is asked for a second factor, or has to enrol one'),
  },
  {
    __type__: 'DiscoveredOrganization',
    __domain__: 'acme',
    __environment__: 'sandbox',
    domain: 'awesome-company',
    name: 'Awesome company',
    icon_logo_url: 'https://awesome.example/icon.png',
    kind: 'member',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    last_signed_in_at: '2026-03-14T09:26:53.589Z',
    first_factor: 'email',
    second_factor: false,
  },
)
export type DiscoveredOrganization = z.output<typeof DiscoveredOrganization>

export const Discovery = record(
  'Discovery',
  {
    __type__: z.literal('Discovery'),
    __domain__: slug().describe('Domain of the account'),
    __environment__: environment(),
    request_id: id().describe('That of the challenge'),
    discovery_token: secret(z.string()),
    email: personal(z.string()),
    organizations: z.array(DiscoveredOrganization).describe('The last used first, then by name; 100 at most'),
    expired_at: timestamp().describe('Expiry of discovery_token'),
  },
  {
    __type__: 'Discovery',
    __domain__: 'acme',
    __environment__: 'sandbox',
    request_id: '0190c8e2-8b9c-7dae-9f10-2b3c4d5e6f70',
    discovery_token: 'Zk3mQ8vT1xY6bN4cR9wE2uP7aS5dF0gHjKlXzV8qW1o',
    email: 'ada@awesome.example',
    organizations: [exampleOf(DiscoveredOrganization)],
    expired_at: '2026-03-14T10:27:53.589Z',
  },
)
export type Discovery = z.output<typeof Discovery>

export const DiscoveryEntrance = record(
  'DiscoveryEntrance',
  {
    __type__: z.literal('DiscoveryEntrance'),
    __domain__: slug().describe('Domain of the organization'),
    __environment__: environment(),
    code: secret(z.string().nullable()).describe('The authorization code; null: something is missing'),
    continue_url: secret(z.string().nullable()).describe(
      'Where the user passes what is missing, on our pages, which send the browser to redirect_uri; null with a code',
    ),
    expired_at: timestamp().describe('Expiry of the code or address'),
  },
  {
    __type__: 'DiscoveryEntrance',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    code: 'pB7nX2kV9mQ4tZ1cL6wR3yU8eA5sD0fGhJkMxCvBnQ1',
    continue_url: null,
    expired_at: '2026-03-14T09:31:53.589Z',
  },
)
export type DiscoveryEntrance = z.output<typeof DiscoveryEntrance>

export const NewDiscoveryChallenge = z
  .strictObject({
    user_email: personal(email()),
    application_id: reference().describe('The application that the user wants to use'),
    redirect_uri: url()
      .optional()
      .describe(
        'Where the link sends the browser, with discovery_code and request_id: one of the allowed_redirect_urls of the application, compared exactly; left out, its default redirect URL',
      ),
    send_email: flag().default(true).describe('false: the answer contains the link, for the caller to send'),
  })
  .meta({
    examples: [{ user_email: 'ada@awesome.example', application_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4' }],
  })
export type NewDiscoveryChallenge = z.output<typeof NewDiscoveryChallenge>

export const DiscoveryExchange = z.strictObject({ discovery_code: secret(text(200, 1)) })
export type DiscoveryExchange = z.output<typeof DiscoveryExchange>

const { application_id: _, ...codeMembers } = codeRequest

export const NewDiscoveryEntrance = z.strictObject({
  discovery_token: secret(text(200, 1)),
  org_domain: slug().describe('One of the organizations of the discovery'),
  redirect_uri: url().describe(
    'Receives the code: one of the allowed_redirect_urls of the application, compared exactly',
  ),
  ...codeMembers,
})
export type NewDiscoveryEntrance = z.output<typeof NewDiscoveryEntrance>

const tag = {
  name: 'Discovery',
  description: 'The sign-in of the account on pages of your own: from an address to its organizations.',
  notPromoted: 'a discovery is one person’s sign-in, and over within the hour',
}
const c = initContract()

export const discovery = c.router(
  {
    createChallenge: {
      method: 'POST',
      path: '/api/v2/discovery-challenge',
      summary: 'Create a single-use link that proves a mailbox',
      body: NewDiscoveryChallenge,
      responses: changing(
        { 201: DiscoveryChallenge },
        'application_not_found',
        'no_application',
        'key_limited_to_organizations',
      ),
      metadata: access({
        tag,
        scope: 'write:discovery',
        asUser: 'refused',
        reach: 'account',
        limited: 'mail',
      }),
    },
    exchange: {
      method: 'POST',
      path: '/api/v2/discovery-challenge/exchange',
      summary: 'Exchange the code of a link for the organizations of its address',
      body: DiscoveryExchange,
      responses: changing({ 201: Discovery }, 'discovery_not_found', 'key_limited_to_organizations'),
      metadata: access({ tag, scope: 'write:discovery', asUser: 'refused', reach: 'account' }),
    },
    enter: {
      method: 'POST',
      path: '/api/v2/discovery/enter',
      summary: 'Enter an organization of a discovery',
      body: NewDiscoveryEntrance,
      responses: changing(
        { 201: DiscoveryEntrance },
        'discovery_not_found',
        'organization_not_found',
        'key_limited_to_organizations',
      ),
      metadata: access({ tag, scope: 'write:discovery', asUser: 'refused', reach: 'account' }),
    },
  },
  { strictStatusCodes: true },
)
