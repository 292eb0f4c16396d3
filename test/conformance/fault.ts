import type { Json } from './json.js'

/** What answers at a provider, and the receiver of logout tokens, whose requests are edited instead. */
export type Endpoint =
  | 'metadata'
  | 'keys'
  | 'authorization'
  | 'page'
  | 'token'
  | 'userinfo'
  | 'revocation'
  | 'introspection'
  | 'logout'
  | 'receiver'

/** The tokens whose claims can be edited. They are signed again, with a key that joins the key set. */
export type TokenName = 'id_token' | 'access_token' | 'logout_token'

/** An edit of the answers of one endpoint. */
export interface Fault {
  readonly at: Endpoint
  /** Only the answer of this place, from 1. */
  readonly nth?: number
  /** Only answers with this status. */
  readonly when?: number
  readonly status?: number
  /** Headers that replace others; null removes one. */
  readonly headers?: Readonly<Record<string, string | null>>
  /** Members that replace others; undefined removes one. */
  readonly json?: Json
  /** The whole text, or what becomes of it. */
  readonly text?: string | readonly [found: RegExp, replacement: string]
  /** Parameters of a redirect to the client; null removes one. */
  readonly redirect?: Readonly<Record<string, string | null>>
  /** Sends the browser to the redirect URI of the request with these parameters and its state, whatever the answer was. */
  readonly answer?: Readonly<Record<string, string>>
  readonly token?: {
    readonly name: TokenName
    readonly claims?: Json
    readonly header?: Json
    /** Signs with a key that the key set does not have. */
    readonly isForged?: true
  }
}

/** A provider that accepts what it must refuse: an error of an endpoint becomes a success. */
export function accepts(at: Endpoint, json: Json = {}, nth?: number): Fault {
  return { at, status: 200, json: { error: undefined, ...json }, ...(nth !== undefined && { nth }) }
}

/** A provider that answers an authorization request with a code, whatever is wrong with it. */
export const answersCode: Fault = {
  at: 'authorization',
  status: 303,
  answer: { code: 'planted-code-of-32-characters-xx' },
}

/** A provider that refuses an authorization request as a whole. */
export const refusesRequest: Fault = { at: 'authorization', status: 400, headers: { location: null } }
