import type { AuthorizationRequest } from '@portico/contract/authorize'
import type { Deps } from '../../delivery/deps.js'
import { networkKey } from '../../delivery/limits/limits.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { isSeatFree } from '../../directory/organization-policy/seats.js'
import { normalizeEmail } from '../../platform/email.js'
import {
  endAccountFlow,
  startAccountFlow,
  takeTurn,
  type AccountFlow,
} from '../../sign-in/account-flows/account-flow.js'
import { accountFlowPath } from '../../sign-in/account-flows/account-flow-url.js'
import {
  isProofAccepted,
  useEmailSession,
  useEmailSessionOf,
  type EmailSession,
} from '../../sign-in/account-flows/email-session.js'
import { listEntries, type Entry } from '../../sign-in/account-flows/entries.js'
import type { PasskeyProof } from '../../sign-in/passkeys/prove-passkey.js'
import { hintedEmail, toFirstPage } from './authorization-request.js'
import { listAccountSessions, type ListedSession } from './account-sessions.js'
import { callerAtPage } from '../../sign-in/flows/flow.js'
import type { AskingApplication, AuthorizingClient } from './authorizing-client.js'
import {
  flowsOfNetwork,
  noPageShown,
  unknownAcr,
  type DecidingBrowser,
  type Decision,
} from './organization-decision.js'
import {
  enterOrganization,
  withoutPrompt,
  type Choice,
  type EnteredOrganization,
} from './organization-entrance.js'
import { findClientAt, placeOfAddress, type KnownBrowser } from './requested-organization.js'
import { isAcrUnknown } from './requested-acr.js'

type AccountBrowser = DecidingBrowser & Pick<KnownBrowser, 'findEmailSecret'>

/** The browser on the account's pages. */
export type ChoosingBrowser = DecidingBrowser & Pick<KnownBrowser, 'findRemembered' | 'listSessionSecrets'>

/**
 * Begins a sign-in that finds its organization by its user: by the mailbox that the browser has proved before, where the request
 * accepts it, else by an address.
 *
 * @throws ApiError `rate_limited` when the network has begun too many.
 */
export async function beginAccountFlow(
  deps: Deps,
  browser: AccountBrowser,
  application: AskingApplication,
  request: AuthorizationRequest,
): Promise<Decision> {
  if (isAcrUnknown(request)) return { fault: unknownAcr }
  if (!browser.isNavigation) return { fault: noPageShown }
  await deps.limits.take(flowsOfNetwork, networkKey(browser.ip))
  const { accountId, accountDomain, environment, applicationId } = application
  const proof = await findProof(deps, application, request, browser)
  const { browserSecret } = browser
  const flow = { accountId, environment, applicationId, request, proof, browserSecret }
  const flowId = await startAccountFlow(deps, { ...flow, email: hintedEmail(request) ?? null })
  return { path: toFirstPage(accountFlowPath(accountDomain, flowId), request) }
}

/** The mailbox that the browser has proved, where the request accepts the proof, and names no other address. */
async function findProof(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  application: AskingApplication,
  request: AuthorizationRequest,
  { findEmailSecret }: AccountBrowser,
): Promise<EmailSession | undefined> {
  const secret = findEmailSecret(application)
  const proof = secret === undefined ? undefined : await useEmailSession(deps, application, secret)
  const at = deps.now()
  if (proof === undefined || !isProofAccepted(request, proof.provedAt, { begunAt: at, at })) return undefined
  const email = hintedEmail(request)
  return email === undefined || normalizeEmail(email) === proof.emailNormalized ? proof : undefined
}

/** The mailbox that was proved for a flow; undefined when the proof is over, or too old by now. */
export async function findProofOf(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  flow: AccountFlow,
): Promise<EmailSession | undefined> {
  const { emailSessionId, insertedAt: begunAt } = flow
  if (emailSessionId === null) return undefined
  const proof = await useEmailSessionOf(deps, flow, emailSessionId)
  const isAccepted =
    proof !== undefined && isProofAccepted(flow.request, proof.provedAt, { begunAt, at: deps.now() })
  return isAccepted ? proof : undefined
}

/** The organizations that the owner of a proved mailbox can enter. */
export function listEntriesOf(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  { accountId, environment, applicationId }: AccountFlow,
  { emailNormalized }: EmailSession,
  onlyDomain: string | null = null,
): Promise<Entry[]> {
  return listEntries(deps, { accountId, environment, applicationId, emailNormalized, onlyDomain })
}

/**
 * Where the browser goes after a choice: to the pages of the organization, or to the application. `not_offered`: the organization
 * is none that the mailbox can enter; `no_seat`: it has none for a newcomer; `moved`: another request was first; `unproved`: the mailbox
 * must be proved anew.
 */
export type Entrance = 'not_offered' | 'no_seat' | 'moved' | 'unproved' | EnteredOrganization

/** Enters an organization of the list. What it demands, its own pages ask for; only the proof of the mailbox is carried over. */
export async function enterChosen(
  deps: Deps,
  flow: AccountFlow,
  browser: DecidingBrowser,
  domain: string,
): Promise<Entrance> {
  const proof = await findProofOf(deps, flow)
  if (proof === undefined) return 'unproved'
  const [entry] = await listEntriesOf(deps, flow, proof, domain)
  const client = entry && (await findClientAt(deps, flow, { domain: entry.domain }))
  if (entry === undefined || client === undefined) {
    deps.metrics.countEntrance('not_offered')
    return 'not_offered'
  }
  const { email } = proof
  if (entry.createdBy !== null && !(await isSeatFreeAt(deps, client, browser, email))) return 'no_seat'
  const isProofOlder = proof.provedAt.getTime() < flow.insertedAt.getTime()
  return enter(deps, flow, browser, {
    ...{ client, email, proof, isProofOlder },
    createdBy: entry.createdBy,
  })
}

/** Looks before a sign-in begins that would make a user in the end, who would be told there alone; and logs that there is no seat. */
async function isSeatFreeAt(
  deps: Deps,
  client: AuthorizingClient,
  { requestId }: DecidingBrowser,
  email: string,
): Promise<boolean> {
  const caller = callerAtPage(client, requestId)
  if (await isSeatFree(deps.db, { ...caller, domain: client.domain })) return true
  const { accountId, environment, organizationId, domain, applicationId: clientId } = client
  await logEvent(deps, deps.db, {
    ...{ accountId, environment, organizationId, domain, clientId, email },
    code: 'END_USER_SIGN_IN_FAILED',
    reason: 'seats_exhausted',
    cause: caller.cause,
  })
  return false
}

/** The sessions of the browser, where the application has its user choose between them. */
export async function listSessionsOf(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  flow: AccountFlow,
  { listSessionSecrets }: Pick<ChoosingBrowser, 'listSessionSecrets'>,
): Promise<ListedSession[]> {
  const isAsked = flow.request.prompt?.includes('select_account') === true
  return isAsked ? listAccountSessions(deps, flow, listSessionSecrets()) : []
}

/** Goes on with a session of the browser; what the request demands besides, the pages of its organization ask for. */
export async function enterSession(
  deps: Deps,
  flow: AccountFlow,
  browser: ChoosingBrowser,
  domain: string,
): Promise<Entrance> {
  const sessions = await listSessionsOf(deps, flow, browser)
  const session = sessions.find((listed) => listed.domain === domain)
  const client = session && (await findClientAt(deps, flow, { domain }))
  if (session === undefined || client === undefined) return 'not_offered'
  const chosen = { ...flow, request: withoutPrompt(flow.request, 'select_account') }
  return enter(deps, chosen, browser, { client, email: session.email, proof: undefined, createdBy: null })
}

/**
 * Enters the only organization of a mailbox that was just proved, where its user has signed in there before: nobody ends up in
 * one that a stranger has put their address into.
 *
 * @returns Undefined where there is something to choose.
 */
export async function enterOnly(
  deps: Deps,
  flow: AccountFlow,
  browser: DecidingBrowser,
): Promise<Entrance | undefined> {
  if (flow.request.prompt?.includes('select_organization') === true) return undefined
  const proof = await findProofOf(deps, flow)
  const [only, ...others] = proof === undefined ? [] : await listEntriesOf(deps, flow, proof)
  if (only === undefined || others.length > 0 || only.lastSignedInAt === null) return undefined
  return enterChosen(deps, flow, browser, only.domain)
}

/** Enters the organization of a typed address, by that organization's own ways; undefined where there is none to go to. */
export async function enterByAddress(
  deps: Deps,
  flow: AccountFlow,
  browser: ChoosingBrowser,
  email: string,
): Promise<Entrance | undefined> {
  const place = await placeOfAddress(deps, flow, email, browser)
  return place && enter(deps, flow, browser, { ...place, email, proof: undefined, createdBy: null })
}

/**
 * Enters the organization of a passkey that was used on the first page, whose user it signs in.
 *
 * @returns `refused` where it is of nobody who can use the application.
 */
export async function enterByPasskey(
  deps: Deps,
  flow: AccountFlow,
  browser: DecidingBrowser,
  proof: PasskeyProof,
): Promise<Entrance | 'refused'> {
  if ('refused' in proof) return 'refused'
  const { proved: passkey } = proof
  const { organizationId, email } = passkey
  const client = await findClientAt(deps, flow, { organizationId })
  if (client === undefined) return 'refused'
  return enter(deps, flow, browser, { client, email, proof: undefined, createdBy: null, passkey })
}

async function enter(
  deps: Deps,
  flow: AccountFlow,
  browser: DecidingBrowser,
  choice: Choice,
): Promise<Entrance> {
  if (!(await takeTurn(deps, flow, ['identifier', 'link_sent', 'choose', 'entered']))) return 'moved'
  const entrance = await enterOrganization(deps, { ...flow, accountFlowId: flow.flowId }, browser, choice)
  if ('answer' in entrance) await endAccountFlow(deps, flow)
  return entrance
}
