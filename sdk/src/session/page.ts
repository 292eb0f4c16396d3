import type { SessionError, SessionErrorCode } from './session-error.js'

/** Sentences for users; the code tells developers more. */
const sentences: Readonly<Partial<Record<SessionErrorCode, string>>> = {
  state_unknown: 'This sign-in is over, or was begun in another browser.',
  sign_in_refused: 'You were not signed in.',
  cross_site: 'This request came from another site.',
  exchange_failed: 'You could not be signed in. Please try again.',
  client_refused: 'This application is not set up correctly. Please tell its makers.',
  service_unavailable: 'The sign-in is not available at the moment. Please try again in a minute.',
}

/** A plain page that says what went wrong, with a link to begin again. It never begins by itself: that could go on forever. */
export function page({ code, status, oauthError }: SessionError, signIn: string): Response {
  const reason = oauthError === undefined ? code : `${code}: ${oauthError}`
  const text = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sign-in</title><p>${sentences[code] ?? 'You could not be signed in.'}</p><p><a href="${escaped(signIn)}">Sign in</a></p>
<p><small>${escaped(reason)}</small></p></html>`
  const headers = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'content-type': 'text/html; charset=utf-8',
    ...(status === 503 && { 'retry-after': '5' }),
  }
  return new Response(text, { status, headers })
}

/** A text as HTML, also in an attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
