import type { ScimQuirk, ScimRequest } from '@portico/contract/directory-sync'
import type { Kysely } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { companion, insertion } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { normalizeEmail } from '../../platform/email.js'
import type { AuthenticatedDirectory } from './proven-directory.js'

/** The stored part of a request and its answer, for a week. */
export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly request: string | null
  readonly status: number
  readonly answer: string | null
  readonly scimType: string | null
  readonly changes: ScimRequest['changes']
  readonly quirks: readonly ScimQuirk[]
  /** The user of the request, if they exist. */
  readonly userId: string | undefined
  /** The address in the request, if it names no user; erased with the user of that address. */
  readonly email: string | undefined
  readonly durationMs: number
  readonly requestId: string
}

const maxPathLength = 1000

export async function insertScimRequest(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  { tenant, organizationId, directoryId }: AuthenticatedDirectory,
  logged: LoggedRequest,
): Promise<void> {
  await insertRow(db, {
    account_id: tenant.accountId,
    environment: tenant.environment,
    organization_id: organizationId,
    directory_id: directoryId,
    id: newId(),
    method: logged.method,
    path: logged.path.slice(0, maxPathLength),
    query: logged.query,
    request: logged.request,
    status: logged.status,
    answer: logged.answer,
    scim_type: logged.scimType,
    changes: JSON.stringify(logged.changes),
    quirks: [...logged.quirks],
    user_id: logged.userId ?? null,
    email_normalized: logged.email === undefined ? null : normalizeEmail(logged.email),
    duration_ms: logged.durationMs,
    request_id: logged.requestId,
    inserted_at: now(),
  })
}

const insertRow = insertion('scim_requests', companion)
