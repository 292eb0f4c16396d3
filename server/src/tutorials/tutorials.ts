import type { ProviderType } from '@portico/contract/sso-onboarding'
import { adfs } from './adfs.js'
import { auth0 } from './auth0.js'
import { customSaml } from './custom-saml.js'
import { entraId } from './entra-id.js'
import { googleWorkspace } from './google-workspace.js'
import { jumpcloud } from './jumpcloud.js'
import { keycloak } from './keycloak.js'
import { okta } from './okta.js'
import { onelogin } from './onelogin.js'
import { pingFederate } from './ping-federate.js'
import { pingOne } from './ping-one.js'
import { test } from './test.js'
import type { Tutorial } from './tutorial.js'

/** How each kind of identity provider is set up. */
export const tutorials: Readonly<Record<ProviderType, Tutorial>> = {
  okta,
  entra_id: entraId,
  google_workspace: googleWorkspace,
  onelogin,
  ping_one: pingOne,
  ping_federate: pingFederate,
  adfs,
  auth0,
  jumpcloud,
  keycloak,
  custom_saml: customSaml,
  test,
}
