import type { Environment } from '@portico/contract/fields'
import { sql, type Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { keptPasskeysOfUser } from '../../delivery/mail/kept-passkeys.js'
import { forgetAttempts } from '../flows/attempts.js'
import { callerAtPage } from '../flows/flow.js'
import { flowUrl } from '../flows/flow-url.js'
import { lockFlow, completeFactorOfLockedFlow } from '../flows/lock-flow.js'
import { firstFactorSteps } from '../flows/step.js'
import { ofUser, type Caller, type Tenant } from '../../platform/tenant.js'
import { findUser } from '../../directory/users/signing-in-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { findNewPasswordFault, replacePassword } from './new-password.js'
import { setPasswordUrl } from './own-page.js'
import type { PasswordFault } from './policy.js'
import { consumePasswordCode } from './consume-code.js'
import { endUriOfFlow } from '../flows/idp-initiated.js'
import { isOrganizationOf, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A code as it arrives at our page. */
interface ArrivedCode {
  readonly organizationDomain: string
  readonly code: string
}

/** The user and rules that a valid code is for. */
export type OpenCode = Awaited<ReturnType<typeof selectOpenCode>>[number]

interface CodeKey {
  readonly organizationDomain: string
  readonly codeHash: Buffer
  readonly ownPage: string
  readonly at: Date
}

const selectOpenCode = statement((db, key: CodeKey) =>
  db
    .selectFrom('password_requests as request')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'request')))
    .innerJoin('accounts', 'accounts.id', 'request.account_id')
    .innerJoin('password_connections as connection', (join) => join.on(sameTenant('connection', 'request')))
    .innerJoin('users', (join) =>
      join
        .on(sameTenant('users', 'request'))
        .onRef('users.id', '=', 'request.user_id')
        .onRef('users.email_normalized', '=', 'request.email_normalized'),
    )
    .leftJoin('sign_in_flows as flow', (join) =>
      join.on(sameTenant('flow', 'request')).onRef('flow.id', '=', 'request.flow_id'),
    )
    .leftJoin('applications', (join) =>
      join.on(sameEnvironment('applications', 'flow')).onRef('applications.id', '=', 'flow.application_id'),
    )
    .where('request.code_hash', '=', key.codeHash)
    .where('request.redirect_uri', '=', key.ownPage)
    .where('request.used_at', 'is', null)
    .where('request.expires_at', '>', key.at)
    .where('organizations.domain', '=', key.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .where('connection.active', '=', true)
    .where('users.active', '=', true)
    .where('users.deleted_at', 'is', null)
    .select([
      'request.account_id',
      'accounts.domain as account_domain',
      sql<Environment>`request.environment`.as('environment'),
      'request.organization_id',
      'request.email_normalized',
      'organizations.domain',
      'organizations.name',
      'accounts.product_name',
      'users.email',
      'users.profile',
      'connection.plain_text_min_length as min_length',
      'connection.plain_text_max_length as max_length',
      // The form's final redirect, which browsers check against the page's policy.
      endUriOfFlow('flow.redirect_uri').$castTo<string | null>().as('end_uri'),
    ]),
)

/** The user and rules of a code, which is not consumed; undefined when it is invalid. */
export async function findOpenCode(
  { config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>,
  { organizationDomain, code }: ArrivedCode,
): Promise<OpenCode | undefined> {
  const ownPage = setPasswordUrl(config.baseUrl, organizationDomain)
  const [open] = await selectOpenCode(db, {
    organizationDomain,
    codeHash: hashSecret(code),
    ownPage,
    at: now(),
  })
  return open
}

/** A password chosen at our page. */
interface ChosenPassword extends ArrivedCode {
  readonly plainText: string
  /** Of the flow cookie. */
  readonly browserSecret: string
  readonly requestId: string
}

type SetOutcome =
  | 'refused'
  | { readonly fault: PasswordFault; readonly open: OpenCode }
  | {
      /** Where the flow of this browser continues; undefined without a flow. */
      readonly redirectUrl: string | undefined
      /** The names of the passkeys that still work, which somebody else may have added. */
      readonly keptPasskeys: readonly string[]
      readonly environment: Environment
    }

/**
 * Sets the password of a code's user and consumes the code, as setPassword() does for applications. Only the browser
 * whose flow asked for the link is signed in, after a second factor where one is asked for.
 *
 * @throws ApiError `rate_limited` when there is no capacity to hash it.
 */
export async function setPasswordAtPage(
  deps: Deps,
  { plainText, browserSecret, requestId, ...arrived }: ChosenPassword,
): Promise<SetOutcome> {
  const open = await findOpenCode(deps, arrived)
  if (open === undefined) return 'refused'
  const lengths = { min: open.min_length, max: open.max_length }
  const fault = await findNewPasswordFault(deps, plainText, lengths, open)
  if (fault !== undefined) return { fault, open }

  const hash = await deps.passwords.admit(open.domain, (hashes) => hashes.hash(plainText))
  const caller = callerOf(open, requestId)
  const { record } = await change(deps, caller.cause, async (trx): Promise<{ record: SetOutcome }> => {
    const used = await useCode(deps, trx, caller, { codeHash: hashSecret(arrived.code), open, hash })
    if (used === undefined) return { record: 'refused' }
    const { userId, flowId } = used
    const isIn =
      flowId !== null && (await completePassword(deps, trx, caller, { open, userId, flowId, browserSecret }))
    const redirectUrl = isIn ? flowUrl(deps.config.baseUrl, open.domain, flowId) : undefined
    const keptPasskeys = await findKeptPasskeys(deps, trx, caller, userId)
    return { record: { redirectUrl, keptPasskeys, environment: open.environment } }
  })
  if (record !== 'refused') await forgetAttempts(deps, { ...caller, address: open.email_normalized })
  return record
}

async function findKeptPasskeys(
  { config }: Pick<Deps, 'config'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<readonly string[]> {
  const user = await usersOf(trx, tenant)
    .where('users.id', '=', userId)
    .select(keptPasskeysOfUser(config.passkeyRpId).as('names'))
    .executeTakeFirst()
  return user?.names ?? []
}

function callerOf(open: OpenCode, requestId: string): Caller & Tenant {
  const at = {
    accountId: open.account_id,
    accountDomain: open.account_domain,
    environment: open.environment,
    organizationId: open.organization_id,
  }
  return { ...callerAtPage(at, requestId), domain: open.domain }
}

interface Use {
  readonly codeHash: Buffer
  readonly open: OpenCode
  readonly hash: string
}

/** @returns The user and the flow of the code; undefined when the code is no longer valid. */
async function useCode(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { codeHash, open, hash }: Use,
): Promise<{ readonly userId: string; readonly flowId: string | null } | undefined> {
  const email = open.email_normalized
  const user = await findUser(trx, tenant, email)
  if (user?.active !== true) return undefined
  const ownPage = setPasswordUrl(deps.config.baseUrl, open.domain)
  const consumedCode = await consumePasswordCode(deps, trx, tenant, {
    email,
    codeHash,
    userId: user.id,
    ownPage,
  })
  if (consumedCode === undefined) return undefined
  await replacePassword(deps, trx, ofUser(tenant, user.id), {
    organizationId: consumedCode.organization_id,
    applicationId: consumedCode.application_id,
    user,
    isLinkOpened: consumedCode.opened_at !== null,
    isLinkReturned: consumedCode.is_link_returned,
    hash,
  })
  return { userId: user.id, flowId: consumedCode.flow_id }
}

/** @returns Whether the flow that asked for the link is this browser's, and has moved on. */
async function completePassword(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  at: {
    readonly open: OpenCode
    readonly userId: string
    readonly flowId: string
    readonly browserSecret: string
  },
): Promise<boolean> {
  const { open, userId, flowId, browserSecret } = at
  const { accountId, environment } = tenant
  const key = { accountId, environment, organizationId: open.organization_id, flowId }
  const held = await lockFlow(deps, trx, key, {
    steps: firstFactorSteps,
    browserHash: hashSecret(browserSecret),
  })
  if (held === undefined || !held.is_own_browser) return false
  // The flow may be for another address by now.
  if (held.email_normalized !== open.email_normalized) return false
  const step = await completeFactorOfLockedFlow(deps, trx, held, { tenant, userId, amr: ['email', 'pwd'] })
  return step !== undefined
}
