import { exchange, jsonOf, type Answer } from '../exchange.js'
import type { SessionSettings } from './options.js'
import { SessionError } from './session-error.js'

/** What the token endpoint issues. */
export interface IssuedTokens {
  readonly idToken: string
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Seconds of the access token. */
  readonly lifetime: number
}

/** The token and revocation endpoints of the account's issuer, as this application. */
export interface TokenEndpoints {
  /**
   * @returns The tokens; undefined when the grant is refused (`invalid_grant`).
   * @throws SessionError `client_refused` when the application is; Error when the service does not answer, or answers
   *   anything else.
   */
  issue(grant: Readonly<Record<string, string>>): Promise<IssuedTokens | undefined>
  /** Revokes a refresh token with its family, and its session with endSession. @throws Error unless it is done. */
  revoke(token: string, endSession: boolean): Promise<void>
}

const timeoutMs = 5_000
const maxBytes = 64 * 1024

export function createTokenEndpoints({
  issuer,
  clientId,
  clientSecret,
  fetch,
}: SessionSettings): TokenEndpoints {
  return {
    async issue(grant) {
      const answer = await post('token', grant)
      const body = jsonOf(answer) ?? {}
      if (answer.status === 400 && body['error'] === 'invalid_grant') return undefined
      if (isClientRefused(answer.status, body['error']))
        throw new SessionError(
          'client_refused',
          `${unexpected('token', answer).message} to the application ${clientId}: ${remedy}`,
        )
      const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = body
      const lifetime = Number(body['expires_in'])
      const isComplete = answer.status === 200 && typeof idToken === 'string' && lifetime > 0
      if (!isComplete || typeof accessToken !== 'string') throw unexpected('token', answer)
      const successor = typeof refreshToken === 'string' ? refreshToken : undefined
      return { idToken, accessToken, refreshToken: successor, lifetime }
    },
    async revoke(token, endSession) {
      const answer = await post('revoke', { token, ...(endSession && { end_session: 'true' }) })
      if (answer.status !== 200) throw unexpected('revoke', answer)
    },
  }

  /** With HTTP Basic (RFC 6749 section 2.3.1), or with the client_id alone where the application has no secret. */
  function post(endpoint: string, members: Readonly<Record<string, string>>): Promise<Answer> {
    const form = new URLSearchParams(members)
    const headers = new Headers({ accept: 'application/json' })
    if (clientSecret === undefined) form.set('client_id', clientId)
    else
      headers.set(
        'authorization',
        `Basic ${btoa([clientId, clientSecret].map(encodeURIComponent).join(':'))}`,
      )
    return exchange(
      `${issuer}/oauth/${endpoint}`,
      { method: 'POST', headers, body: form },
      { fetch, timeoutMs, maxBytes },
    )
  }
}

/** What a developer has to look at. The answer tells nobody which of them is wrong. */
const remedy = 'compare PORTICO_CLIENT_ID, PORTICO_CLIENT_SECRET and PORTICO_ENVIRONMENT'

/** Whether the application itself is refused, and not its grant (RFC 6749 section 5.2). */
function isClientRefused(status: number, error: unknown): boolean {
  return (status === 401 && error === 'invalid_client') || (status === 400 && error === 'unauthorized_client')
}

/** An answer that tells nothing of the grant; with the error code, and without the rest of the body. */
function unexpected(endpoint: string, answer: Answer): Error {
  const { error } = jsonOf(answer) ?? {}
  const code = typeof error === 'string' && /^\w{1,60}$/.test(error) ? ` ${error}` : ''
  return new Error(`the ${endpoint} endpoint answers ${answer.status}${code}`)
}
