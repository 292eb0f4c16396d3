import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { lookColumns, toAccountLook, type AccountLook } from '../../directory/organizations/account-look.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import { causeBy } from '../../platform/tenant.js'
import {
  isLinkCode,
  linkCodeLifetimeMs,
  makeLinkCode,
  maxCodeFailures,
  openLinkCode,
  sealLinkCode,
} from '../magic-link/link-code.js'
import type { ShownLinkCode } from '../magic-link/flow-arrival.js'
import type { LinkCodeOutcome } from '../magic-link/verify-link-code.js'
import { moveAccountFlow, type AccountFlow, type AccountFlowKey } from './account-flow.js'
import { openEmailSession } from './email-session.js'

/** A link as it arrives: the account of its path, and its token. */
export interface ArrivedEmailLink {
  readonly accountDomain: string
  readonly token: string
  /** Of the flow cookie; undefined where the browser has none. */
  readonly browserSecret: string | undefined
}

/** A link that is open, and its flow. */
export interface OpenEmailLink extends AccountFlowKey {
  readonly challengeId: string
  readonly email: string
  readonly applicationId: string
  readonly applicationName: string
  readonly redirectUri: string
  /** Of the account's pages. */
  readonly look: AccountLook
  /** This is not the browser that has asked for the link: it gets a code for that one. */
  readonly isOtherBrowser: boolean
}

/** A mailbox that was proved in the browser of a flow. */
export interface ProvedMailbox extends AccountFlowKey {
  /** Of the e-mail session, for the browser's cookie. */
  readonly secret: string
}

interface LinkKey {
  readonly accountDomain: string
  readonly tokenHash: Buffer
  readonly browserHash: Buffer | null
  readonly at: Date
}

const selectOpenLink = statement((db, key: LinkKey) => openLink(db, key))

/** The flow first, as whatever asks for another link locks it. */
const lockOpenLink = statement((db, key: LinkKey) => openLink(db, key).forNoKeyUpdate('flow'))

function openLink(db: Kysely<DB>, key: LinkKey) {
  return db
    .selectFrom('email_challenges as challenge')
    .innerJoin('accounts', 'accounts.id', 'challenge.account_id')
    .innerJoin('account_flows as flow', (join) =>
      join.on(sameEnvironment('flow', 'challenge')).onRef('flow.id', '=', 'challenge.flow_id'),
    )
    .innerJoin('applications', (join) =>
      join.on(sameEnvironment('applications', 'flow')).onRef('applications.id', '=', 'flow.application_id'),
    )
    .where('challenge.token_hash', '=', key.tokenHash)
    .where('accounts.domain', '=', key.accountDomain)
    .where('challenge.used_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('challenge.expires_at', '>', key.at)
    .where('flow.step', '=', 'link_sent')
    .whereRef('flow.email_normalized', '=', 'challenge.email_normalized')
    .where('flow.used_at', 'is', null)
    .where('flow.expires_at', '>', key.at)
    .where('applications.deleted_at', 'is', null)
    .select([
      'challenge.account_id',
      ...lookColumns,
      // The table's check constraint allows nothing else.
      sql<Environment>`challenge.environment`.as('environment'),
      'challenge.id',
      'challenge.flow_id',
      'challenge.email',
      'applications.id as application_id',
      'applications.name',
      // Only written by startAccountFlow().
      sql<string>`flow.request->>'redirect_uri'`.as('redirect_uri'),
      sql<boolean>`(flow.browser_hash is distinct from ${key.browserHash}::bytea)`.as('is_other_browser'),
    ])
}

/** The flow of a link that is open, which this does not change; undefined when the link would prove nothing. */
export async function findOpenEmailLink(
  deps: Pick<Deps, 'db' | 'now'>,
  link: ArrivedEmailLink,
): Promise<OpenEmailLink | undefined> {
  const [row] = await selectOpenLink(deps.db, toLinkKey(deps, link))
  return row && toOpenLink(row)
}

function toLinkKey(
  { now }: Pick<Deps, 'now'>,
  { accountDomain, token, browserSecret }: ArrivedEmailLink,
): LinkKey {
  const browserHash = browserSecret === undefined ? null : hashSecret(browserSecret)
  return { accountDomain, tokenHash: hashSecret(token), browserHash, at: now() }
}

function toOpenLink(row: Awaited<ReturnType<typeof selectOpenLink>>[number]): OpenEmailLink {
  return {
    accountId: row.account_id,
    environment: row.environment,
    flowId: row.flow_id,
    challengeId: row.id,
    email: row.email,
    applicationId: row.application_id,
    applicationName: row.name,
    redirectUri: row.redirect_uri,
    look: toAccountLook(row),
    isOtherBrowser: row.is_other_browser,
  }
}

/** What a link leads to: the list of organizations in its own browser, in another one a code to type there. */
export type EmailLinkOutcome = ProvedMailbox | (ShownLinkCode & { readonly look: AccountLook })

/**
 * Consumes a link, once. In the browser of its flow it proves the mailbox; any other one shows a code and proves nothing there,
 * whoever has it opened.
 *
 * @returns Undefined when the link is refused.
 */
export async function openEmailLink(
  deps: Deps,
  link: ArrivedEmailLink,
  requestId: string,
): Promise<EmailLinkOutcome | undefined> {
  const { record } = await change(deps, causeBy(requestId, 'system', 'magic_link'), async (trx) => {
    const [row] = await lockOpenLink(trx, toLinkKey(deps, link))
    const open = row && toOpenLink(row)
    if (open === undefined || !(await consumeChallenge(deps, trx, open))) return { record: undefined }
    const { email, applicationId, applicationName } = open
    if (open.isOtherBrowser) {
      const code = await showCode(deps, trx, open)
      const { environment, look } = open
      return { record: code === undefined ? undefined : { code, applicationName, environment, look } }
    }
    const flow = { ...open, accountDomain: link.accountDomain }
    return { record: await proveMailbox(deps, trx, { flow, email, applicationId, requestId }) }
  })
  return record
}

/** @returns Whether this request is the one that consumes it. */
async function consumeChallenge(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, environment, challengeId }: OpenEmailLink,
): Promise<boolean> {
  const used = await trx
    .updateTable('email_challenges')
    .set({ used_at: now() })
    .where(ofEnvironment({ accountId, environment }))
    .where('id', '=', challengeId)
    .where('used_at', 'is', null)
    .where('voided_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}

async function showCode(
  deps: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  { challengeId, ...flow }: OpenEmailLink,
): Promise<string | undefined> {
  const code = makeLinkCode()
  const { accountId, environment, flowId } = flow
  const owner = { accountId, environment, flowId }
  const isMoved = await moveAccountFlow(deps, trx, flow, {
    from: ['link_sent'],
    to: 'link_sent',
    set: {
      link_code_sealed: sealLinkCode(deps.keys.master, owner, { code, challengeId }),
      link_code_expires_at: new Date(deps.now().getTime() + linkCodeLifetimeMs),
      link_code_failures: 0,
    },
  })
  return isMoved ? code : undefined
}

/** A mailbox to prove in a flow, with what the log tells of it. */
interface Proof {
  readonly flow: AccountFlowKey & { readonly accountDomain: string }
  readonly email: string
  readonly applicationId: string
  readonly requestId: string
}

/** Opens the e-mail session of a flow that waits for it, and moves the flow to the list. */
async function proveMailbox(
  deps: Deps,
  trx: Transaction<DB>,
  { flow, email, applicationId, requestId }: Proof,
): Promise<ProvedMailbox | undefined> {
  const { accountId, accountDomain, environment, flowId } = flow
  const emailSessionId = newId()
  const isMoved = await moveAccountFlow(deps, trx, flow, {
    from: ['link_sent'],
    to: 'choose',
    set: {
      email,
      email_normalized: normalizeEmail(email),
      email_session_id: emailSessionId,
      link_code_sealed: null,
    },
  })
  // The address was changed meanwhile.
  if (!isMoved) return undefined
  const secret = await openEmailSession(deps, trx, flow, { emailSessionId, email })
  await logEvent(deps, trx, {
    accountId,
    environment,
    domain: accountDomain,
    code: 'ACCOUNT_SIGN_IN_PROVED',
    clientId: applicationId,
    email,
    requestId,
  })
  return { accountId, environment, flowId, secret }
}

/**
 * Compares a typed code with the one that the link of a flow has shown in another browser, and proves the mailbox when it is
 * right. An attempt is counted before it is compared: of many concurrent ones, five are compared.
 */
export async function verifyEmailCode(
  deps: Deps,
  {
    flow,
    typed,
    requestId,
  }: { readonly flow: AccountFlow; readonly typed: string; readonly requestId: string },
): Promise<ProvedMailbox | Extract<LinkCodeOutcome, 'wrong' | 'void'>> {
  // A wrong code is counted, so an error must not roll its transaction back.
  const cause = causeBy(requestId, 'system', 'sign_in_page')
  const { record } = await change(deps, cause, async (trx) => ({
    record: await compare(deps, trx, { flow, typed, requestId }),
  }))
  return record
}

async function compare(
  deps: Deps,
  trx: Transaction<DB>,
  {
    flow,
    typed,
    requestId,
  }: { readonly flow: AccountFlow; readonly typed: string; readonly requestId: string },
): Promise<ProvedMailbox | 'wrong' | 'void'> {
  const { accountId, environment, flowId } = flow
  const tried = await takeTry(deps, trx, flow)
  if (tried === undefined) return 'void'
  const shown = openLinkCode(deps.keys.master, { accountId, environment, flowId }, tried.sealed)
  if (!isLinkCode(shown, typed)) {
    if (tried.failures < maxCodeFailures) return 'wrong'
    const set = { link_code_sealed: null, link_code_expires_at: null }
    await moveAccountFlow(deps, trx, flow, { from: ['link_sent'], to: 'link_sent', set })
    return 'void'
  }
  // The flow may be for another address by now, which that link does not prove.
  const challenge = await trx
    .selectFrom('email_challenges')
    .where(ofEnvironment(flow))
    .where('id', '=', shown.challengeId)
    .where('flow_id', '=', flowId)
    .where('email_normalized', '=', tried.emailNormalized)
    .select('email')
    .executeTakeFirst()
  if (challenge === undefined) return 'void'
  const { applicationId } = flow
  return (await proveMailbox(deps, trx, { flow, email: challenge.email, applicationId, requestId })) ?? 'void'
}

/** The code of the flow, if it is valid; one statement counts the attempt and locks the flow. */
async function takeTry({ now }: Pick<Deps, 'now'>, trx: Transaction<DB>, flow: AccountFlow) {
  const at = now()
  return trx
    .updateTable('account_flows')
    .set({ link_code_failures: sql`link_code_failures + 1` })
    .where(ofEnvironment(flow))
    .where('id', '=', flow.flowId)
    .where('step', '=', 'link_sent')
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .where('link_code_sealed', 'is not', null)
    .where('link_code_expires_at', '>', at)
    .where('link_code_failures', '<', maxCodeFailures)
    .returning([
      sql<Buffer>`link_code_sealed`.as('sealed'),
      'link_code_failures as failures',
      'email_normalized as emailNormalized',
    ])
    .executeTakeFirst()
}
