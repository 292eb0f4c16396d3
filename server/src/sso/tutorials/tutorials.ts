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

/** The tutorial of a kind of identity provider by the protocol of a connection. */
export function guideOf(providerType: ProviderType, protocol: Protocol): IdpGuide {
  if (protocol === 'oidc') return oidcTutorialOf(providerType) ?? productOf(providerType)
  return productOf(providerType)
}

/** The tutorial for OpenID Connect; undefined where a kind of identity provider speaks only SAML. */
export function oidcTutorialOf(providerType: ProviderType): OidcTutorial | undefined {
  const type = oidcProviderTypes.find((name) => name === providerType)
  return type === undefined ? undefined : oidcTutorials[type]
}

/** The tutorial for SAML; undefined where a kind of identity provider does not speak it. */
export function samlTutorialOf(providerType: ProviderType): Tutorial | undefined {
  return providerType === 'custom_oidc' ? undefined : samlTutorials[providerType]
}

/** A kind of identity provider by the vendor's name, whatever its protocol. */
export function productOf(providerType: ProviderType): IdpGuide {
  return samlTutorialOf(providerType) ?? customOidc
}

/** Whether a kind of identity provider speaks both protocols, so that one has to be chosen. */
export function speaksBoth(providerType: ProviderType): boolean {
  return oidcTutorialOf(providerType) !== undefined && samlTutorialOf(providerType) !== undefined
}
