import type { Application } from '@portico/sdk'

/** What an application needs to be a client of Portico. */
export interface Registration {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The origin of the application, on this machine, whose port is free. */
  readonly origin: string
  readonly redirectUri: string
  readonly signedOutUri: string
}

/** A person as the application sees them. */
export interface Person {
  readonly sub: string
  readonly email?: string | undefined
}

/** Tokens as the library has accepted them. */
export interface Accepted {
  readonly sub: string
  /** Missing where the library hides it. */
  readonly accessToken?: string | undefined
}

/** A client in the middle of its work, for one browser. */
export interface RunningClient {
  /** Begins a sign-in, and returns the authorization URL. */
  begin(): Promise<string>
  /** Takes the redirect to the application, and returns the subject of the ID token. */
  finish(answer: string): Promise<Accepted>
  /** Throws when the service refuses. */
  refresh(): Promise<Accepted>
  userinfo(): Promise<Person>
  /** The URL that signs the browser out. */
  logout(): Promise<string>
  stop?(): void
}

export const steps = ['login', 'refresh', 'userinfo', 'logout', 'rotation'] as const

export type Step = (typeof steps)[number]

/** A library or tool under test. */
export interface OidcClient {
  /** Its heading in docs/guides/client-libraries.md. */
  readonly name: string
  /** The file in this folder whose region "guide" is its block in the guide. */
  readonly file: string
  /** Members of its application that are not the defaults of one with a secret. */
  readonly application?: Partial<Application>
  /** Path of its redirect URL; default: /callback. */
  readonly callbackPath?: string
  /** What the library leaves to code of the application; default of the others: the library does it. */
  readonly notes?: Partial<Record<Step, string>>
  start(of: Registration): Promise<RunningClient> | RunningClient
}

/** The scope that every client asks for: a refresh token, and the address at userinfo. */
export const scope = 'openid email offline_access'
