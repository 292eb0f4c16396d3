import { setOwnPassword } from '../../sign-in/own-account/own-password.js'
import { accountPasswordPage } from '../views/account-password.js'
import { waitOf } from '../steps/limit.js'
import type { Section, SectionOutcome, SectionRequest } from './section.js'

/** The password of the user: the first one, or another. */
export const passwordSection: Section = {
  needsFresh: true,
  show: (request) => Promise.resolve(page(request)),
  actions: { set_password: setPassword },
}

async function setPassword(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  try {
    const outcome = await setOwnPassword(deps, tenant, session, field('password'))
    if (outcome === 'stale') return 'stale'
    if (typeof outcome === 'object')
      return { status: 422, page: page(request, { fault: outcome.fault.code }) }
    // Since the form was shown: no longer offered, or not without a link.
    return outcome === 'set' ? 'done' : { status: 403, page: page(request) }
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return { status: 429, page: page(request, { fault: 'too_many', ...wait }), ...wait }
  }
}

type Wrong = Partial<Pick<Parameters<typeof accountPasswordPage>[0], 'fault' | 'retryAfterSeconds'>>

function page({ frame, form, account, isDone }: SectionRequest, wrong: Wrong = {}): string {
  return accountPasswordPage({ frame, form, email: account.email, ...account.password, isDone, ...wrong })
}
