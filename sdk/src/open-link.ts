/** The result of a magic link that completes a sign-in. */
export interface OpenedLink {
  /** The redirect URL of the application, with its query. */
  readonly redirectedTo: URL
  /** The authorization code. */
  readonly code: string
  /** The state of the request for the link; null without one. */
  readonly state: string | null
}

/** The results of a magic link. `outcome` discriminates the forms, of which one has a code. */
export type LinkOutcome =
  | (OpenedLink & { readonly outcome: 'code' })
  | {
      /** The second factor is required first: create a TOTP challenge with this request. */
      readonly outcome: 'totp_required'
      readonly redirectedTo: URL
      /** The password_request_id of the TOTP challenge. */
      readonly requestId: string
      readonly userId: string
      readonly state: string | null
    }
  | {
      /** The organization demands a second factor, which is a passkey of the user: have them sign in on the sign-in pages. */
      readonly outcome: 'passkey_required'
      readonly redirectedTo: URL
      readonly requestId: string
      readonly userId: string
      readonly state: string | null
    }
  | {
      /** The organization demands passkeys, and the user has none: have them sign in on the sign-in pages, which add one. */
      readonly outcome: 'passkey_enrollment_required'
      readonly redirectedTo: URL
      readonly userId: string
      readonly state: string | null
    }
  | {
      /** The organization demands a second factor, and the user has none: enrol one, and begin anew. */
      readonly outcome: 'totp_enrollment_required'
      readonly redirectedTo: URL
      readonly userId: string
      readonly state: string | null
    }
  | {
      /** The link belongs to a password request: the sign-in requires a new password. */
      readonly outcome: 'password_code'
      readonly redirectedTo: URL
      readonly passwordCode: string
      readonly state: string | null
    }

interface OpenOptions {
  readonly fetch?: typeof globalThis.fetch
}

/**
 * Opens a magic link as a browser does, and returns the code. For tests and demonstrations on a server; browsers do not
 * allow scripts to do this.
 *
 * @throws Error with the message of the page when the link is refused, and when the result is not a code:
 *   followMagicLink() returns any result.
 * @example
 * ```ts
 * const { code } = await openMagicLink(link)
 * const tokens = await client.oauth.token({ grant_type: 'authorization_code', code })
 * ```
 */
export async function openMagicLink(url: string | URL, options: OpenOptions = {}): Promise<OpenedLink> {
  const followed = await followMagicLink(url, options)
  if (followed.outcome === 'code') return followed
  throw new Error(`${whyNoCode[followed.outcome]}: open it with followMagicLink()`)
}

const whyNoCode = {
  totp_required: 'the link asks for a second factor',
  totp_enrollment_required: 'the user has to enrol a second factor first',
  passkey_required: 'the user has to use their passkey, on the sign-in pages',
  passkey_enrollment_required: 'the user has to add a passkey first, on the sign-in pages',
  password_code: 'the link leads to a new password, and not to a code',
} satisfies Record<Exclude<LinkOutcome['outcome'], 'code'>, string>

/**
 * Opens a magic link as a browser does: reads the page, submits its form, and stops at the redirect to the application.
 *
 * @throws Error with the message of the page when the link is refused.
 * @example
 * ```ts
 * const followed = await followMagicLink(link)
 * if (followed.outcome === 'totp_required') console.log(followed.requestId, followed.userId)
 * ```
 */
export async function followMagicLink(url: string | URL, options: OpenOptions = {}): Promise<LinkOutcome> {
  const send = options.fetch ?? globalThis.fetch
  const page = await send(url, { headers: { accept: 'text/html' }, redirect: 'manual' })
  const html = await page.text()
  const form = page.ok ? formIn(html) : undefined
  if (!form) throw new Error(sentenceIn(html) ?? `the link answers ${page.status} without a form`)

  const action = new URL(form.action, url)
  const answer = await send(action, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', origin: action.origin, cookie: cookiesOf(page) },
    body: new URLSearchParams([...form.fields]),
  })
  const location = answer.headers.get('location')
  const text = await answer.text()
  if (location === null)
    throw new Error(sentenceIn(text) ?? `the form answers ${answer.status} without a redirect`)
  return toOutcome(new URL(location, action))
}

function toOutcome(redirectedTo: URL): LinkOutcome {
  const said: Readonly<Record<string, string>> = Object.fromEntries(redirectedTo.searchParams)
  const {
    state = null,
    code,
    password_code: passwordCode,
    error,
    request_id: requestId,
    user_id: userId,
  } = said
  if (code !== undefined) return { outcome: 'code', redirectedTo, code, state }
  if (passwordCode !== undefined) return { outcome: 'password_code', redirectedTo, passwordCode, state }
  const isAsked = error === 'totp_required' || error === 'passkey_required'
  if (isAsked && requestId !== undefined && userId !== undefined)
    return { outcome: error, redirectedTo, requestId, userId, state }
  const isMissing = error === 'totp_enrollment_required' || error === 'passkey_enrollment_required'
  if (isMissing && userId !== undefined) return { outcome: error, redirectedTo, userId, state }
  throw new Error(said['error_description'] ?? error ?? 'the redirect carries no code')
}

interface Form {
  readonly action: string
  readonly fields: ReadonlyMap<string, string>
}

// One renderer writes the pages: attributes are in double quotes, and entities are those below.

function formIn(html: string): Form | undefined {
  const [, start, content] = /(<form\b[^>]*>)([\s\S]*?)<\/form>/.exec(html) ?? []
  if (start === undefined || content === undefined) return undefined
  const fields = new Map<string, string>()
  for (const [tag] of content.matchAll(/<(?:input|button)\b[^>]*>/g)) {
    const name = attribute(tag, 'name')
    if (name !== undefined) fields.set(name, attribute(tag, 'value') ?? '')
  }
  return { action: attribute(start, 'action') ?? '', fields }
}

function attribute(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value === undefined ? undefined : decoded(value)
}

function cookiesOf(page: Response): string {
  return page.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1).join(''))
    .join('; ')
}

/** The error message of a page: its alert, else its heading. */
function sentenceIn(html: string): string | undefined {
  const [, , alert] = /<(\w+)[^>]*\srole="alert"[^>]*>([\s\S]*?)<\/\1>/.exec(html) ?? []
  const [, heading] = /<h1\b[^>]*>([\s\S]*?)<\/h1>/.exec(html) ?? []
  const text = decoded((alert ?? heading ?? '').replace(/<[^>]*>/g, ' '))
  return text.replace(/\s+/g, ' ').trim() || undefined
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

function decoded(text: string): string {
  return text.replace(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity)
}
