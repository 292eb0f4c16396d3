import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { reading } from '../core/answers.js'
import {
  environments,
  filter,
  filterText,
  id,
  PageQuery,
  personal,
  reference,
  slug,
  timestamp,
} from '../core/fields.js'
import { listOf, record } from '../core/record.js'

/** What became of an action of a member of staff. */
export const auditOutcomes = ['done', 'refused', 'looked_up', 'secret_shown'] as const

/** What a member of staff did in the console of an account. */
export const AuditEntry = record(
  'AuditEntry',
  {
    __type__: z.literal('AuditEntry'),
    __domain__: slug(),
    __environment__: z.enum(environments).nullable().describe('null: on what both share'),
    id: id(),
    staff: z
      .object({
        id: id(),
        name: z.string().nullable(),
        email: z.string().nullable().describe('null: removed, and purged'),
      })
      .describe('The member of staff'),
    action: z.string().describe('The operation, such as users.delete'),
    outcome: z.enum(auditOutcomes),
    reason: personal(z.string().nullable()).describe('Why, in the words of the member of staff'),
    org_domain: slug().nullable().describe('The organization, which may be erased by now'),
    record_type: z.string().nullable().describe('The __type__ of the record that the action was on'),
    record_id: z.string().nullable(),
    subject_id: id().nullable().describe('The user that the action was about'),
    email: personal(z.string().nullable()).describe('The address that was looked up'),
    request_id: z.string().describe('As of the events of the action'),
    inserted_at: timestamp(),
  },
  {
    __type__: 'AuditEntry',
    __domain__: 'acme',
    __environment__: 'production',
    id: '0190ca42-5e6f-7081-9a8b-9c0d1e2f3a4b',
    staff: {
      id: '0190ca40-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
      name: 'Grace Hopper',
      email: 'grace@acme.example',
    },
    action: 'users.delete',
    outcome: 'done',
    reason: 'Asked to be forgotten',
    org_domain: 'awesome-company',
    record_type: 'User',
    record_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    subject_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    email: null,
    request_id: '5b1d6a1e-7d0b-4f0f-8a52-0b7b7d7f2a11',
    inserted_at: '2026-03-14T09:26:53.589Z',
  },
)
export type AuditEntry = z.output<typeof AuditEntry>

/** A moment that bounds a list. */
function moment() {
  return filter(z.iso.datetime({ offset: true }))
}

export const AuditQuery = PageQuery.extend({
  actor: filter(reference()).describe('Only actions of this member of staff'),
  action: filterText().describe('Only this operation, such as users.delete'),
  outcome: filter(z.enum(auditOutcomes)).describe('Only actions that came to this'),
  environment: filter(z.enum(environments)).describe(
    'Only actions in this environment, and on what both share',
  ),
  org_domain: filter(slug()).describe('Only actions on this organization'),
  since: moment().describe('Only actions from this time on'),
  until: moment().describe('Only actions before this time'),
})
export type AuditQuery = z.output<typeof AuditQuery>

const tag = {
  name: 'Audit',
  description: 'What the staff of the account did in the console.',
  notPromoted: 'what was done is no configuration',
}
const c = initContract()

export const audit = c.router(
  {
    list: {
      method: 'GET',
      path: '/console/v1/audit',
      summary: 'List what the staff of the account did, in both environments, newest first',
      query: AuditQuery,
      responses: reading({ 200: listOf(AuditEntry) }, 'key_limited_to_organizations'),
      metadata: access({ tag, scope: 'read:audit', reach: 'account' }),
    },
  },
  { strictStatusCodes: true },
)
