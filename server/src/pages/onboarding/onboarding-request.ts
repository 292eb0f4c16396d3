import type { Deps } from '../../delivery/deps.js'
import { redirectUriOf } from '../../sso/oidc/start-request.js'
import type { AdminSession } from '../../sso/admins/admin-session.js'
import type { OnboardingConnection } from '../../sso/onboarding/connections.js'
import { acsUrlOf, entityIdOf } from '../../sso/saml/service-provider.js'
import type { Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import type { OnboardingPhase } from '../texts/en/onboarding.js'
import type { OnboardingView } from './onboarding-frame.js'
import type { ConnectionValues } from './tutorial-blocks.js'

/** A request for a page of a connection, from the browser of its administrator. */
export interface OnboardingRequest {
  readonly deps: Deps
  readonly session: AdminSession
  readonly connection: OnboardingConnection
  readonly frame: Frame
  readonly form: PageForm
  readonly requestId: string
  /** A field of the submitted form; '' when it is missing. */
  readonly field: (name: string) => string
}

/** The result of a request: a redirect to another page of the connection, or a page. */
export type OnboardingOutcome =
  | { readonly goTo: string }
  | { readonly page: string; readonly status?: number }

/** A page of the onboarding, and the actions of its forms, by the value of their button `action`. */
export interface OnboardingStep {
  readonly show: (request: OnboardingRequest) => Promise<OnboardingOutcome>
  readonly actions: Readonly<Record<string, (request: OnboardingRequest) => Promise<OnboardingOutcome>>>
}

/** The data that every page of a connection needs. */
export function viewOf(
  { session, connection, frame, form }: OnboardingRequest,
  phase: OnboardingPhase,
): OnboardingView {
  return {
    frame,
    form,
    email: session.email,
    base: `/onboarding/${connection.idpId}`,
    listUrl: session.connection === null ? '/onboarding' : undefined,
    protocol: connection.protocol,
    phase,
    reachable: reachablePhases(connection),
  }
}

/** The phases that the state of a connection allows. */
export function reachablePhases(connection: OnboardingConnection): OnboardingPhase[] {
  const { providerType, state } = connection
  const hasProvider = providerType !== null && state !== 'not_initialized'
  return [
    'provider',
    ...(hasProvider ? (['tutorial'] as const) : []),
    // The built-in provider comes with metadata.
    ...(hasProvider && providerType !== 'test' ? (['metadata'] as const) : []),
    ...(hasProvider && testedVersion(connection) !== null ? (['test'] as const) : []),
    ...(state === 'xml_provided' ? (['done'] as const) : []),
  ]
}

/** The version of the metadata or client to test: the uploaded one, else the active one. */
export function testedVersion({ uploadedVersion, currentVersion }: OnboardingConnection): number | null {
  return uploadedVersion ?? currentVersion
}

/** The phase at which a returning administrator continues. */
export function currentPhase({ state, providerType }: OnboardingConnection): OnboardingPhase {
  if (providerType === null || state === 'not_initialized') return 'provider'
  return state === 'xml_provided' ? 'test' : 'tutorial'
}

/** The values that the console of an identity provider requires. */
export function valuesOf({ deps, connection }: OnboardingRequest): ConnectionValues {
  const { baseUrl } = deps.config
  const acsUrl = acsUrlOf(baseUrl, connection.idpId)
  const entityId = entityIdOf(baseUrl, connection.idpId)
  return {
    acs_url: acsUrl,
    entity_id: entityId,
    metadata_url: entityId,
    acs_url_pattern: `^${acsUrl.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$`,
    redirect_uri: redirectUriOf(baseUrl, connection.idpId),
    scopes: 'openid email profile',
    name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  }
}
