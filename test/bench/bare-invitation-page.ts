import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { digest } from './bare-sql.js'

/** The page of an invitation, with as much HTML as the service's. */

interface InvitationPage {
  readonly path: string
  readonly name: string
  readonly domain: string
  readonly email: string
  readonly csrf: string
}

const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/><meta name="color-scheme" content="light dark"/><meta name="robots" content="noindex"/>`
const assets = `<link rel="icon" href="data:,"/><link rel="preload" href="/assets/MQDndehhbNJhG-7P/inter-latin.woff2" as="font" type="font/woff2" crossorigin="anonymous"/><link rel="stylesheet" href="/assets/pLo58TC5ZZgyf3V-/pages.css"/>`
const script = `<script src="/assets/H1ULTv_jirFm0lIk/pages.js" defer></script></head><body><main class="card"><p class="sandbox">Sandbox: for testing only</p>`
const button = `<input type="hidden" name="passkeys" value data-can-passkey/><button type="submit" name="action" value="begin" class="main" data-working="One moment…">Accept the invitation</button></form><p class="quiet">If you do not know why you were invited, close this page. Nothing will happen.</p></main>`

function toHtml({ path, name, domain, email, csrf }: InvitationPage): string {
  const masked = `${email.slice(0, 1)}***${email.slice(email.indexOf('@'))}`
  return `${head}<title>Accept the invitation · ${name}</title>${assets}<link rel="stylesheet" href="/t/${domain}/brand.css"/>${script}<p class="organization"><span class="monogram" aria-hidden="true">${name.slice(0, 1)}</span><span><bdi>${name}</bdi></span></p><h1>${name} has invited ${masked}</h1><form method="post" action="${path}" class="form-main" novalidate data-once><input type="hidden" name="csrf" value="${csrf}"/>${button}<footer><p>Sign-in by Portico</p><nav aria-label="Language"><ul><li><span aria-current="true">English</span></li><li><a href="${path}?ui_locales=fr" lang="fr" hreflang="fr">Français</a></li></ul></nav></footer></body></html>`
}

/** @param formTarget Where the form leads in the end. */
export function sendInvitation(
  res: ServerResponse,
  page: InvitationPage,
  { secret, formTarget }: { readonly secret: string; readonly formTarget: string },
): void {
  const html = toHtml(page)
  res.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self' ${formTarget}; frame-ancestors 'none'; base-uri 'none'`,
    'Set-Cookie': `portico-flow=${secret}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax`,
  })
  res.end(html)
}

/** The secret of the browser's flow cookie; '' without one. */
export function flowSecretOf(req: IncomingMessage): string {
  return /(?:^|; *)portico-flow=([\w-]{43})/.exec(req.headers.cookie ?? '')?.[1] ?? ''
}

/** The CSRF field of a form, as the service makes it. */
export function toCsrf(secret: string, token: string): string {
  return createHmac('sha256', secret).update(digest(token)).digest('base64url')
}

export function isCsrf(field: string, secret: string, token: string): boolean {
  const expected = Buffer.from(toCsrf(secret, token))
  const actual = Buffer.from(field)
  return secret !== '' && actual.length === expected.length && timingSafeEqual(actual, expected)
}
