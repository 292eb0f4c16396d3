import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { reading } from '../core/answers.js'
import { filter, integer, text } from '../core/fields.js'
import { record } from '../core/record.js'
import { eventSelectors } from '../events/event-catalog.js'
import { Event } from '../events/events.js'

/** A page of events as people read them: the newest first, where programs read the stream in its order. */
export const RecentEvents = record(
  'RecentEvents',
  {
    __type__: z.literal('List'),
    data: z.array(Event).describe('Newest first'),
    next_cursor: z.string().nullable().describe('Value of after for the next page; null at the end'),
  },
  { __type__: 'List', data: [], next_cursor: null },
)
export type RecentEvents = z.output<typeof RecentEvents>

export const RecentEventQuery = z.object({
  after: text(200).optional().describe('next_cursor of the page before'),
  per_page: integer({ min: 1, max: 100 }).default(25).catch(25).describe('Events on a page: 1 to 100'),
  code: filter(z.enum(eventSelectors)).describe('Only events of this code, or of a family such as user.all'),
})
export type RecentEventQuery = z.output<typeof RecentEventQuery>

const tag = { name: 'Recent events', description: 'What has just happened, for people.' }
const c = initContract()

export const recentEvents = c.router(
  {
    list: {
      method: 'GET',
      path: '/console/v1/events',
      summary: 'List the events of the account and environment, newest first',
      query: RecentEventQuery,
      responses: reading({ 200: RecentEvents }, 'key_limited_to_organizations', 'invalid_parameters'),
      metadata: access({ tag, scope: 'read:events', reach: 'account' }),
    },
  },
  { strictStatusCodes: true },
)
