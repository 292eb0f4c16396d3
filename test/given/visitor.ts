import { createHash, randomBytes } from 'node:crypto'

/** An answer to a visitor, with its page, if any. */
export interface Seen {
  readonly status: number
  readonly url: string
  readonly location: string | null
  readonly headers: Headers
  readonly html: string
}

/** The fields of a form, with a list for a name that is there more than once. */
type FormFields = Record<string, string | string[]>

export type Visitor = ReturnType<typeof createVisitor>

/**
 * A visitor with a simulated browser: it stores cookies, and submits forms like a real one.
 *
 * @param ask Sends the requests, where a test edits their answers.
 */
export function createVisitor(baseUrl: string, ask: typeof fetch = (...request) => fetch(...request)) {
  const cookies = new Map<string, string>()

  async function request(url: string, init: RequestInit = {}): Promise<Seen> {
    const absolute = new URL(url, baseUrl).href
    const headers = new Headers(init.headers)
    if (cookies.size > 0 && !headers.has('cookie'))
      headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const answer = await ask(absolute, { ...init, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) keep(line)
    return {
      status: answer.status,
      url: absolute,
      location: answer.headers.get('location'),
      headers: answer.headers,
      html: await answer.text(),
    }
  }

  function keep(line: string): void {
    const [pair = ''] = line.split(';')
    const [name = '', value = ''] = pair.split('=', 2)
    if (/max-age=0/i.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }

  /** Follows redirects within the service. */
  async function follow(seen: Seen): Promise<Seen> {
    const { location } = seen
    if (location === null || !new URL(location, baseUrl).href.startsWith(`${baseUrl}/`)) return seen
    return follow(await request(location))
  }

  /** Submits the form of a page with one of its buttons. */
  async function send(
    page: Seen,
    action: string,
    fields: FormFields = {},
    headers: Record<string, string> = { origin: baseUrl },
  ): Promise<Seen> {
    const sent: FormFields = { csrf: csrfOf(page.html), ...hiddenFieldsOf(page, action), action, ...fields }
    const body = new URLSearchParams(
      Object.entries(sent).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
    )
    return request(formActionOf(page, action), { method: 'POST', headers, body })
  }

  return {
    cookies,
    request,
    visit: async (url: string) => follow(await request(url)),
    send,
    /** Submits a form and follows the redirects. */
    press: async (page: Seen, action: string, fields: FormFields = {}) =>
      follow(await send(page, action, fields)),
    /** The secret in the session cookie; undefined without one. */
    sessionSecret: () => [...cookies].find(([name]) => name.startsWith('portico-session-'))?.[1],
  }
}

export function csrfOf(html: string): string {
  return /name="csrf" value="([\w-]+)"/.exec(html)?.[1] ?? ''
}

/** An error page without the reference of its request, which differs between two visits of the same page. */
export function withoutReference(html: string): string {
  const [, reference] = /(?:Reference: |Référence\u00a0: )([\w.-]+)/.exec(html) ?? []
  return reference === undefined ? html : html.replaceAll(reference, '')
}

/** The hidden fields of the form that has the button. */
function hiddenFieldsOf({ html }: Seen, action: string): Record<string, string> {
  const form = formWith(html, action) ?? ''
  const fields = form.matchAll(/<input type="hidden" name="([\w-]+)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]))
}

/** The form that has the button, from its attributes on. */
function formWith(html: string, action: string): string | undefined {
  return html.split('<form').find((part) => part.includes(`name="action" value="${action}"`))
}

/** The address of the form that has the button, or of the first one. */
function formActionOf({ html, url }: Seen, action: string): string {
  const [, own] = /^[^>]* action="([^"]*)"/.exec(formWith(html, action) ?? '') ?? []
  return (own ?? /<form[^>]* action="([^"]*)"/.exec(html)?.[1])?.replaceAll('&amp;', '&') ?? url
}

/** A verifier and its challenge (RFC 7636). */
export function pkcePair(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
