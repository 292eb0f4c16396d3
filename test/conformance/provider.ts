import type { Visitor } from '../given/visitor.js'

/** A provider of which only the issuer is known. */
export interface Issuer {
  readonly issuer: string
  /** Sends every request of a check, so that the proof by a planted fault can edit each answer. */
  readonly fetch: typeof fetch
  readonly now: () => Date
}

/** A client as registered at the provider. */
export interface RegisteredClient {
  readonly clientId: string
  readonly authentication: Authentication
  /** The algorithm of its ID tokens. */
  readonly alg: 'ES256' | 'RS256'
  /** Whether it may leave PKCE out, as the clients of the certification suite do. */
  readonly isPkceOptional: boolean
}

export type Authentication =
  | { readonly method: 'none' }
  | { readonly method: 'client_secret_basic' | 'client_secret_post'; readonly secret: string }
  | { readonly method: 'private_key_jwt'; readonly key: CryptoKey; readonly kid: string }

/** A provider with a registered client, whose requests need no user. */
export interface ClientSide extends Issuer {
  readonly client: RegisteredClient
  readonly redirectUri: string
  /** A browser without cookies. */
  readonly browser: () => Visitor
}

/** A provider whose user, clients and clock belong to the checks. */
export interface Scene extends ClientSide {
  /** Another client, which authenticates in another way where the service has two. */
  readonly second: RegisteredClient
  /** A client that keeps no secret. */
  readonly publicClient: RegisteredClient
  /** A client with a registered key. */
  readonly keyClient: RegisteredClient
  readonly user: { readonly sub: string; readonly email: string; readonly password: string }
  readonly postLogoutRedirectUri: string
  /** The caller of the introspection endpoint. */
  readonly introspector: { readonly id: string; readonly secret: string }
  /** A browser in which the user is signed in, in a session that all checks share and none ends. */
  readonly signedIn: () => Visitor
  readonly advance: (seconds: number) => Promise<void>
  /** Runs what the service does later, and gives the requests that the client's back-channel address has received. */
  readonly received: () => Promise<readonly ReceivedLogout[]>
}

/** A request to the address of a client for back-channel logout. */
export interface ReceivedLogout {
  readonly method: string
  readonly contentType: string
  readonly form: URLSearchParams
}
