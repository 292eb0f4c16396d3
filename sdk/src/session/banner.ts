import type { Auth } from './auth.js'
import { escaped } from './page.js'

/** What a banner says and does, where that is not the usual. */
export interface BannerOptions {
  /**
   * Where its button posts to: a route of the application that ends the impersonation with an API key. Without one the sign-out
   * of the session layer, after which the impersonation ends at its time.
   */
  readonly endUrl?: string | undefined
  /** Instead of the English sentence. */
  readonly sentence?: string | undefined
  /** Instead of the English words of the button. */
  readonly button?: string | undefined
}

/**
 * HTML that shows who acts as the user, with a button that ends it; empty where nobody does.
 *
 * @param session `req.auth`, or what `read()` has told.
 * @example
 * ```ts
 * const { read } = createSessions({ appUrl: 'https://app.example' })
 * console.log(bannerOf(await read(request), { endUrl: '/support/end' }))
 * ```
 */
export function bannerOf(session: Auth, options: BannerOptions = {}): string {
  if (session.session === null || session.impersonator === null) return ''
  const { user, impersonator } = session
  const {
    endUrl = '/auth/sign-out',
    sentence = `${impersonator.id} is signed in as ${user.email}.`,
    button = 'End',
  } = options
  const style = 'display:flex;gap:1em;align-items:center;padding:.5em 1em;background:#fde68a;color:#1f2937'
  return (
    `<div class="portico-impersonation" role="status" style="${style}"><span>${escaped(sentence)}</span>` +
    `<form method="post" action="${escaped(endUrl)}"><button type="submit">${escaped(button)}</button></form></div>`
  )
}
