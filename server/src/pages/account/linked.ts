import { pathId } from '@portico/contract/fields'
import { findOwnIdentities, unlinkOwnIdentity } from '../../sign-in/own-account/own-identities.js'
import { startLink } from '../../sso/social/link-own.js'
import { findOpenProviders } from '../../sso/social/open-providers.js'
import { waitOf } from '../steps/limit.js'
import type { LinkedFault } from '../texts/en/social.js'
import { linkedPage, linkingPage } from '../views/account-linked.js'
import type { Section, SectionOutcome, SectionRequest } from './section.js'

/** The accounts at social providers that sign the user in: to link one, and to unlink it. */
export const linkedSection: Section = {
  needsFresh: true,
  show: (request) =>
    page(
      request,
      visitFaults.find((fault) => fault === request.linkOutcome),
    ),
  actions: { link, unlink },
}

/** The faults that a visit to a provider comes back with. */
const visitFaults: readonly LinkedFault[] = ['denied', 'taken', 'refused']

async function link(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, account, frame, form, field, ip } = request
  if (!account.isLinkingOffered) return refuse(request, 403, 'unavailable')
  const name = field('provider')
  try {
    const url = await startLink(deps, tenant, session, { account, name, ip })
    if (url === 'stale') return 'stale'
    if (url === undefined) return await refuse(request, 403, 'unavailable')
    const { offered } = await findLinked(request)
    const provider = offered.find((one) => one.name === name)?.displayName ?? name
    return { status: 200, page: linkingPage({ frame, url, provider, back: form.action }) }
  } catch (error) {
    const wait = waitOf(error)
    if (wait === undefined) throw error
    return { ...(await refuse(request, 429, 'too_many', wait.retryAfterSeconds)), ...wait }
  }
}

async function unlink(request: SectionRequest): Promise<SectionOutcome> {
  const { deps, tenant, session, field } = request
  const id = IdentityId.safeParse(field('identity_id')).data
  if (id === undefined) return 'done'
  const outcome = await unlinkOwnIdentity(deps, tenant, session, id)
  if (outcome === 'stale') return 'stale'
  return outcome === 'last' ? refuse(request, 409, 'last') : 'done'
}

const IdentityId = pathId()

async function refuse(
  request: SectionRequest,
  status: number,
  fault: LinkedFault,
  retryAfterSeconds?: number,
) {
  return { status, page: await page(request, fault, retryAfterSeconds) }
}

/** What is linked, and the providers of the organization. */
async function findLinked({ deps, tenant, session, account }: SectionRequest) {
  const { accountId, environment } = tenant
  const { organizationId } = account
  const [identities, offered] = await Promise.all([
    findOwnIdentities(deps, tenant, session.userId),
    findOpenProviders(deps, { accountId, environment, organizationId }),
  ])
  return { identities, offered }
}

async function page(
  request: SectionRequest,
  fault?: LinkedFault,
  retryAfterSeconds?: number,
): Promise<string> {
  const { deps, frame, form, account, isDone } = request
  const { identities, offered } = await findLinked(request)
  const nameOf = (provider: string) => offered.find(({ name }) => name === provider)?.displayName ?? provider
  return linkedPage({
    frame,
    form,
    email: account.email,
    linked: identities.map(({ provider, ...identity }) => ({ ...identity, name: nameOf(provider) })),
    offered: account.isLinkingOffered ? offered : [],
    now: deps.now(),
    isDone,
    fault,
    retryAfterSeconds,
  })
}
