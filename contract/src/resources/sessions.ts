import { initContract } from '@ts-rest/core'
import { z } from 'zod/v4'
import { access } from '../core/access.js'
import { changing, inOrganization, reading } from '../core/answers.js'
import { environment, id, PageQuery, pathId, personal, slug, timestamp, UserPath } from '../core/fields.js'
import { deletionOf, listOf, record } from '../core/record.js'

/** What stands for the account page where a session has the id of an application: no application has these. */
export const accountPageIds = {
  sandbox: '00000000-0000-4000-8000-000000000001',
  production: '00000000-0000-4000-8000-000000000002',
} as const

/** A user signed in to an application; the data of the sign-in's event. */
export const Session = record(
  'Session',
  {
    __type__: z.literal('Session'),
    __domain__: slug(),
    __environment__: environment(),
    id: id(),
    user_id: id(),
    client_id: id().describe(
      `Application of the original sign-in; ${accountPageIds.sandbox} or ${accountPageIds.production}, which no application has, if it was for the account page`,
    ),
    amr: z
      .array(z.string())
      .describe('How the user was authenticated: email, relay, impersonation, or a name of RFC 8176'),
    impersonation_id: id()
      .nullable()
      .describe('The impersonation, if a member of staff is signed in as the user'),
    user_agent: personal(z.string().nullable()).describe(
      'User-Agent header of the browser; null if the user signed in through the API',
    ),
    authenticated_at: timestamp(),
    last_used_at: timestamp().describe('Last time it was used to obtain tokens'),
    expires_at: timestamp().describe('End of the time in which it signs the user in to applications'),
    offline_until: timestamp()
      .nullable()
      .describe('Expiry of its refresh tokens unless revoked earlier; null if none were issued'),
  },
  {
    __type__: 'Session',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    id: '0190c8e0-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
    amr: ['email'],
    impersonation_id: null,
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0',
    authenticated_at: '2026-03-14T09:26:53.589Z',
    last_used_at: '2026-03-14T09:26:53.589Z',
    expires_at: '2026-03-14T17:26:53.589Z',
    offline_until: null,
  },
)
export type Session = z.output<typeof Session>

/** The number of sessions of a user that were ended. */
export const EndedSessions = record(
  'EndedSessions',
  {
    __type__: z.literal('EndedSessions'),
    __domain__: slug(),
    __environment__: environment(),
    user_id: id(),
    total: z.int(),
  },
  {
    __type__: 'EndedSessions',
    __domain__: 'awesome-company',
    __environment__: 'sandbox',
    user_id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    total: 2,
  },
)
export type EndedSessions = z.output<typeof EndedSessions>

const SessionPath = UserPath.extend({ session_id: pathId() })

const tag = {
  name: 'Sessions',
  description: 'Where users are signed in, and signing them out.',
  notPromoted: 'sessions are no configuration',
}
const c = initContract()

export const sessions = c.router(
  {
    list: {
      method: 'GET',
      path: '/api/v2/org/:org_domain/users/:user_id/sessions',
      summary: 'List the sessions of a user that can still obtain tokens, latest sign-in first',
      pathParams: UserPath,
      query: PageQuery,
      responses: reading({ 200: listOf(Session) }, ...inOrganization, 'user_not_found'),
      metadata: access({ tag, scope: 'read:sessions' }),
    },
    endAll: {
      method: 'DELETE',
      path: '/api/v2/org/:org_domain/users/:user_id/sessions',
      summary: 'Sign a user out everywhere: end all sessions with their refresh tokens',
      pathParams: UserPath,
      responses: changing({ 200: deletionOf(EndedSessions) }, 'organization_not_found', 'user_not_found'),
      metadata: access({
        tag,
        scope: 'write:sessions',
        danger: 'reason',
        emits: ['user.session.end_all.success'],
      }),
    },
    end: {
      method: 'DELETE',
      path: '/api/v2/org/:org_domain/users/:user_id/sessions/:session_id',
      summary: 'End a session of a user, with its refresh tokens',
      pathParams: SessionPath,
      responses: changing({ 200: deletionOf(Session) }, 'organization_not_found', 'session_not_found'),
      metadata: access({
        tag,
        scope: 'write:sessions',
        danger: 'reason',
        emits: ['user.session.end.success'],
      }),
    },
  },
  { strictStatusCodes: true },
)
