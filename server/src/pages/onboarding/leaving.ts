import type { Deps } from '../../delivery/deps.js'
import type { AdminSession } from '../../sso/admins/admin-session.js'
import { declineToBeInCharge } from '../../sso/onboarding/decline.js'
import { endAdminSession } from '../../sso/onboarding/leave.js'
import { isCsrfFieldOf, isSentByOurPage } from '../frame/csrf.js'
import { formOf, textOf, type Site } from '../frame/site.js'

/** What an administrator says on any page who goes. */
interface Leaving {
  /** Of the button. */
  readonly action: string
  readonly idpId: string | null
  readonly requestId: string
}

/**
 * Signs an administrator out, for now or because they are not in charge.
 *
 * @returns What the page says then; undefined where the button is another one.
 */
export async function leaveOrDecline(
  deps: Deps,
  session: AdminSession,
  { action, idpId, requestId }: Leaving,
): Promise<'leftOnboarding' | 'declined' | undefined> {
  if (action === 'decline') {
    await declineToBeInCharge(deps, { ...session, idpId }, requestId)
    return 'declined'
  }
  if (action !== 'leave') return undefined
  await endAdminSession(deps, session)
  return 'leftOnboarding'
}

/**
 * Whether a form was sent by a page of ours to the browser of this administrator. Its field is bound to the cookie of the
 * session, which lives longer than that of other forms: a tutorial is left open for hours.
 */
export function isSentByAdmin(
  req: {
    readonly body?: unknown
    readonly headers: Parameters<typeof isSentByOurPage>[0]
  },
  { baseUrl }: Pick<Site, 'baseUrl'>,
  { secret, sessionId }: { readonly secret: string; readonly sessionId: string },
): boolean {
  return isSentByOurPage(req.headers, baseUrl) && isCsrfFieldOf(secret, sessionId, textOf(formOf(req).csrf))
}
