import { decodeJwt } from '../../platform/crypto/jwt.js'

/** What names the account of a request, and with it the database, before any is asked. */
export type CellKey =
  /** Claimed by an API token that is not verified yet: where it is forged, the account's own database refuses it. */
  | { readonly kind: 'account'; readonly id: string }
  /** Of an account or an organization, which share one space. */
  | { readonly kind: 'domain'; readonly domain: string }
  /** Of a connection, a social provider or a directory. */
  | { readonly kind: 'connection' | 'provider' | 'directory'; readonly id: string }
  /** Named by the form: a domain, an API key or an application. */
  | { readonly kind: 'form' }
  /** Named by nothing but a secret: a cookie, or a token in the address or the form. */
  | { readonly kind: 'secret' }
  /** The same whatever the account, such as a document. */
  | { readonly kind: 'none' }

type Kind = CellKey['kind'] | 'state'

/**
 * By the beginnings of paths, of which the first that fits decides. `:key` is the segment that names the account; other segments
 * with a colon are any.
 */
const kinds: readonly (readonly [beginning: string, kind: Kind])[] = [
  ['/api/v2/oauth/token', 'form'],
  ['/api/v2', 'account'],
  ['/oauth', 'form'],
  ['/t/:key', 'domain'],
  ['/a/:key', 'domain'],
  ['/.well-known/authzen-configuration/api/v2/org/:key', 'domain'],
  ['/.well-known/openid-configuration/:issuer/:key', 'domain'],
  ['/.well-known/oauth-authorization-server/:issuer/:key', 'domain'],
  ['/.well-known/webauthn', 'none'],
  ['/scim/v2/:key', 'directory'],
  ['/saml/:key', 'connection'],
  ['/oidc/:key', 'connection'],
  ['/test-idp/:key', 'connection'],
  ['/social/:key', 'provider'],
  ['/onboarding/join-requests', 'secret'],
  ['/onboarding/email-domains', 'secret'],
  ['/onboarding/directory-sync', 'secret'],
  ['/onboarding/:key', 'connection'],
  ['/onboarding', 'secret'],
  ['/relay', 'secret'],
  ['/account/signed-in', 'state'],
  ['/console/start', 'none'],
  ['/console/signed-in', 'state'],
  ['/console/:key', 'domain'],
  ['/console', 'none'],
  ['/message', 'none'],
  ['/assets', 'none'],
  ['/docs', 'none'],
  ['/llms.txt', 'none'],
  ['/openapi.json', 'none'],
  ['/openapi-3.0.json', 'none'],
  ['/outbox', 'none'],
  ['/healthz', 'none'],
  ['/readyz', 'none'],
]

/** Where the state of a sign-in to our own pages leads back to; each path names a domain. */
const ownPages = /^\/(?:t|console)\/([a-z0-9-]+)(?:[/?]|$)/

const beginnings = kinds.map(([beginning, kind]) => ({ segments: beginning.slice(1).split('/'), kind }))

/**
 * The key of a request; undefined for a path that no address begins with.
 *
 * @param target Path and query, as sent.
 * @param authorization The header.
 */
export function cellKeyOf({
  target,
  authorization,
}: {
  readonly target: string
  readonly authorization: string | undefined
}): CellKey | undefined {
  const [path = '', query = ''] = target.split('?', 2)
  if (path === '/') return { kind: 'none' }
  const sent = path.slice(1).split('/')
  const found = beginnings.find(({ segments }) =>
    segments.every((segment, at) =>
      segment.startsWith(':') ? (sent[at] ?? '') !== '' : sent[at]?.toLowerCase() === segment,
    ),
  )
  if (found === undefined) return undefined
  const name = decoded(sent[found.segments.indexOf(':key')] ?? '')
  switch (found.kind) {
    case 'account':
      return ofToken(authorization)
    case 'domain':
      return { kind: 'domain', domain: name }
    case 'connection':
    case 'provider':
    case 'directory':
      return { kind: found.kind, id: name }
    case 'state':
      return ofState(query)
    case 'form':
    case 'secret':
    case 'none':
      return { kind: found.kind }
  }
}

function ofState(query: string): CellKey {
  const [, domain] = ownPages.exec(new URLSearchParams(query).get('state') ?? '') ?? []
  return domain === undefined ? { kind: 'none' } : { kind: 'domain', domain }
}

/** Without an account in the token the request is of none: it is refused alike everywhere. */
function ofToken(authorization: string | undefined): CellKey {
  const [, token = ''] = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? '') ?? []
  const id = decodeJwt(token)?.claims['account_id']
  return typeof id === 'string' ? { kind: 'account', id } : { kind: 'none' }
}

/** What cannot be decoded names nothing, and stays as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
