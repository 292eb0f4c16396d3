// The parts that the adapter uses; these packages ship no declarations.

declare module 'passport' {
  import type { RequestHandler } from 'express'
  interface Authenticator {
    use(strategy: object): this
    authenticate(name: string, options?: { readonly session?: boolean }): RequestHandler
  }
  const passport: { readonly Passport: new () => Authenticator }
  export = passport
}

declare module 'passport-openidconnect' {
  interface Options {
    readonly issuer: string
    readonly authorizationURL: string
    readonly tokenURL: string
    readonly userInfoURL: string
    readonly clientID: string
    readonly clientSecret: string
    readonly callbackURL: string
    readonly scope: string
  }
  type Verify = (
    issuer: string,
    userinfo: { readonly _json: unknown },
    claims: { readonly id: string },
    context: object,
    idToken: string,
    accessToken: string,
    refreshToken: string,
    parameters: object,
    done: (error: unknown, user?: object) => void,
  ) => void
  const Strategy: new (options: Options, verify: Verify) => object
  export = Strategy
}

declare module 'express-session' {
  import type { RequestHandler } from 'express'
  function session(options: {
    readonly secret: string
    readonly resave: boolean
    readonly saveUninitialized: boolean
  }): RequestHandler
  export = session
}
