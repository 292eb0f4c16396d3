import { sql, type Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import type { FlowKey } from '../../sign-in/flows/flow.js'
import { lockFlow } from '../../sign-in/flows/lock-flow.js'
import { startFlow } from '../../sign-in/flows/start.js'
import { grantedScope } from '../../tokens/scopes.js'
import { isOfConnection } from '../connections/connection-key.js'
import { assertCheck, assertCheckStill } from './check-list.js'
import { assertDestination, authorizeUser, completeFlow, type SsoEnd, type SsoSignIn } from './complete.js'
import { findDefaultRedirection, type SsoDestination } from './destination.js'

/**
 * Completes an IdP-initiated sign-in where the connection accepts it. Otherwise the asserted user is ignored and the
 * browser is sent to the identity provider with a request, whose answer is bound to this browser.
 */
export async function completeUnsolicited(
  deps: Deps,
  trx: Transaction<DB>,
  signIn: SsoSignIn,
  browserSecret: string,
): Promise<SsoEnd> {
  const { live, checks } = signIn
  const configured = await findDefaultRedirection(trx, live)
  if (live.idpInitiated === 'accept') {
    const { user, destination } = await authorizeUser(deps, trx, signIn, configured)
    const key = await beginFlow(deps, trx, signIn, { ...destination, browserSecret })
    const lockedFlow = await lockFlow(deps, trx, key, { steps: ['identity_provider'] })
    if (lockedFlow === undefined) throw new Error('a flow that has just begun is missing')
    return completeFlow(deps, trx, signIn, { lockedFlow, user })
  }
  assertCheck(checks, 'connection_active', live.active)
  await assertNoLoop(deps, trx, signIn, browserSecret)
  const destination = await assertDestination(trx, signIn, configured)
  const { flowId } = await beginFlow(deps, trx, signIn, { ...destination, browserSecret })
  return { next: { to: 'identity_provider', flowId } }
}

function beginFlow(
  deps: Deps,
  trx: Transaction<DB>,
  { live }: SsoSignIn,
  bound: SsoDestination & { readonly browserSecret: string },
): Promise<FlowKey> {
  return startFlow(deps, trx, {
    ...live,
    ...bound,
    issuer: 'organization',
    responseMode: 'query',
    state: null,
    nonce: null,
    codeChallenge: null,
    scope: grantedScope(undefined, 'sso'),
    claims: null,
    isMfaRequired: false,
    isConsentAsked: false,
    isSignInForced: false,
    locale: null,
    preferredWay: null,
    email: null,
    sessionId: null,
    isIdpInitiated: true,
    accountFlowId: null,
  })
}

/** Redirects of one browser a minute, which end the loop of an identity provider that never answers a request. */
const bouncesAMinute = 3

async function assertNoLoop(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { live, checks }: SsoSignIn,
  browserSecret: string,
): Promise<void> {
  const { count } = await trx
    .selectFrom('sign_in_flows')
    .where(isOfConnection('sign_in_flows', live))
    .where('browser_hash', '=', hashSecret(browserSecret))
    .where('step', '=', 'identity_provider')
    .where('inserted_at', '>', new Date(now().getTime() - 60_000))
    .select(sql<string>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  assertCheckStill(checks, 'unsolicited', Number(count) < bouncesAMinute, {
    expected: 'InResponseTo with the id of our request',
    received: 'responses without InResponseTo, also to requests of ours',
  })
}
