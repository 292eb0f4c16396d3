import { z } from 'zod/v4'
import { JsonValue } from '../core/fields.js'
import { record } from '../core/record.js'

const line = z.string().nullable()

/** Elements of a list of the directory, in its order. */
const values = z.array(z.object({ value: line, display: line, type: line, primary: z.boolean() }))

/** A user in the words of the organization's directory: what the members of the record do not say. */
export const DirectoryAttributes = record(
  'DirectoryAttributes',
  {
    display_name: line,
    title: line.describe('Job title'),
    user_type: line.describe('For example Employee or Contractor'),
    employee_number: line,
    cost_center: line,
    organization: line.describe('Text of the directory; not the organization of the user'),
    division: line,
    department: line,
    manager: z
      .object({
        id: line.describe('As the directory sends it'),
        display_name: line,
        user_id: line.describe('Id of the manager, where the directory keeps that user; null in events'),
      })
      .nullable(),
    roles: values.describe('At most 100. They grant nothing here'),
    entitlements: values.describe('At most 100. They grant nothing here'),
    preferred_language: line.describe('As in Accept-Language'),
    honorific_prefix: line,
    honorific_suffix: line,
    custom: z
      .record(z.string(), z.record(z.string(), JsonValue))
      .describe('Values by the URN and the names of extension_schemas of the directory'),
  },
  {
    display_name: 'Ada Lovelace',
    title: 'Head of Engines',
    user_type: 'Employee',
    employee_number: '1815',
    cost_center: 'CC-42',
    organization: 'Awesome Company',
    division: 'Research',
    department: 'Engines',
    manager: { id: '701984', display_name: 'Charles Babbage', user_id: null },
    roles: [{ value: 'lead', display: 'Team lead', type: null, primary: true }],
    entitlements: [],
    preferred_language: 'en-GB',
    honorific_prefix: 'Countess',
    honorific_suffix: null,
    custom: {},
  },
)
export type DirectoryAttributes = z.output<typeof DirectoryAttributes>
