/** Where a magic link leads that signs in. */
export interface OpenedLink {
  /** The application's address, with everything in its query. */
  readonly redirectedTo: URL
  /** The authorization code. */
  readonly code: string
  /** The state that the link was asked for with; null without one. */
  readonly state: string | null
}

/** What a link can lead to. `outcome` tells the forms apart, and only one of them has a code. */
export type LinkOutcome =
  | (OpenedLink & { readonly outcome: 'code' })
  | {
      /** A code of the second factor has to come first: make a TOTP challenge with this request. */
      readonly outcome: 'totp_required'
      readonly redirectedTo: URL
      /** The password_request_id of the TOTP challenge. */
      readonly requestId: string
      readonly userId: string
      readonly state: string | null
    }
  | {
      /** The link was of a password request: nobody is signed in before the password is set. */
      readonly outcome: 'password_code'
      readonly redirectedTo: URL
      readonly passwordCode: string
      readonly state: string | null
    }

interface OpenOptions {
  readonly fetch?: typeof globalThis.fetch
}

/**
 * Opens a magic link as a person with a browser does, and answers with the code. For tests and demonstrations on a
 * server; a browser lets no script do this.
 *
 * @throws Error with the sentence the page shows when the link is not accepted, and when it leads to anything but a
 *   code: followMagicLink() tells what.
 */
export async function openMagicLink(url: string | URL, options: OpenOptions = {}): Promise<OpenedLink> {
  const followed = await followMagicLink(url, options)
  if (followed.outcome === 'code') return followed
  throw new Error(
    followed.outcome === 'totp_required'
      ? 'the link asks for a second factor: open it with followMagicLink()'
      : 'the link leads to a new password, and not to a code: open it with followMagicLink()',
  )
}

/**
 * Opens a magic link as a person with a browser does: reads the page, presses its one button, and stops at the
 * redirect to the application.
 *
 * @throws Error with the sentence the page shows when the link is not accepted.
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
  const parameters = redirectedTo.searchParams
  const state = parameters.get('state')
  const code = parameters.get('code')
  if (code !== null) return { outcome: 'code', redirectedTo, code, state }
  const passwordCode = parameters.get('password_code')
  if (passwordCode !== null) return { outcome: 'password_code', redirectedTo, passwordCode, state }
  const error = parameters.get('error')
  const requestId = parameters.get('request_id')
  const userId = parameters.get('user_id')
  if (error === 'totp_required' && requestId !== null && userId !== null)
    return { outcome: error, redirectedTo, requestId, userId, state }
  throw new Error(parameters.get('error_description') ?? error ?? 'the redirect carries no code')
}

interface Form {
  readonly action: string
  readonly fields: ReadonlyMap<string, string>
}

function formIn(html: string): Form | undefined {
  const [, attributes, content] = /<form\b([^>]*)>([\s\S]*?)<\/form>/i.exec(html) ?? []
  if (attributes === undefined || content === undefined) return undefined
  const inputs = [...content.matchAll(/<(?:input|button)\b([^>]*)>/gi)].map(([, input = '']) => input)
  const named = inputs.flatMap((input): [string, string][] => {
    const name = attribute(input, 'name')
    return name === undefined ? [] : [[name, attribute(input, 'value') ?? '']]
  })
  return { action: attribute(attributes, 'action') ?? '', fields: new Map(named) }
}

function attribute(attributes: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    attributes,
  )
  const value = match?.[1] ?? match?.[2] ?? match?.[3]
  return value === undefined ? undefined : decoded(value)
}

function cookiesOf(page: Response): string {
  return page.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1).join(''))
    .join('; ')
}

/** What the page says went wrong: its alert, else its heading. */
function sentenceIn(html: string): string | undefined {
  const [, , alert] = /<(\w+)\b[^>]*\brole=["']?alert["']?[^>]*>([\s\S]*?)<\/\1>/i.exec(html) ?? []
  const [, heading] = /<h1\b[^>]*>([\s\S]*?)<\/h1>/i.exec(html) ?? []
  const text = decoded((alert ?? heading ?? '').replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
  return text === '' ? undefined : text
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (entity, decimal, hexadecimal, name) => {
    if (typeof decimal === 'string') return String.fromCodePoint(Number(decimal))
    if (typeof hexadecimal === 'string') return String.fromCodePoint(Number.parseInt(hexadecimal, 16))
    return entities[String(name).toLowerCase()] ?? entity
  })
}
