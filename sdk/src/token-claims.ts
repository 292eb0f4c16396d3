import type { JsonValue } from './generated.js'

interface SharedClaims {
  /** Issuer: the address of the service, `/t/`, and the domain of the organization. */
  iss: string
  /** The user's id. */
  sub: string
  /** The user's id. */
  uid: string
  /** The client_id of the application that the token is for. */
  aud: string | string[]
  /** Seconds since 1970: when the token expires. */
  exp: number
  /** Seconds since 1970: before which the token is not valid. */
  nbf: number
  /** Seconds since 1970: when the token was issued. */
  iat: number
  /** Unique id of the token. */
  jti: string
  /** The application's id. */
  cid: string
  /** Environment of the user. */
  dbs: 'sandbox' | 'production'
  /** The same as dbs. */
  env: 'sandbox' | 'production'
  /** Domain of the organization. */
  tnt: string
  /** Domain of the organization. */
  org: string
  /** Version of the set of claims. */
  ver: number
  /** Personal data. */
  email?: string
  application_metadata: { [name: string]: JsonValue }
  /** The user's metadata, each value as JSON of its key's type. Personal data. */
  meta_data: { [name: string]: JsonValue }
  /** How the user signed in (RFC 8176); relay: elsewhere, as `act` says. */
  amr?: string[]
  /** How strong the sign-in was: urn:portico:acr:mfa with a second factor, else urn:portico:acr:1fa (RFC 9470). */
  acr?: string
  /** Seconds since 1970: when the user signed in. */
  auth_time?: number
  /** The session. */
  sid?: string
  /** After a relay: the user in the organization they come from (RFC 8693 section 4.1). */
  act?: { iss: string; sub: string }
}

/** Claims of an access token. */
export interface AccessTokenClaims extends SharedClaims {
  jtt: 'access_token'
  /** What the token allows, for example magic_link. */
  scp: string[]
}

/** Claims of an ID token (OpenID Connect Core section 2). */
export interface IdTokenClaims extends SharedClaims {
  jtt: 'id_token'
  nonce?: string
  /** Left half of the hash of the access token that came with it, in base64url. */
  at_hash?: string
  /** Left half of the hash of the code it was exchanged for, in base64url. */
  c_hash?: string
  /** Left half of the hash of the state, in base64url. */
  s_hash?: string
  /** What the identity provider said of the user; null members without single sign-on. Personal data. */
  resource_owner_metadata?: { [name: string]: JsonValue }
}
