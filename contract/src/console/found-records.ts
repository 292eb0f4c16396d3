import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { reading } from '../core/answers.js'
import { id, reference, slug } from '../core/fields.js'
import { exampleOf, record } from '../core/record.js'

/** The records that an id is looked up among. */
export const foundKinds = ['organization', 'application', 'user'] as const
export type FoundKind = (typeof foundKinds)[number]

/** What has an id, and where it is. */
export const FoundRecord = record(
  'FoundRecord',
  {
    __type__: z.literal('FoundRecord'),
    kind: z.enum(foundKinds),
    id: id(),
    org_domain: slug().describe(
      'The organization in whose path the record is; of an application of the whole account that of the newest one',
    ),
  },
  {
    __type__: 'FoundRecord',
    kind: 'user',
    id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    org_domain: 'awesome-company',
  },
)
export type FoundRecord = z.output<typeof FoundRecord>

export const FoundRecords = record(
  'FoundRecords',
  { __type__: z.literal('List'), data: z.array(FoundRecord) },
  { __type__: 'List', data: [exampleOf(FoundRecord)] },
)
export type FoundRecords = z.output<typeof FoundRecords>

export const FoundRecordQuery = z.object({ id: reference() })

const tag = { name: 'Records', description: 'What has an id.' }
const c = initContract()

export const records = c.router(
  {
    find: {
      method: 'GET',
      path: '/console/v1/records',
      summary: 'Find the organization, the application or the user of an id',
      query: FoundRecordQuery,
      responses: reading({ 200: FoundRecords }, 'key_limited_to_organizations', 'invalid_parameters'),
      metadata: access({ tag, scope: 'read:organizations', reach: 'account' }),
    },
  },
  { strictStatusCodes: true },
)
