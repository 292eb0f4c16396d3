import { TokenError } from '../token-error.js'
import { isStrongEnough } from './guard.js'
import type { SessionSettings } from './options.js'
import { entriesOf, unavailable } from './reader.js'
import type { IdTokenCheck, Refreshes } from './refresh.js'
import { rememberedSeconds, type Revocations } from './revocations.js'
import type { OpenedSession, SessionCookie } from './session-cookie.js'
import { SessionError } from './session-error.js'
import { digestOf, randomText } from './digest.js'
import type { IssuedTokens, TokenEndpoints } from './tokens.js'
import type { Transaction, Transactions } from './transaction.js'

/** A redirect, with the cookies that go with it. */
export interface Departure {
  readonly location: string
  readonly setCookies: readonly string[]
}

/** A sign-in that this browser has begun. */
export interface Begun {
  readonly state: string
  readonly transaction: Transaction
}

/** Begins, completes and ends the sign-ins of an application. */
export interface SignIns {
  /** Begins one at the account's issuer, with the parameters of the request that are passed on. */
  begin(query: URLSearchParams, returnTo: string, cookies: string | null): Promise<Departure>
  find(state: string, cookies: string | null): Promise<Begun | undefined>
  /** Completes one with the answer of the service; with the reason when it fails. */
  complete(
    begun: Begun,
    answer: URLSearchParams,
    cookies: string | null,
  ): Promise<Departure & { readonly error?: SessionError }>
  /** Ends the session of a browser, here and at the service. */
  signOut(cookies: string | null): Promise<Departure>
}

/** What of a request for a sign-in the service is told. */
const passedOn = ['organization', 'prompt', 'login_hint', 'acr_values', 'max_age', 'impersonation']
const maxParameterLength = 500
const clockTolerance = 30

export function createSignIns(parts: {
  readonly settings: SessionSettings
  readonly transactions: Transactions
  readonly endpoints: TokenEndpoints
  readonly check: IdTokenCheck
  readonly refreshes: Refreshes
  readonly cookie: SessionCookie
  readonly revocations: Revocations
}): SignIns {
  const { settings, transactions, endpoints, check, refreshes, cookie, revocations } = parts
  const { issuer, clientId, appUrl, basePath, scope, now, onError } = settings
  const redirectUri = `${appUrl}${basePath}/callback`

  return {
    async begin(query, returnTo, cookies) {
      const passed = passedOn.flatMap((name) => {
        const value = query.get(name) ?? ''
        return value === '' || value.length > maxParameterLength ? [] : [[name, value] as const]
      })
      const { organization, acr_values: acr } = Object.fromEntries(passed)
      const [nonce, verifier] = [randomText(), randomText()]
      const transaction = { nonce, verifier, returnTo, organization, acr }
      const { state, setCookies } = await transactions.begin(transaction, cookies)
      const wanted = Object.fromEntries(['name', ...settings.claims].map((name) => [name, null]))
      const parameters = new URLSearchParams({
        ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope, state, nonce },
        ...{ code_challenge: await digestOf(verifier), code_challenge_method: 'S256' },
        claims: JSON.stringify({ id_token: wanted }),
        ...Object.fromEntries(passed),
      })
      return { location: `${issuer}/authorize?${parameters.toString()}`, setCookies }
    },

    async find(state, cookies) {
      const transaction = await transactions.find(state, cookies)
      return transaction && { state, transaction }
    },

    async complete({ state, transaction }, answer, cookies) {
      const { returnTo: location } = transaction
      try {
        const tokens = await exchange(transaction, answer)
        const setCookie = await enter(tokens, transaction, cookies)
        return { location, setCookies: [transactions.end(state), setCookie] }
      } catch (error) {
        if (!(error instanceof SessionError)) throw error
        // A code that the service could not be asked about is still good: loading the page again repeats this.
        const setCookies = error.code === 'service_unavailable' ? [] : [transactions.end(state)]
        return { location, setCookies, error }
      }
    },

    async signOut(cookies) {
      const opened = await cookie.open(cookies)
      const setCookies = [cookie.remove()]
      const parameters = new URLSearchParams({ client_id: clientId })
      if (settings.signedOutUrl !== undefined)
        parameters.set('post_logout_redirect_uri', settings.signedOutUrl)
      if (typeof opened !== 'string') {
        // The session at the service is that of the user, or ends at its time.
        if (opened.contents.act !== undefined) return { location: '/', setCookies }
        parameters.set('logout_hint', opened.contents.sid)
        await leave(opened, { endSession: true, isSame: false })
      }
      return { location: `${issuer}/logout?${parameters.toString()}`, setCookies }
    },
  }

  /** The tokens for the code of an answer (RFC 9207, RFC 6749 section 4.1.3). */
  async function exchange({ verifier }: Transaction, answer: URLSearchParams): Promise<IssuedTokens> {
    if (answer.get('iss') !== issuer)
      throw new SessionError('issuer_mismatch', 'the answer comes from another issuer')
    const code = answer.get('code')
    if (code === null) {
      const [oauthError = 'invalid_request'] = /^\w{1,60}$/.exec(answer.get('error') ?? '') ?? []
      throw new SessionError('sign_in_refused', `the service answers ${oauthError}`, { oauthError })
    }
    const grant = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }
    const tokens = await endpoints.issue(grant).catch((cause: unknown) => {
      throw unavailable(cause)
    })
    if (tokens === undefined) throw new SessionError('exchange_failed', 'the service does not take the code')
    return tokens
  }

  /** The cookie of the session that begins; the one before it ends here, and not at the service. */
  async function enter(
    tokens: IssuedTokens,
    { nonce, organization, acr }: Transaction,
    cookies: string | null,
  ): Promise<string> {
    const claims = await check(tokens, nonce).catch((cause: unknown) => {
      if (!(cause instanceof TokenError)) throw cause
      throw new SessionError('exchange_failed', `the ID token is refused: ${cause.code}`, { cause })
    })
    if (organization !== undefined && claims.org !== organization)
      throw new SessionError('sign_in_refused', 'the sign-in is at another organization than was asked for')
    if (acr !== undefined && !isStrongEnough(claims.acr, acr))
      throw new SessionError('sign_in_refused', 'the sign-in is weaker than was asked for', {
        oauthError: 'unmet_authentication_requirements',
      })
    const { contents } = await refreshes.begin(tokens, claims)
    const setCookie = cookie.set(await cookie.seal(contents), contents)
    const before = await cookie.open(cookies)
    if (typeof before !== 'string')
      await leave(before, { endSession: false, isSame: before.contents.sid === contents.sid })
    return setCookie
  }

  /** Ends a session here, and at the service its tokens, or all of it. A service that is away ends nothing. */
  async function leave(
    opened: OpenedSession,
    { endSession, isSame }: { readonly endSession: boolean; readonly isSame: boolean },
  ): Promise<void> {
    const { contents } = opened
    const [entry = ''] = entriesOf(contents)
    // An answer that is still on its way may bring the cookie back. What has ended for good has so for other clocks, too.
    const at = now() + (endSession ? clockTolerance : 0)
    if (!isSame) await revocations.add(entry, at * 1000, rememberedSeconds(settings))
    await cookie.forget(opened)
    if (contents.rt !== undefined) await endpoints.revoke(contents.rt, endSession).catch(onError)
  }
}
