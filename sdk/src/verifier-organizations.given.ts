import { TokenError } from './token-error.js'
import { encode, newKey, publicPartOf, sign, type SigningKey } from './tokens.given.js'
import { createVerifier, type AccountVerifierOptions } from './verify-access-token.js'

export const audience = '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4'
export const base = 'https://auth.example'
export const ofAccount = `${base}/a/acme`
export const startSeconds = 1_773_480_413

export const issuerOf = (domain: string) => `${base}/t/${domain}`
export const keysOf = (issuer: string) => `${issuer}/.well-known/jwks.json`

/** The claims of an access token; by default its issuer is its organization. */
export function claimsOf(org: string, changed: object = {}) {
  const times = { iat: startSeconds, nbf: startSeconds, exp: startSeconds + 3600 }
  return {
    ...{ iss: issuerOf(org), sub: 'u1', aud: audience, dbs: 'sandbox', jtt: 'access_token', org, tnt: org },
    ...{ scp: ['magic_link'], ...times },
    ...changed,
  }
}

/** A token with a signature of nobody. */
export function unsigned(claims: object, header: object = {}): string {
  return `${encode({ alg: 'ES256', kid: 'k1', typ: 'at+jwt', ...header })}.${encode(claims)}.AAAA`
}

/** A service with issuers, whose clock and answers the test controls, and a verifier of its account. */
export async function given(domains: readonly string[], options: Partial<AccountVerifierOptions> = {}) {
  const state = { seconds: startSeconds, requests: [] as string[], isDown: false, status: 404 }
  const keys = new Map<string, SigningKey>()
  const published = new Map<string, object>()
  for (const issuer of [ofAccount, ...domains.map(issuerOf)]) {
    const key = await newKey('k1')
    keys.set(issuer, key)
    published.set(keysOf(issuer), { keys: [await publicPartOf(key)] })
  }
  const all: AccountVerifierOptions = {
    baseUrl: base,
    account: 'acme',
    audience,
    environment: 'sandbox',
    now: () => state.seconds * 1000,
    fetch: (input, init) => {
      const { url } = new Request(input, init)
      state.requests.push(url)
      const body = published.get(url)
      if (state.isDown || init?.redirect !== 'manual') return Promise.reject(new TypeError('fetch failed'))
      return Promise.resolve(
        body === undefined ? new Response(null, { status: state.status }) : Response.json(body),
      )
    },
    ...options,
  }
  const verifier = createVerifier(all)
  const keyOf = (issuer: string) => {
    const key = keys.get(issuer)
    if (key === undefined) throw new Error(`no key of ${issuer}`)
    return key
  }
  return {
    verifier,
    state,
    published,
    options: all,
    keyOf,
    /** An access token of an organization, signed by its key. */
    token: (org: string, changed: object = {}, header: object = {}) =>
      sign(keyOf(issuerOf(org)), claimsOf(org, changed), header),
    /** One of the account's issuer. */
    ofAccount: (org: string, changed: object = {}, header: object = {}) =>
      sign(keyOf(ofAccount), claimsOf(org, { iss: ofAccount, ...changed }), header),
    async outcomeOf(token: string): Promise<string> {
      try {
        await verifier.verifyAccessToken(token)
        return 'accepted'
      } catch (error) {
        if (error instanceof TokenError) return error.code
        throw error
      }
    },
  }
}

/** What a logout token has otherwise than an access token: its issuer alone names the organization. */
export const loggedOut = {
  ...{ jtt: undefined, org: undefined, tnt: undefined, nbf: undefined },
  ...{ jti: 'j1', sid: 's1', events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
}
