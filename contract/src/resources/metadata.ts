import { z } from 'zod/v4'
import { id, slug } from '../core/fields.js'
import { exampleOf, record } from '../core/record.js'

/** Types of the values of a MetaKey. A token contains a value as JSON of its type. */
export const metaTypes = [
  'string',
  'integer',
  'float',
  'boolean',
  'date',
  'datetime',
  'url',
  'email',
  'json',
] as const

/** The number of keys that an organization may declare. */
export const maxMetaKeys = 50

export const MetaKey = record(
  'MetaKey',
  {
    __type__: z.literal('MetaKey'),
    __domain__: slug(),
    id: id(),
    name: z.string(),
    type: z.enum(metaTypes),
    required: z.boolean().describe('Users are created only with a value for this key'),
  },
  {
    __type__: 'MetaKey',
    __domain__: 'awesome-company',
    id: '0190c8a5-0a1b-7c2d-8e3f-4a5b6c7d8e9f',
    name: 'employee_number',
    type: 'integer',
    required: false,
  },
)
export type MetaKey = z.output<typeof MetaKey>

export const MetaData = record(
  'MetaData',
  {
    __type__: z.literal('MetaData'),
    id: id(),
    key: MetaKey,
    value: z.string(),
  },
  {
    __type__: 'MetaData',
    id: '0190c8a5-2c3d-7e4f-a5b6-c7d8e9f0a1b2',
    key: exampleOf(MetaKey),
    value: '1815',
  },
)
export type MetaData = z.output<typeof MetaData>
