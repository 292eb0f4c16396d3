import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing } from '../core/answers.js'
import {
  environment,
  environmentEcho,
  flag,
  id,
  JsonValue,
  pathId,
  personal,
  slug,
  timestamp,
  UserPath,
} from '../core/fields.js'
import { deletionOf, record } from '../core/record.js'
import { Identity } from './users.js'

/** An identity, and whose it is. */
export const UserIdentity = record(
  'UserIdentity',
  {
    __type__: z.literal('UserIdentity'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    user_id: id(),
    idp_id: Identity.shape.idp_id,
    provider: Identity.shape.provider,
    authenticated_at: timestamp().describe('The last sign-in by it'),
    data: personal(z.record(z.string(), JsonValue)),
  },
  {
    __type__: 'UserIdentity',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190c8d7-5e6f-7081-92a3-b4c5d6e7f809',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    idp_id: null,
    provider: 'social.google',
    authenticated_at: '2026-03-14T09:26:53.589Z',
    data: { email: 'ada@gmail.com' },
  },
)
export type UserIdentity = z.output<typeof UserIdentity>

export const IdentityUnlinking = z.strictObject({
  force: flag().optional().describe('Also the last way of the user to sign in. Default: false'),
  environment: environmentEcho(),
})
export type IdentityUnlinking = z.output<typeof IdentityUnlinking>

const tag = {
  name: 'Identities',
  description: 'What users are known by at identity providers, social providers and partners.',
  notPromoted: 'people are no configuration',
}
const c = initContract()

export const identities = c.router(
  {
    unlink: {
      method: 'DELETE',
      path: '/api/v2/org/:org_domain/users/:user_id/identities/:identity_id',
      summary:
        'Unlink an identity from a user; their sessions end, and they are told by e-mail. With force, also their last way to sign in',
      pathParams: UserPath.extend({ identity_id: pathId() }),
      body: IdentityUnlinking,
      responses: changing(
        { 200: deletionOf(UserIdentity) },
        'organization_not_found',
        'identity_not_found',
        'last_sign_in_method',
      ),
      metadata: access({
        tag,
        scope: 'write:users',
        danger: 'proof',
        emits: ['user.user.update.success', 'user.identity.unlink.success'],
      }),
    },
  },
  { strictStatusCodes: true },
)
