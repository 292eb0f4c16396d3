import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing } from '../core/answers.js'
import { email, list, slug } from '../core/fields.js'
import { record } from '../core/record.js'

/** What is counted of a person: attempts to sign in, mails, and text messages. */
export const limitKinds = ['sign_in', 'mail', 'sms'] as const
export type LimitKind = (typeof limitKinds)[number]

export const Unlocked = record(
  'Unlocked',
  {
    __type__: z.literal('Unlocked'),
    forgotten: z
      .array(z.object({ kind: z.enum(limitKinds), count: z.int().describe('What was counted until now') }))
      .describe('Of each kind that was asked for'),
  },
  { __type__: 'Unlocked', forgotten: [{ kind: 'sign_in', count: 10 }] },
)
export type Unlocked = z.output<typeof Unlocked>

export const Unlock = z.strictObject({
  email: email(),
  org_domain: slug(),
  kinds: list(z.enum(limitKinds), limitKinds.length, 1),
})
export type Unlock = z.output<typeof Unlock>

const tag = { name: 'Limits', description: 'What is counted of a person, and how it is forgotten.' }
const c = initContract()

export const limits = c.router(
  {
    unlock: {
      method: 'POST',
      path: '/console/v1/limits/unlock',
      summary: 'Forget what was counted of an address in an organization',
      body: Unlock,
      responses: changing({ 200: Unlocked }, 'organization_not_found'),
      metadata: access({ tag, scope: 'write:limits', danger: 'reason', reach: 'account' }),
    },
  },
  { strictStatusCodes: true },
)
