import { email as emailField } from '@portico/contract/fields'
import { confirmEmailChange } from '../../sign-in/own-account/confirm-own-email.js'
import {
  askEmailChange,
  cancelEmailChange,
  findOwnEmail,
  resendEmailCode,
} from '../../sign-in/own-account/own-email.js'
import {
  findStandIns,
  proveByApp,
  proveByPasskey,
  proveOldMailbox,
  type OldProofOutcome,
} from '../../sign-in/own-account/prove-own-email.js'
import { guess } from '../steps/guess.js'
import { waitOf } from '../steps/limit.js'
import type { OwnEmailFault } from '../texts/en/account.js'
import { accountEmailPage } from '../views/account-email.js'
import type { Section, SectionOutcome, SectionRequest } from './section.js'

/** The address of the user, which both mailboxes confirm. */
export const emailSection: Section = {
  needsFresh: true,
  show: (request) => page(request),
  actions: {
    ask,
    old_code: takeOldCode,
    app_code: takeAppCode,
    passkey: takePasskey,
    new_code: takeNewCode,
    resend,
    cancel,
  },
}

async function ask(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field, ip } = request
  const typed = field('email').trim()
  if (typed === '') return refuse(request, 'missing')
  if (!emailField().safeParse(typed).success) return refuse(request, 'invalid', { typed })
  try {
    const outcome = await askEmailChange(deps, tenant, session, { email: typed, ip })
    if (outcome === 'asked') return 'done'
    return await answer(request, outcome, { typed })
  } catch (error) {
    return tooMany(request, error, 'too_many_mails', { typed })
  }
}

function takeOldCode(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  return prove(request, 'code', () => proveOldMailbox(deps, tenant, session, field('code')))
}

function takeAppCode(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  const code = field('app_code').replace(/\s/g, '')
  return prove(request, 'app_code', () => proveByApp(deps, tenant, session, code))
}

function takePasskey(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, form, field } = request
  const sent = { credential: field('credential'), csrf: form.csrf }
  return prove(request, 'credential', () => proveByPasskey(deps, tenant, session, sent))
}

async function prove(
  request: SectionRequest,
  fieldName: 'code' | 'app_code' | 'credential',
  attempt: () => Promise<OldProofOutcome>,
): Promise<SectionOutcome> {
  const wrong = fieldName === 'app_code' ? 'wrong_app_code' : 'wrong_code'
  if (request.field(fieldName).trim() === '') return refuse(request, wrong)
  try {
    const outcome = await guess(request, attempt, (proved) => proved === 'proved')
    if (outcome === 'proved') return 'done'
    if (outcome === 'wrong') return await refuse(request, wrong)
    if (outcome === 'locked') return await refuse(request, 'app_locked')
    return await answer(request, outcome === 'refused' ? 'passkey_refused' : outcome)
  } catch (error) {
    return tooMany(request, error, 'too_many')
  }
}

async function takeNewCode(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  if (field('code').trim() === '') return refuse(request, 'wrong_code')
  try {
    const confirm = () => confirmEmailChange(deps, tenant, session, field('code'))
    const outcome = await guess(request, confirm, (confirmed) => confirmed === 'changed')
    if (outcome === 'changed') return 'done'
    return await answer(request, outcome === 'wrong' ? 'wrong_code' : outcome)
  } catch (error) {
    return tooMany(request, error, 'too_many')
  }
}

async function resend(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, ip } = request
  try {
    const outcome = await resendEmailCode(deps, tenant, session, { ip })
    if (outcome !== 'sent') return await answer(request, outcome)
    return { status: 200, page: await page(request, { isResent: true }) }
  } catch (error) {
    return tooMany(request, error, 'too_many_mails')
  }
}

async function cancel(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session } = request
  const outcome = await cancelEmailChange(deps, tenant, session)
  return outcome === 'stale' ? 'stale' : { status: 200, page: await page(request) }
}

type Notice = Partial<
  Pick<Parameters<typeof accountEmailPage>[0], 'fault' | 'isResent' | 'retryAfterSeconds' | 'typed'>
>

/** An outcome that the page of the section shows by itself, or as a fault. */
async function answer(
  request: SectionRequest,
  outcome: OwnEmailFault | 'managed' | 'stopped' | 'stale',
  notice: Notice = {},
): Promise<SectionOutcome> {
  if (outcome === 'stale') return 'stale'
  if (outcome === 'managed' || outcome === 'stopped') return { status: 422, page: await page(request) }
  return refuse(request, outcome, notice)
}

async function refuse(
  request: SectionRequest,
  fault: OwnEmailFault,
  notice: Notice = {},
): Promise<SectionOutcome> {
  return { status: 422, page: await page(request, { ...notice, fault }) }
}

/** @throws The error, unless it is that of a limit. */
async function tooMany(
  request: SectionRequest,
  error: unknown,
  fault: 'too_many' | 'too_many_mails',
  notice: Notice = {},
): Promise<SectionOutcome> {
  const wait = waitOf(error)
  if (wait === undefined) throw error
  return { status: 429, page: await page(request, { ...notice, fault, ...wait }), ...wait }
}

async function page(request: SectionRequest, notice: Notice = {}): Promise<string> {
  const { deps, tenant, session, frame, form, account, isDone } = request
  const { waiting, stoppedUntil } = await findOwnEmail(deps, tenant, session)
  const standIns = waiting && (await findStandIns(deps, tenant, session, form.csrf))
  return accountEmailPage({
    frame,
    form,
    email: account.email,
    isManaged: account.isEmailManaged,
    stoppedSeconds: stoppedUntil && Math.ceil((stoppedUntil.getTime() - deps.now().getTime()) / 1000),
    waiting: waiting && standIns && { ...waiting, ...standIns },
    isDone,
    ...notice,
  })
}
