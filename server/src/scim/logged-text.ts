import type { ScimResourceType } from '@portico/contract/directory-sync'

/** What is kept of a text of a request or answer, in characters. */
const maxLength = 8000
/** In all: each takes two characters at least, so that more of them would be cut off anyway. */
const maxValues = maxLength / 2

const namesPassword = /password/i
const hidden = '(not kept)'

/** The body of a request as it may be stored: without passwords, and as toLoggedAnswer() has it. */
export function toLoggedBody(body: unknown, type: ScimResourceType | undefined): unknown {
  return reduced(body, { type, isPasswordHidden: true, valuesLeft: maxValues })
}

interface Rules {
  readonly type: ScimResourceType | undefined
  readonly isPasswordHidden: boolean
  /** Counted down on the way. */
  valuesLeft: number
}

/**
 * A value as it may be stored: of a group without what its members are called, who are known by their ids, so that
 * nothing of a person stays here when the user is erased.
 */
function reduced(value: unknown, rules: Rules): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return taken(value, rules, (item) => reduced(item, rules))
  const members: [string, unknown][] = Object.entries(value).slice(0, maxValues)
  const isOfPassword = members.some(
    ([name, path]) => /^path$/i.test(name) && typeof path === 'string' && namesPassword.test(path),
  )
  const isHidden = (name: string) => namesPassword.test(name) || (isOfPassword && /^value$/i.test(name))
  const kept = members.filter(([name]) => rules.type !== 'Group' || !/^display$/i.test(name))
  return Object.fromEntries(
    taken(kept, rules, ([name, member]) => [
      name,
      rules.isPasswordHidden && isHidden(name) ? hidden : reduced(member, rules),
    ]),
  )
}

function taken<Item, Kept>(items: readonly Item[], rules: Rules, keep: (item: Item) => Kept): Kept[] {
  const kept: Kept[] = []
  for (const item of items) {
    if (rules.valuesLeft <= 0) break
    rules.valuesLeft -= 1
    kept.push(keep(item))
  }
  return kept
}

/** What may be stored as text, cut; null without it. */
export function toLoggedText(body: unknown): string | null {
  return body === undefined ? null : (JSON.stringify(body)?.slice(0, maxLength) ?? null)
}

/** A query as it may be stored. */
export function toLoggedQuery(query: string): string {
  return namesPassword.test(query) ? hidden : query.slice(0, maxLength)
}

/** An answer as it may be stored: of a list its ids, so that a page of users is not kept beside the users. */
export function toLoggedAnswer(body: object | undefined, type: ScimResourceType | undefined): string | null {
  if (body === undefined) return null
  if (!('Resources' in body) || !Array.isArray(body.Resources))
    return toLoggedText(reduced(body, { type, isPasswordHidden: false, valuesLeft: maxValues }))
  const ids = body.Resources.map((resource: unknown) =>
    typeof resource === 'object' && resource !== null && 'id' in resource ? { id: resource.id } : {},
  )
  return toLoggedText({ ...body, Resources: ids })
}

// Bounded on each side of the @, so that a long text costs little.
const addressPattern = /[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}/i

/** The first e-mail address in what is stored of a request. */
export function findAddress(texts: {
  readonly query: string
  readonly request: string | null
}): string | undefined {
  return addressPattern.exec(`${decodedQuery(texts.query)} ${texts.request ?? ''}`)?.[0]
}

function decodedQuery(query: string): string {
  return [...new URLSearchParams(query).values()].join(' ')
}
