import type { AuthorizationRequest } from '@portico/contract/authorize'
import type { Environment } from '@portico/contract/fields'
import { sql, type Transaction, type Updateable } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { repeated } from '../../delivery/events/change.js'
import { lookColumns, toAccountLook, type AccountLook } from '../../directory/organizations/account-look.js'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { AccountFlows, DB } from '../../platform/db/schema.js'
import { insertion, lookup } from '../../platform/db/statement.js'
import { ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import { flowLifetimeMs } from '../flows/flow.js'
import type { EmailSession } from './email-session.js'

/**
 * The step of an account flow:
 *
 * - `identifier`: asks for the e-mail address;
 * - `link_sent`: a link may have been mailed; it is opened in this browser, or its code is typed here;
 * - `choose`: the mailbox is proved, and an organization is to be chosen;
 * - `entered`: the flow of an organization runs; another one can still be entered.
 */
export type AccountStep = 'identifier' | 'link_sent' | 'choose' | 'entered'

/** The key of an account flow. Every statement that touches one compares all three members. */
export interface AccountFlowKey {
  readonly accountId: string
  readonly environment: Environment
  readonly flowId: string
}

/** A sign-in at the issuer of an account, from the application's request to the choice of an organization. */
export interface AccountFlow extends AccountFlowKey {
  readonly accountDomain: string
  /** Of the account's pages. */
  readonly look: AccountLook
  readonly step: AccountStep
  readonly applicationId: string
  readonly applicationName: string
  readonly redirectUri: string
  readonly request: AuthorizationRequest
  /** How often an organization was entered. */
  readonly round: number
  /** As typed; before that the hinted address, if any. */
  readonly email: string | null
  /** The proof of the mailbox, if there was one. */
  readonly emailSessionId: string | null
  readonly isLinkCodeShown: boolean
  /** How many answers of authenticators there were. */
  readonly passkeyAttempt: number
  readonly insertedAt: Date
}

/** The checked request of an application that names no organization. */
export interface NewAccountFlow extends Omit<AccountFlowKey, 'flowId'> {
  readonly applicationId: string
  readonly request: AuthorizationRequest
  /** A prefilled address, as sent. */
  readonly email: string | null
  /** What the browser has proved before, where the request accepts it: the list is then the first page. */
  readonly proof: EmailSession | undefined
  /** Of the flow cookie. */
  readonly browserSecret: string
}

/** @returns The id of the flow. */
export async function startAccountFlow(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  flow: NewAccountFlow,
): Promise<string> {
  const at = now()
  const id = newId()
  const email = flow.proof?.email ?? flow.email
  await insertFlow(db, {
    account_id: flow.accountId,
    environment: flow.environment,
    id,
    application_id: flow.applicationId,
    browser_hash: hashSecret(flow.browserSecret),
    request: JSON.stringify(flow.request),
    step: flow.proof === undefined ? 'identifier' : 'choose',
    email,
    email_normalized: email === null ? null : normalizeEmail(email),
    email_session_id: flow.proof?.emailSessionId ?? null,
    expires_at: new Date(at.getTime() + flowLifetimeMs),
    inserted_at: at,
  })
  return id
}

const insertFlow = insertion('account_flows')

/** A request for a page of an account flow. */
export interface AccountFlowRequest {
  readonly accountDomain: string
  readonly flowId: string
  /** Of the flow cookie. */
  readonly browserSecret: string
}

/** The account flow of a browser; undefined when it belongs to another browser or account, is finished, or has expired. */
export async function findAccountFlow(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { accountDomain, flowId, browserSecret }: AccountFlowRequest,
): Promise<AccountFlow | undefined> {
  const browserHash = hashSecret(browserSecret)
  const [row] = await selectFlow(db, { accountDomain, flowId, browserHash, at: now() })
  if (row === undefined) return undefined
  const { request } = row
  return {
    accountId: row.account_id,
    accountDomain: row.domain,
    look: toAccountLook(row),
    environment: row.environment,
    flowId: row.id,
    step: row.step,
    applicationId: row.application_id,
    applicationName: row.application_name,
    redirectUri: request.redirect_uri,
    request,
    round: row.round,
    email: row.email,
    emailSessionId: row.email_session_id,
    isLinkCodeShown: row.is_link_code_shown,
    passkeyAttempt: row.passkey_attempt,
    insertedAt: row.inserted_at,
  }
}

interface BrowserKey {
  readonly accountDomain: string
  readonly flowId: string
  readonly browserHash: Buffer
  readonly at: Date
}

const selectFlow = lookup((db, key: BrowserKey) =>
  db
    .selectFrom('account_flows as flow')
    .innerJoin('accounts', 'accounts.id', 'flow.account_id')
    .innerJoin('applications', (join) =>
      join.on(sameEnvironment('applications', 'flow')).onRef('applications.id', '=', 'flow.application_id'),
    )
    .where('accounts.domain', '=', key.accountDomain)
    .where('flow.id', '=', key.flowId)
    .where('flow.browser_hash', '=', key.browserHash)
    .where('flow.used_at', 'is', null)
    .where('flow.expires_at', '>', key.at)
    .where('applications.deleted_at', 'is', null)
    .select([
      'flow.account_id',
      ...lookColumns,
      // The table's check constraints allow nothing else.
      sql<Environment>`flow.environment`.as('environment'),
      sql<AccountStep>`flow.step`.as('step'),
      'flow.id',
      'flow.application_id',
      'applications.name as application_name',
      // Only written by startAccountFlow().
      sql<AuthorizationRequest>`flow.request`.as('request'),
      'flow.round',
      'flow.email',
      'flow.email_session_id',
      sql<boolean>`(flow.link_code_sealed is not null)`.as('is_link_code_shown'),
      'flow.passkey_attempt',
      'flow.inserted_at',
    ]),
)

/** Counts an answer of an authenticator before it is looked at. @returns The attempt that its challenge is made of. */
export async function takeAccountAttempt(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { accountId, environment, flowId }: AccountFlowKey,
): Promise<number | undefined> {
  const row = await db
    .updateTable('account_flows')
    .set({ passkey_attempt: sql`passkey_attempt + 1` })
    .where(ofEnvironment({ accountId, environment }))
    .where('id', '=', flowId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now())
    .returning('passkey_attempt')
    .executeTakeFirst()
  return row && row.passkey_attempt - 1
}

/** The steps between which an account flow moves, and the columns to set. */
interface AccountMove {
  readonly from: readonly AccountStep[]
  readonly to: AccountStep
  /** The number of organizations entered so far, where the move enters one. */
  readonly round?: number
  readonly set?: Pick<
    Updateable<AccountFlows>,
    | 'email'
    | 'email_normalized'
    | 'email_session_id'
    | 'link_code_sealed'
    | 'link_code_expires_at'
    | 'link_code_failures'
    | 'round'
  >
}

/**
 * Moves an account flow on. One statement decides: of many concurrent requests for a step, one succeeds. A move from `entered`
 * ends the flow of the organization.
 *
 * @returns Whether it was open and at one of the steps.
 */
export async function moveAccountFlow(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, environment, flowId }: AccountFlowKey,
  { from, to, round, set }: AccountMove,
): Promise<boolean> {
  const moved = await trx
    .updateTable('account_flows')
    .set({ ...set, step: to })
    .where(ofEnvironment({ accountId, environment }))
    .where('id', '=', flowId)
    .where('step', 'in', [...from])
    .where('used_at', 'is', null)
    .where('expires_at', '>', now())
    .$if(round !== undefined, (query) => query.where('round', '=', round ?? 0))
    .returning('id')
    .executeTakeFirst()
  // Before the first one was entered there is none.
  if (moved !== undefined && from.includes('entered') && round !== 0)
    await endEnteredFlow(trx, { accountId, environment, flowId }, now())
  return moved !== undefined
}

/** Ends the flow of the organization that was entered last: whoever goes back gives up its sign-in, with the factors passed in it. */
async function endEnteredFlow(
  trx: Transaction<DB>,
  { accountId, environment, flowId }: AccountFlowKey,
  at: Date,
): Promise<void> {
  await trx
    .updateTable('sign_in_flows')
    .set({ used_at: at })
    .where(ofEnvironment({ accountId, environment }))
    .where('account_flow_id', '=', flowId)
    .where('used_at', 'is', null)
    .execute()
}

/**
 * The same in a transaction of its own, repeated after a deadlock: a sign-in that finishes locks the organization's flow before
 * this one.
 */
export function moveAccountFlowAlone(
  deps: Pick<Deps, 'db' | 'now'>,
  key: AccountFlowKey,
  move: AccountMove,
): Promise<boolean> {
  const { db } = deps
  return repeated(db, () => db.transaction().execute((trx) => moveAccountFlow(deps, trx, key, move)))
}

/** Ends an account flow: its application gets an answer. */
export async function endAccountFlow(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { accountId, environment, flowId }: AccountFlowKey,
): Promise<void> {
  await db
    .updateTable('account_flows')
    .set({ used_at: now() })
    .where(ofEnvironment({ accountId, environment }))
    .where('id', '=', flowId)
    .where('used_at', 'is', null)
    .execute()
}

/**
 * Takes the turn to enter an organization: a page of before takes none, and the flow of an organization entered before ends.
 *
 * @returns Whether this request may enter.
 */
export function takeTurn(
  deps: Pick<Deps, 'db' | 'now'>,
  flow: Pick<AccountFlow, 'accountId' | 'environment' | 'flowId' | 'round'>,
  from: readonly AccountStep[],
): Promise<boolean> {
  const { round } = flow
  return moveAccountFlowAlone(deps, flow, { from, to: 'entered', round, set: { round: round + 1 } })
}
