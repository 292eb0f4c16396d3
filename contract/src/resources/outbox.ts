import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { reading } from '../core/answers.js'
import { environment, filterText, id, PageQuery, personal, slug, timestamp } from '../core/fields.js'
import { listOf, record } from '../core/record.js'

export const OutboxMessage = record(
  'OutboxMessage',
  {
    __type__: z.literal('OutboxMessage'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    channel: z.enum(['mail', 'sms']),
    to: personal(z.string()),
    subject: z.string().nullable(),
    text: personal(z.string()),
    html: personal(z.string().nullable()),
    inserted_at: timestamp(),
  },
  {
    __type__: 'OutboxMessage',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190c8d0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
    channel: 'mail',
    to: 'ada@awesome.example',
    subject: 'Sign in to Awesome company',
    text: 'Open this link to sign in: https://auth.example/t/awesome-company/magic-link?token=…',
    html: null,
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type OutboxMessage = z.output<typeof OutboxMessage>

export const OutboxQuery = PageQuery.extend({
  to: personal(filterText().describe('Address of the recipient')),
})
export type OutboxQuery = z.output<typeof OutboxQuery>

const tag = {
  name: 'Outbox',
  description: 'The mails and text messages of the sandbox, which are kept instead of sent.',
}
const c = initContract()

export const outbox = c.router(
  {
    list: {
      method: 'GET',
      path: '/api/v2/outbox',
      summary:
        'List the mails and text messages of the sandbox, which are stored instead of sent, newest first',
      query: OutboxQuery,
      responses: reading({ 200: listOf(OutboxMessage) }, 'sandbox_only', 'key_limited_to_organizations'),
      metadata: access({
        tag,
        // The messages contain sign-in links, so reading them requires the scope that creates them.
        scope: 'write:magic_links',
        reach: 'account',
        sandboxOnly: true,
      }),
    },
  },
  { strictStatusCodes: true },
)
