import { beginOwnDownload } from '../../sign-in/own-account/own-data.js'
import { accountDataPage } from '../views/account-data.js'
import { waitOf } from '../steps/limit.js'
import type { Section, SectionOutcome, SectionRequest } from './section.js'

/** What is stored of the user, as a file. */
export const dataSection: Section = {
  needsFresh: true,
  show: (request) => Promise.resolve(page(request)),
  actions: { download },
}

async function download(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, exportOwnData } = request
  try {
    const outcome = await beginOwnDownload(deps, tenant, session)
    if (outcome === 'stale') return 'stale'
    if (outcome === 'switched_off') return 'done'
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return { status: 429, page: page(request, wait.retryAfterSeconds), ...wait }
  }
  const data = await exportOwnData(tenant, session.userId)
  // Deleted since.
  if (data === undefined) return 'stale'
  return { fileName: `${tenant.domain}-account.json`, json: JSON.stringify(data, null, 2) }
}

function page({ frame, form, account }: SectionRequest, retryAfterSeconds?: number): string {
  const { email, isSelfService } = account
  return accountDataPage({ frame, form, email, isOffered: isSelfService, retryAfterSeconds })
}
