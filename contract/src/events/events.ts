import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { reading } from '../core/answers.js'
import {
  actorTypes,
  eventCatalog,
  eventCodes,
  eventSelectors,
  type EventCode,
  type EventRecord,
} from './event-catalog.js'
import {
  environment,
  EnvironmentQuery,
  filter,
  id,
  integer,
  JsonValue,
  personal,
  slug,
  text,
} from '../core/fields.js'
import { exampleOf, record } from '../core/record.js'

/** Replaces data of more than 20 kB; the record itself has them. */
export const TruncatedData = record(
  'TruncatedData',
  { id: z.string().optional(), truncated: z.literal(true) },
  { id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46', truncated: true },
)

export const Actor = record(
  'Actor',
  {
    type: z
      .enum(actorTypes)
      .describe(
        'staff: a member of the staff of the account, in the console; user: on a page; admin: in the onboarding; directory: its provider, by SCIM; operator: at the command line; system: the service itself',
      ),
    id: z
      .string()
      .describe(
        'The client_id of an API key, or the id of a user, administrator or directory; of staff, the id of the staff user, and never an address',
      ),
  },
  { type: 'api_key', id: '5e0c2b1a-7f3d-4a68-9b21-0c4d5e6f7a81' },
)

const envelope = {
  __type__: z.literal('Event'),
  __domain__: slug().describe(
    'Domain of the organization, or of the account if no organization owns the record',
  ),
  __environment__: environment(),
  id: id().describe('The same in the stream and in every delivery, so that duplicates can be recognized'),
  errors: z.array(z.string()).nullable().describe('Reasons of the failure; null if the code ends in success'),
  issued_at: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    .meta({ format: 'date-time', description: 'RFC 3339 in UTC with microseconds' }),
  params: personal(z.record(z.string(), JsonValue)).describe('Parameters of the request, without secrets'),
  actor: Actor,
  request_id: z.string().describe('X-Request-Id of the request that caused it'),
  cursor: z
    .string()
    .nullable()
    .describe('Value of after that continues after this event; null in deliveries to webhooks'),
  webhook_id: id().nullable().describe('Receiving webhook of a delivery; null in the stream'),
}

/** An event of one code. */
export interface EventOf<Code extends EventCode> extends z.output<z.ZodObject<typeof envelope>> {
  code: Code
  data: EventRecord<Code> | z.output<typeof TruncatedData>
}

/** Any event; `code` discriminates the type of `data`. */
export type Event = { [Code in EventCode]: EventOf<Code> }[EventCode]

/** The schema of a code's event, named after the code: UserUserCreateSuccessEvent. */
function eventSchemaOf(code: EventCode) {
  const data: z.ZodObject = eventCatalog[code].data
  return record(
    `${pascalCase(code)}Event`,
    { ...envelope, code: z.literal(code), data: asItWas(z.union([data, TruncatedData])) },
    {
      __type__: 'Event',
      __domain__: 'awesome-company',
      __environment__: 'sandbox',
      id: '0190c8f1-1a2b-7c3d-8e4f-5061728394a5',
      errors: null,
      issued_at: '2026-03-14T09:26:53.589793Z',
      params: {},
      actor: exampleOf(Actor),
      request_id: '5b1d6a1e-7d0b-4f0f-8a52-0b7b7d7f2a11',
      cursor: 'MTgxNQ',
      webhook_id: null,
      code,
      data: exampleOf(data),
    },
  )
}

/** Accepts data in an earlier form: an event keeps its data as written, without members added to records since. */
function asItWas<T extends z.ZodType>(schema: T) {
  return schema.catch(({ input }) => input as z.output<T>)
}

function pascalCase(code: string): string {
  return code
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

type EventSchema = ReturnType<typeof eventSchemaOf>

/** The schema of each code's event. */
export const eventSchemas = Object.fromEntries(
  eventCodes.map((code) => [code, eventSchemaOf(code)]),
  // One entry for each code.
) as Readonly<Record<EventCode, EventSchema>>

/** Any event. The compiler cannot see that the loop over the codes gives the members of the union. */
export const Event = z
  .discriminatedUnion('code', Object.values(eventSchemas) as [EventSchema, ...EventSchema[]])
  .meta({
    id: 'Event',
    examples: [exampleOf(eventSchemas['user.user.create.success'])],
  }) as unknown as z.ZodType<Event>

export const EventPage = record(
  'EventPage',
  {
    __type__: z.literal('List'),
    data: z.array(Event).describe('Oldest first'),
    cursor: z
      .string()
      .describe('Value of after for the next request, also if there are no events yet; no event is skipped'),
    has_more: z.boolean().describe('true: more events are already available'),
  },
  { __type__: 'List', data: [], cursor: 'MTgxNQ', has_more: false },
)
export type EventPage = z.output<typeof EventPage>

export const EventQuery = z.object({
  after: text(200)
    .optional()
    .describe(
      'cursor of an event or of the previous answer; latest: only events from now on; ' +
        'default: from the oldest stored event',
    ),
  limit: integer({ min: 1, max: 100 })
    .default(100)
    .catch(100)
    .describe('Maximum number of events in the answer: 1 to 100'),
  environment: EnvironmentQuery.shape.environment,
  code: filter(z.enum(eventSelectors)).describe('Only events of this code, or of a family such as user.all'),
})
export type EventQuery = z.output<typeof EventQuery>

const tag = { name: 'Events', description: 'Reading what happened in its order, without a gap.' }
const c = initContract()

export const events = c.router(
  {
    list: {
      method: 'GET',
      path: '/api/v2/events',
      summary: 'Read the events of the account and environment in order, starting after a position',
      query: EventQuery,
      responses: reading(
        { 200: EventPage },
        'key_limited_to_organizations',
        'invalid_parameters',
        'events_expired',
      ),
      metadata: access({ tag, scope: 'read:events', reach: 'account', role: 'event_stream' }),
    },
  },
  { strictStatusCodes: true },
)
