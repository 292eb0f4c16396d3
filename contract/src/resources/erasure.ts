import { z } from 'zod/v4'
import { environment, id, slug } from '../core/fields.js'
import { record } from '../core/record.js'

/** The record of a user whose personal data was erased. */
export const ErasedUser = record(
  'ErasedUser',
  {
    __type__: z.literal('User'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    deleted: z.literal(true),
    erased: z.literal(true),
  },
  {
    __type__: 'User',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    deleted: true,
    erased: true,
  },
)
export type ErasedUser = z.output<typeof ErasedUser>

/** The record of a removed administrator. */
export const RemovedAdmin = record(
  'RemovedAdmin',
  {
    __type__: z.literal('Admin'),
    __domain__: slug(),
    id: id(),
    deleted: z.literal(true),
  },
  {
    __type__: 'Admin',
    __domain__: 'awesome-company',
    id: '0190ca14-6f70-7182-9394-051627384950',
    deleted: true,
  },
)
export type RemovedAdmin = z.output<typeof RemovedAdmin>
