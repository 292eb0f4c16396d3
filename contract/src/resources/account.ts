import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, reading } from '../core/answers.js'
import {
  EnvironmentQuery,
  httpsUrl,
  id,
  ifMatchHeader,
  locale,
  slug,
  text,
  timestamp,
} from '../core/fields.js'
import { record } from '../core/record.js'
import { organizationColors } from './organizations.js'

export const Account = record(
  'Account',
  {
    __type__: z.literal('Account'),
    __domain__: slug().describe('The same as domain'),
    id: id(),
    domain: slug().describe('Derived from the name at creation; immutable'),
    product_name: z
      .string()
      .nullable()
      .describe('What pages and mails call the product; null: as the operator calls the service'),
    color: z.string().nullable().describe('Hexadecimal color of the product'),
    icon_logo_url: z.string().nullable(),
    inline_logo_url: z.string().nullable(),
    support_url: z.string().nullable().describe('Where users get help'),
    privacy_policy_url: z.string().nullable(),
    terms_of_service_url: z.string().nullable(),
    locale: z.string().nullable(),
    inserted_at: timestamp(),
    updated_at: timestamp(),
  },
  {
    __type__: 'Account',
    __domain__: 'acme',
    id: '0190c8a0-5a0d-7b2c-8e39-1a5c7d9e0f24',
    domain: 'acme',
    product_name: 'Acme Suite',
    color: '#1f6feb',
    icon_logo_url: 'https://acme.example/icon.png',
    inline_logo_url: null,
    support_url: 'https://acme.example/help',
    privacy_policy_url: 'https://acme.example/privacy',
    terms_of_service_url: 'https://acme.example/terms',
    locale: 'en',
    inserted_at: '2026-03-14T09:26:53.589Z',
    updated_at: '2026-03-14T09:26:53.589Z',
  },
)
export type Account = z.output<typeof Account>

export const AccountChanges = z.strictObject({
  product_name: text(100, 1)
    .refine((name) => /[^\s\p{C}]/u.test(name), 'must have a character that can be seen')
    .nullish(),
  color: z.enum(organizationColors).nullish(),
  icon_logo_url: httpsUrl().nullish(),
  inline_logo_url: httpsUrl().nullish(),
  support_url: httpsUrl().nullish(),
  privacy_policy_url: httpsUrl().nullish(),
  terms_of_service_url: httpsUrl().nullish(),
  locale: locale().nullish(),
})
export type AccountChanges = z.output<typeof AccountChanges>

const tag = {
  name: 'Account',
  description: 'Your product: its name, its look and its links, one record for both environments.',
}
const c = initContract()

export const account = c.router(
  {
    get: {
      method: 'GET',
      path: '/api/v2/account',
      summary: 'Get the account of the API key',
      query: EnvironmentQuery,
      responses: reading({ 200: Account }, 'key_limited_to_organizations', 'invalid_parameters'),
      metadata: access({ tag, scope: 'read:account', reach: 'account', versioned: 'answers' }),
    },
    update: {
      method: 'PUT',
      path: '/api/v2/account',
      summary: 'Change the account; its domain is immutable',
      headers: ifMatchHeader,
      body: AccountChanges,
      responses: changing({ 200: Account }, 'key_limited_to_organizations', 'precondition_failed'),
      metadata: access({
        tag,
        scope: 'write:account',
        danger: 'proof',
        spansEnvironments: true,
        reach: 'account',
        emits: ['account.account.update.success'],
        versioned: 'checks',
      }),
    },
  },
  { strictStatusCodes: true },
)
