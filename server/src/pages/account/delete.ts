import { deleteOwnAccount } from '../../sign-in/own-account/own-deletion.js'
import { accountDeletePage } from '../views/account-delete.js'
import type { Section, SectionOutcome, SectionRequest } from './section.js'

/** The end of the account, where the organization leaves it to its users. */
export const deleteSection: Section = {
  needsFresh: true,
  show: (request) => Promise.resolve(page(request, false)),
  actions: { delete: deleteAccount },
}

async function deleteAccount(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  const outcome = await deleteOwnAccount(deps, tenant, session, field('email').trim())
  if (outcome === 'deleted') return 'signed_out'
  if (outcome === 'stale') return 'stale'
  if (outcome === 'not_offered') return 'done'
  return { status: 422, page: page(request, true) }
}

function page({ frame, form, account }: SectionRequest, isWrong: boolean): string {
  const { email, isDeletionOffered } = account
  return accountDeletePage({ frame, form, email, isOffered: isDeletionOffered, isWrong })
}
