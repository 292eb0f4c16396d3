import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { reading } from '../core/answers.js'
import { environment, integer, slug, timestamp } from '../core/fields.js'
import { record } from '../core/record.js'

/** How many sign-ins of an account passed and failed. */
export const Statistics = record(
  'Statistics',
  {
    __type__: z.literal('Statistics'),
    __domain__: slug(),
    __environment__: environment(),
    as_of: timestamp().nullable().describe('When log events were last counted; null: not yet'),
    days: z
      .array(
        z.object({
          day: z.string().describe('A day in UTC, such as 2026-03-14'),
          passed: z.int().describe('Times that a first step proved who somebody is'),
          failed: z.int().describe('Times that a step of a sign-in, or the whole, failed'),
        }),
      )
      .describe('Each day, the latest last'),
    reasons: z
      .array(z.object({ code: z.string().describe('A code of log events'), n: z.int() }))
      .describe('What failed in these days, the most frequent first'),
  },
  {
    __type__: 'Statistics',
    __domain__: 'acme',
    __environment__: 'production',
    as_of: '2026-03-14T09:20:00.000Z',
    days: [
      { day: '2026-03-13', passed: 412, failed: 9 },
      { day: '2026-03-14', passed: 187, failed: 4 },
    ],
    reasons: [
      { code: 'END_USER_PASSWORD_FAILED', n: 11 },
      { code: 'SSO_END_USER_SAML_FAILED', n: 2 },
    ],
  },
)
export type Statistics = z.output<typeof Statistics>

export const StatisticsQuery = z.object({
  days: integer({ min: 1, max: 90 }).default(30).catch(30).describe('How many days, today included: 1 to 90'),
})
export type StatisticsQuery = z.output<typeof StatisticsQuery>

/** What may need somebody's attention, with its meaning. */
export const healthCodes = {
  webhooks_failing: 'Active webhooks whose last delivery failed.',
  deliveries_lost: 'Deliveries that failed for good in the last 24 hours.',
  certificates_ending: 'Active SSO connections whose newest certificate ends within 30 days, or has ended.',
  sso_connections_failing: 'Active SSO connections whose last three sign-ins failed.',
  directories_refusing:
    'Directories of which a request was refused in the last 24 hours, of the latest 1,000.',
  messages_failed: 'Mails and text messages that could not be sent, in the last 35 days.',
  jobs_failed: 'Other jobs that have failed for good, in the last 35 days.',
  jobs_overdue: 'Jobs that should have run five minutes ago.',
  api_keys_ending: 'API keys that end within 14 days.',
  api_keys_unused: 'API keys that nobody has used for 90 days.',
} as const satisfies Record<string, string>
export type HealthCode = keyof typeof healthCodes

const codes = Object.keys(healthCodes) as [HealthCode, ...HealthCode[]]

/** What of an account may need somebody's attention, in one environment. */
export const Health = record(
  'Health',
  {
    __type__: z.literal('Health'),
    __domain__: slug(),
    __environment__: environment(),
    as_of: timestamp(),
    tiles: z
      .array(
        z.object({
          code: z.enum(codes),
          count: z.int(),
          since: timestamp().nullable().describe('The earliest time among them; null: there is none'),
        }),
      )
      .describe('One of each code'),
  },
  {
    __type__: 'Health',
    __domain__: 'acme',
    __environment__: 'production',
    as_of: '2026-03-14T09:26:53.589Z',
    tiles: [{ code: 'webhooks_failing', count: 1, since: '2026-03-14T07:12:00.000Z' }],
  },
)
export type Health = z.output<typeof Health>

const tag = {
  name: 'Health',
  description: 'How an account is doing.',
  notPromoted: 'figures are no configuration',
}
const ofAccount = { tag, scope: 'read:health', reach: 'account' } as const
const c = initContract()

export const statistics = c.router(
  {
    get: {
      method: 'GET',
      path: '/console/v1/statistics',
      summary: 'Read how many sign-ins passed and failed, by day',
      query: StatisticsQuery,
      responses: reading({ 200: Statistics }, 'key_limited_to_organizations'),
      metadata: access(ofAccount),
    },
  },
  { strictStatusCodes: true },
)

export const health = c.router(
  {
    get: {
      method: 'GET',
      path: '/console/v1/health',
      summary: 'Read what may need attention; up to 30 seconds old',
      responses: reading({ 200: Health }, 'key_limited_to_organizations'),
      metadata: access(ofAccount),
    },
  },
  { strictStatusCodes: true },
)
