import { passkeyHint } from '@portico/contract/authorize'
import { email } from '@portico/contract/fields'
import {
  enterByAddress,
  enterByPasskey,
  enterChosen,
  enterSession,
  findProofOf,
  listEntriesOf,
  listSessionsOf,
} from '../../protocols/oauth/account-authorization.js'
import { moveAccountFlowAlone, type AccountStep } from '../../sign-in/account-flows/account-flow.js'
import { endEmailSessionOf } from '../../sign-in/account-flows/email-session.js'
import { mostEntries } from '../../sign-in/account-flows/entries.js'
import { verifyEmailCode } from '../../sign-in/account-flows/open-email-link.js'
import { requestEmailLink } from '../../sign-in/account-flows/request-email-link.js'
import { isFirstFactorAnywhere } from '../../sign-in/passkeys/connection.js'
import { findAccountRequestOptions, proveAccountPasskey } from '../../sign-in/passkeys/prove-passkey.js'
import { guess } from '../steps/guess.js'
import { waitOf } from '../steps/limit.js'
import type { ChoiceView } from '../views/choice.js'
import { choosePage } from '../views/choose.js'
import { identifierPage } from '../views/identifier.js'
import { linkSentPage } from '../views/link-sent.js'
import type { AccountOutcome, AccountRequest, ShownPage } from './account-request.js'

interface AccountPage {
  readonly show: (request: AccountRequest) => Promise<ShownPage> | ShownPage
  readonly actions: Readonly<Record<string, (request: AccountRequest) => Promise<AccountOutcome>>>
}

const addressing = { identify, continue_as: continueAs, passkey }
const choosing = { ...addressing, enter, change_address: changeAddress, sign_out_here: signOutHere }

/** The page of each step, and the actions of its forms. */
export const accountPages: Readonly<Record<AccountStep, AccountPage>> = {
  identifier: { show: (request) => askAddress(request), actions: addressing },
  link_sent: {
    show: (request) => ({ page: linkSent(request) }),
    actions: { link_code: linkCode, resend, change_address: changeAddress },
  },
  choose: { show: (request) => choose(request), actions: choosing },
  // Another organization may be wanted than the one whose pages the browser has gone to.
  entered: { show: (request) => choose(request), actions: choosing },
}

type IdentifierView = Parameters<typeof identifierPage>[0]

async function askAddress(
  { deps, browser, frame, form, flow, query }: AccountRequest,
  address = flow.email ?? '',
  wrong: Partial<Pick<IdentifierView, 'fault' | 'retryAfterSeconds'>> = {},
): Promise<ShownPage> {
  const { applicationName, round } = flow
  const [listed, hasPasskey] = await Promise.all([
    listSessionsOf(deps, flow, browser),
    isFirstFactorAnywhere(deps, flow),
  ])
  const choices = listed.map(({ iconLogoUrl: logoUrl, usedAt: lastUsedAt, ...session }) => ({
    ...session,
    logoUrl,
    lastUsedAt,
  }))
  const sessions = choices.length === 0 ? undefined : { choices, round, now: deps.now() }
  const passkeys = {
    isPasskeyAsked: query('begin') === passkeyHint,
    passkeyOptions: hasPasskey ? findAccountRequestOptions(deps, flow, form.csrf) : undefined,
  }
  const view = {
    frame,
    form,
    email: address,
    maySignUp: false,
    applicationName,
    sessions,
    ...passkeys,
    ...wrong,
  }
  return { page: identifierPage(view), logoUrls: logosOf(choices) }
}

/** Signs in by a passkey, which says whose it is and of which organization. */
async function passkey(request: AccountRequest): Promise<AccountOutcome> {
  const { deps, flow, browser, form } = request
  const sent = { credential: request.field('credential'), csrf: form.csrf }
  const proof = await guess(
    request,
    () => proveAccountPasskey(deps, flow, sent),
    (answer) => 'proved' in answer,
  )
  const entrance = await enterByPasskey(deps, flow, browser, proof)
  if (entrance === 'refused') {
    const next = { ...request, flow: { ...flow, passkeyAttempt: flow.passkeyAttempt + 1 } }
    return { status: 422, ...(await askAddress(next, undefined, { fault: 'passkey_refused' })) }
  }
  return typeof entrance === 'string' ? 'moved' : entrance
}

function logosOf(choices: readonly ChoiceView[]): string[] {
  return choices.flatMap(({ logoUrl }) => logoUrl ?? [])
}

async function continueAs(request: AccountRequest): Promise<AccountOutcome> {
  const { deps, flow, browser } = request
  if (!isOfThisRound(request)) return 'moved'
  const entrance = await enterSession(deps, flow, browser, request.field('organization'))
  // The session has ended meanwhile: the page lists those that are left.
  return typeof entrance === 'string' ? 'moved' : entrance
}

/** A page of before an organization was entered enters none. */
function isOfThisRound({ flow, field }: AccountRequest): boolean {
  return field('round') === String(flow.round)
}

/**
 * Goes on with an address: to the organization that the browser has used with it, or whose domain it has, else to the mailbox. That
 * depends on the browser and the domain, never on whether a user has the address.
 */
async function identify(request: AccountRequest): Promise<AccountOutcome> {
  const { deps, flow, browser } = request
  const typed = request.field('email').trim()
  const refuse = async (fault: 'missing' | 'invalid') => ({
    status: 422,
    ...(await askAddress(request, typed, { fault })),
  })
  if (typed === '') return refuse('missing')
  if (!email().safeParse(typed).success) return refuse('invalid')
  // Back from an organization, or begun to choose one: the mailbox decides.
  const isElsewhere =
    flow.step !== 'identifier' || flow.request.prompt?.includes('select_organization') === true
  const entrance = isElsewhere ? undefined : await enterByAddress(deps, flow, browser, typed)
  if (typeof entrance === 'string' && entrance !== 'moved') return 'over'
  return entrance ?? mailLink(request, typed)
}

async function mailLink(request: AccountRequest, typed: string): Promise<AccountOutcome> {
  const { deps, flow, ip, requestId } = request
  try {
    await requestEmailLink(deps, { flow, email: typed, ip, requestId })
    return 'moved'
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return { status: 429, ...(await askAddress(request, typed, { fault: 'too_many', ...wait })), ...wait }
  }
}

type Notice = Partial<Pick<Parameters<typeof linkSentPage>[0], 'fault' | 'isResent' | 'retryAfterSeconds'>>

function linkSent({ frame, form, flow }: AccountRequest, notice: Notice = {}): string {
  const isCodeAsked = flow.isLinkCodeShown && notice.fault !== 'code_over' && notice.isResent !== true
  return linkSentPage({ frame, form, email: flow.email ?? '', purpose: 'sign_in', isCodeAsked, ...notice })
}

async function linkCode(request: AccountRequest): Promise<AccountOutcome> {
  const { deps, flow, requestId } = request
  const typed = request.field('code')
  const refuse = (fault: 'wrong_code' | 'code_over') => ({ status: 422, page: linkSent(request, { fault }) })
  if (typed.trim() === '') return refuse('wrong_code')
  const outcome = await guess(
    request,
    () => verifyEmailCode(deps, { flow, typed, requestId }),
    (verified) => typeof verified === 'object',
  )
  if (outcome === 'wrong') return refuse('wrong_code')
  return outcome === 'void' ? refuse('code_over') : outcome
}

async function resend(request: AccountRequest): Promise<AccountOutcome> {
  const { deps, flow, ip, requestId } = request
  if (flow.email === null) return 'over'
  try {
    const isSent = await requestEmailLink(deps, { flow, email: flow.email, ip, requestId })
    return isSent ? { status: 200, page: linkSent(request, { isResent: true }) } : 'moved'
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return { status: 429, page: linkSent(request, { fault: 'too_many_mails', ...wait }), ...wait }
  }
}

async function changeAddress({ deps, flow }: AccountRequest): Promise<AccountOutcome> {
  await moveAccountFlowAlone(deps, flow, {
    from: ['link_sent', 'choose', 'entered'],
    to: 'identifier',
    set: { email_session_id: null, link_code_sealed: null },
  })
  return 'moved'
}

/** Of each the policy of the page names the origin, and headers have a bound. */
const mostLogos = 20

/** The list of a proved mailbox; without a proof, or when it is over, the page of the address. */
async function choose(
  request: AccountRequest,
  refusal?: Parameters<typeof choosePage>[0]['refusal'],
): Promise<ShownPage> {
  const { deps, flow, frame, form } = request
  const proof = await findProofOf(deps, flow)
  if (proof === undefined) return askAddress(request)
  const entries = await listEntriesOf(deps, flow, proof)
  const choices = entries.map(({ kind, domain, name, iconLogoUrl, lastSignedInAt: lastUsedAt }, index) => ({
    domain,
    name,
    // The server of an organization that the user has never entered does not learn of them.
    logoUrl: lastUsedAt === null || index >= mostLogos ? null : iconLogoUrl,
    lastUsedAt,
    mayOnlyAsk: kind === 'may_ask',
  }))
  const { applicationName, round } = flow
  const isLong = choices.length >= mostEntries
  const view = { frame, form, email: proof.email, applicationName, choices, isLong, round, refusal }
  return { page: choosePage({ ...view, now: deps.now() }), logoUrls: logosOf(choices) }
}

async function enter(request: AccountRequest): Promise<AccountOutcome> {
  const { deps, flow, browser } = request
  const domain = request.field('organization').trim().toLowerCase()
  if (!isOfThisRound(request)) return 'moved'
  const entrance = await enterChosen(deps, flow, browser, domain)
  if (entrance === 'unproved') return 'moved'
  if (entrance === 'not_offered' || entrance === 'no_seat')
    return { status: 409, ...(await choose(request, entrance)) }
  return entrance
}

async function signOutHere({ deps, flow }: AccountRequest): Promise<AccountOutcome> {
  if (flow.emailSessionId !== null) await endEmailSessionOf(deps, flow, flow.emailSessionId)
  await moveAccountFlowAlone(deps, flow, {
    from: ['choose', 'entered'],
    to: 'identifier',
    set: { email: null, email_normalized: null, email_session_id: null },
  })
  return 'signed_out'
}
