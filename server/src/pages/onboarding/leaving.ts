import type { Deps } from '../../delivery/deps.js'
import type { AdminSession } from '../../sso/admins/admin-session.js'
import { declineInvitation } from '../../sso/onboarding/decline.js'
import { endAdminSession } from '../../sso/onboarding/leave.js'
import { isCsrfFieldOf, isSentByOurPage } from '../frame/csrf.js'
import { formOf, textOf, type Site } from '../frame/site.js'

/** The form of an administrator who signs out or declines. */
interface Leaving {
  /** The value of the button. */
  readonly action: string
  readonly idpId: string | null
  readonly requestId: string
}

/**
 * Signs an administrator out, or declines the invitation.
 *
 * @returns The text of the page; undefined for any other action.
 */
export async function leaveOrDecline(
  deps: Deps,
  session: AdminSession,
  { action, idpId, requestId }: Leaving,
): Promise<'leftOnboarding' | 'declined' | undefined> {
  if (action === 'decline') {
    await declineInvitation(deps, { ...session, idpId }, requestId)
    return 'declined'
  }
  if (action !== 'leave') return undefined
  await endAdminSession(deps, session)
  return 'leftOnboarding'
}

/**
 * Whether a form was sent from a page of this service by the browser of this administrator. Its CSRF field is bound to
 * the session cookie, which outlives the cookie of other forms: a tutorial stays open for hours.
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
