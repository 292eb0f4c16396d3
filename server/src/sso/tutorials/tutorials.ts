import {
  oidcProviderTypes,
  type OidcProviderType,
  type Protocol,
  type ProviderType,
} from '@portico/contract/sso-onboarding'
import { adfs } from './adfs.js'
import { auth0 } from './auth0.js'
import { customOidc } from './custom-oidc.js'
import { customSaml } from './custom-saml.js'
import { entraIdOidc } from './entra-id-oidc.js'
import { entraId } from './entra-id.js'
import { googleWorkspaceOidc } from './google-workspace-oidc.js'
import { googleWorkspace } from './google-workspace.js'
import { jumpcloud } from './jumpcloud.js'
import { keycloak } from './keycloak.js'
import { okta } from './okta.js'
import { onelogin } from './onelogin.js'
import { pingFederate } from './ping-federate.js'
import { pingOne } from './ping-one.js'
import { test } from './test.js'
import type { IdpGuide, OidcTutorial, Tutorial } from './tutorial.js'

/** How each kind of identity provider is set up by SAML. */
export const samlTutorials: Readonly<Record<Exclude<ProviderType, 'custom_oidc'>, Tutorial>> = {
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

/** The same by OpenID Connect. */
export const oidcTutorials: Readonly<Record<OidcProviderType, OidcTutorial>> = {
  entra_id: entraIdOidc,
  google_workspace: googleWorkspaceOidc,
  custom_oidc: customOidc,
}

/** How one is set up by what a connection speaks. */
export function guideOf(providerType: ProviderType, protocol: Protocol): IdpGuide {
  if (protocol === 'oidc') return oidcTutorialOf(providerType) ?? productOf(providerType)
  return productOf(providerType)
}

/** By OpenID Connect; undefined where a kind of identity provider speaks SAML alone. */
export function oidcTutorialOf(providerType: ProviderType): OidcTutorial | undefined {
  const type = oidcProviderTypes.find((name) => name === providerType)
  return type === undefined ? undefined : oidcTutorials[type]
}

/** By SAML; undefined where it speaks none. */
export function samlTutorialOf(providerType: ProviderType): Tutorial | undefined {
  return providerType === 'custom_oidc' ? undefined : samlTutorials[providerType]
}

/** A kind of identity provider as its maker calls it, whatever it is asked to speak. */
export function productOf(providerType: ProviderType): IdpGuide {
  return samlTutorialOf(providerType) ?? customOidc
}

/** Whether a kind of identity provider speaks both, so that somebody has to choose. */
export function speaksBoth(providerType: ProviderType): boolean {
  return oidcTutorialOf(providerType) !== undefined && samlTutorialOf(providerType) !== undefined
}
