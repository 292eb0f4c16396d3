import { arctic } from './arctic.js'
import { authlib } from './authlib.js'
import { authCore } from './auth-core.js'
import { betterAuthClient } from './better-auth.js'
import { expressOpenidConnect } from './express-openid-connect.js'
import { modAuthOpenidc } from './mod-auth-openidc.js'
import { oauth4webapi } from './oauth4webapi.js'
import type { OidcClient } from './oidc-client.js'
import { oidcClientTs } from './oidc-client-ts.js'
import { openidClient } from './openid-client.js'
import { openidClient5 } from './openid-client-5.js'
import { passportOpenidconnect } from './passport-openidconnect.js'

/** The JavaScript libraries, in the order of the guide. */
export const libraries: readonly OidcClient[] = [
  openidClient,
  openidClient5,
  oauth4webapi,
  passportOpenidconnect,
  expressOpenidConnect,
  authCore,
  betterAuthClient,
  arctic,
  oidcClientTs,
]

/** Those that Debian has packages of; clients.long.test.ts runs them. */
export const debianClients = { authlib, modAuthOpenidc }
