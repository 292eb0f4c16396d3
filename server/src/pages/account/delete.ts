import {
  deleteOwnAccount,
  findDeletionRequest,
  requestOwnDeletion,
} from '../../sign-in/own-account/own-deletion.js'
import { accountDeletePage } from '../views/account-delete.js'
import type { Section, SectionOutcome, SectionRequest } from './section.js'

/** The end of the account, where the organization leaves it to its users, or lets them ask for it. */
export const deleteSection: Section = {
  needsFresh: true,
  show: (request) => page(request, false),
  actions: { delete: deleteAccount, request: askForDeletion },
}

async function deleteAccount(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  const outcome = await deleteOwnAccount(deps, tenant, session, field('email').trim())
  if (outcome === 'deleted' || outcome === 'stale') return outcome
  if (outcome === 'not_offered') return 'done'
  return { status: 422, page: await page(request, true) }
}

async function askForDeletion(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session } = request
  const outcome = await requestOwnDeletion(deps, tenant, session)
  return outcome === 'stale' ? 'stale' : 'done'
}

async function page(request: SectionRequest, isWrong: boolean): Promise<string> {
  const { deps, tenant, session, frame, form, account } = request
  const { email, isDeletionOffered, isDeletionRequestOffered } = account
  const requestedAt = isDeletionRequestOffered
    ? await findDeletionRequest(deps, deps.db, tenant, session.userId)
    : undefined
  return accountDeletePage({
    ...{ frame, form, email, isWrong, requestedAt },
    isOffered: isDeletionOffered,
    isRequestOffered: isDeletionRequestOffered,
    now: deps.now(),
  })
}
