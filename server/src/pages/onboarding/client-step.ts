import {
  confirmClient,
  findIssuer,
  findKeptClient,
  keepClient,
  readIssuer,
  type IssuerFault,
} from '../../sso/onboarding/client-upload.js'
import { findShownClient } from '../../sso/onboarding/client-version.js'
import { isNameShared } from '../../sso/onboarding/shared-name.js'
import type { OpenIdProvider } from '../../platform/openid/provider.js'
import { oidcTutorialOf } from '../../sso/tutorials/tutorials.js'
import type { OidcTutorial } from '../../sso/tutorials/tutorial.js'
import type { ClientFault, ClientWarning } from '../texts/en/oidc-setup.js'
import { clientPage } from './client.js'
import { clientReviewPage } from './client-review.js'
import {
  viewOf,
  type OnboardingOutcome,
  type OnboardingRequest,
  type OnboardingStep,
} from './onboarding-request.js'

/** The form for an OpenID Connect client. */
export const clientStep: OnboardingStep = {
  show: (request) => showForm(request),
  actions: { read },
}

interface Notice {
  readonly fault?: ClientFault
  /** Quotes what was found at the issuer. */
  readonly found?: string
}

const maxLengths = { issuer: 2000, client_id: 255, client_secret: 1000 }
const wellKnown = '/.well-known/openid-configuration'

async function showForm(request: OnboardingRequest, notice: Notice = {}): Promise<OnboardingOutcome> {
  const { deps, connection, field } = request
  const tutorial = tutorialOf(request)
  if (tutorial === undefined) return { goTo: connection.protocol === 'oidc' ? 'provider' : 'metadata' }
  const page = clientPage({
    ...viewOf(request, 'metadata'),
    tutorial,
    stored: await findShownClient(deps, connection),
    typed: { issuer: field('issuer'), clientId: field('client_id') },
    ...notice,
  })
  return { page, ...(notice.fault !== undefined && { status: 422 }) }
}

/** The tutorial that ends with a client; undefined for SAML, and before a provider is chosen. */
function tutorialOf({ connection }: OnboardingRequest): OidcTutorial | undefined {
  const { protocol, providerType, state } = connection
  if (protocol !== 'oidc' || providerType === null || state === 'not_initialized') return undefined
  return oidcTutorialOf(providerType)
}

async function read(request: OnboardingRequest): Promise<OnboardingOutcome> {
  const { deps, session, connection, field } = request
  if (tutorialOf(request) === undefined) return showForm(request)
  const issuer = toIssuer(field('issuer'))
  const clientId = field('client_id').trim()
  const clientSecret = field('client_secret').trim()
  if (issuer === '') return showForm(request, { fault: 'issuer_missing' })
  if (issuer.length > maxLengths.issuer) return showForm(request, { fault: 'issuer_invalid' })
  if (clientId === '' || clientId.length > maxLengths.client_id)
    return showForm(request, { fault: 'client_id_missing' })
  if (clientSecret === '' || clientSecret.length > maxLengths.client_secret)
    return showForm(request, { fault: 'client_secret_missing' })
  const provider = await readIssuer(deps, connection, issuer)
  if (isFault(provider)) return showForm(request, { fault: provider.code, found: provider.found })
  await keepClient(deps, session, connection, { issuer, clientId, clientSecret })
  return { goTo: 'review' }
}

/** Users often paste the address of the discovery document, which begins with the issuer. */
function toIssuer(typed: string): string {
  const issuer = typed.trim()
  return issuer.endsWith(wellKnown) ? issuer.slice(0, -wellKnown.length) : issuer
}

function isFault(read: OpenIdProvider | IssuerFault): read is IssuerFault {
  return 'code' in read
}

/** Shows the metadata of the provider, before the client is stored. */
export async function showClientReview(request: OnboardingRequest): Promise<OnboardingOutcome> {
  const { deps, session, connection } = request
  const kept = await findKeptClient(deps, session, connection)
  if (kept === undefined) return { goTo: 'client' }
  const provider = await findIssuer(deps, kept.issuer)
  if (isFault(provider)) return showForm(request, { fault: provider.code, found: provider.found })
  const isShared = await isNameShared(deps, connection, 'sso_oidc_clients', kept.issuer)
  return {
    page: clientReviewPage({
      ...viewOf(request, 'metadata'),
      ...kept,
      authorizationEndpoint: provider.authorizationEndpoint,
      warnings: warningsOf(provider, isShared),
      willWait: connection.currentVersion !== null,
    }),
  }
}

function warningsOf({ issuer, authorizationEndpoint }: OpenIdProvider, isShared: boolean): ClientWarning[] {
  const isElsewhere = new URL(issuer).hostname !== new URL(authorizationEndpoint).hostname
  return [
    ...(isElsewhere ? (['other_host'] as const) : []),
    ...(isShared ? (['issuer_shared'] as const) : []),
    ...(issuer.startsWith('http:') ? (['in_clear'] as const) : []),
  ]
}

export async function confirmKeptClient(request: OnboardingRequest): Promise<OnboardingOutcome> {
  const { deps, session, connection, field, requestId } = request
  const stored = await confirmClient(deps, session, connection, {
    uploadId: field('upload_id'),
    requestId,
  })
  return stored === undefined ? showForm(request, { fault: 'over' }) : { goTo: 'test' }
}
