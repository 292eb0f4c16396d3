import type { Application, Client } from '@portico/sdk'
import { callback, flowGivenOf } from './flow-given.js'
import { anything } from './given.js'
import type { Service } from './harness.js'
import {
  startOpenIdProvider,
  type Forgery,
  type SaidClaims,
  type TestOpenIdProvider,
} from './openid-provider.js'
import { leadOf, trustOf } from './saml-given.js'
import { createVisitor, type Seen } from './visitor.js'

type SsoConnection = Awaited<ReturnType<Client['ssoConnections']['get']>>
type Traces = Awaited<ReturnType<Client['ssoConnections']['listLoginTraces']>>
type NewConnection = Partial<Parameters<Client['ssoConnections']['create']>[0]>
type NewOrganization = Partial<Parameters<Client['organizations']['create']>[0]>

/** An organization whose users sign in with an OpenID provider, with one application. */
export interface OidcScene {
  readonly org_domain: string
  readonly organization_id: string
  readonly application: Application
  readonly connection: SsoConnection
  readonly idp: TestOpenIdProvider
}

/** A user whose address the provider has verified. */
export const ada: SaidClaims = { sub: 'ada-1', email: 'ada@awesome.example', email_verified: true }

/** Sign-ins by OpenID Connect, up to the step that a test needs. */
export function oidcGivenOf(service: Service, client: Client) {
  const flows = flowGivenOf(service, client)

  async function scene(settings: NewConnection = {}, organization: NewOrganization = {}): Promise<OidcScene> {
    const { domain: org_domain, id: organization_id } = await service.given.organization({
      name: `Awesome ${anything()}`,
      ...organization,
    })
    const application = await service.given.application({
      org_domain,
      organization_domain_scope: org_domain,
      allowed_redirect_urls: [callback],
    })
    const of = { org_domain, organization_id, application }
    return { ...of, ...(await connect(of, { ...trustOf(settings, organization), ...settings })) }
  }

  /** Another connection of an organization, with its own provider by default. */
  async function connect(
    { organization_id, application }: Pick<OidcScene, 'organization_id' | 'application'>,
    settings: NewConnection = {},
    given?: TestOpenIdProvider,
  ): Promise<Pick<OidcScene, 'connection' | 'idp'>> {
    const idp = given ?? (await startOpenIdProvider(service.clock))
    const connection = await client.ssoConnections.create({
      organization_id,
      application_id: application.client_id,
      provider_type: 'custom_oidc',
      issuer: idp.issuer,
      oidc_client_id: idp.client.id,
      oidc_client_secret: idp.client.secret,
      ...settings,
    })
    return { connection, idp }
  }

  /** A browser that was redirected to the provider, and its URL there. */
  async function atProvider(
    of: OidcScene,
    members: Record<string, string | undefined> = {},
    visitor = createVisitor(service.baseUrl),
  ) {
    const page = await visitor.visit(flows.authorizeUrl(of, { idp_hint: of.connection.idp_id, ...members }))
    const sent = await visitor.request(leadOf(page))
    return { visitor, page, sent, address: sent.location ?? '' }
  }

  /** Completes a sign-in; returns the redirect to the application, or the page with the refusal. */
  async function signIn(
    of: OidcScene,
    claims: SaidClaims = ada,
    forgery: Forgery = {},
    members: Record<string, string | undefined> = {},
    visitor = createVisitor(service.baseUrl),
  ) {
    const { address } = await atProvider(of, members, visitor)
    const landed: Seen = await visitor.visit(of.idp.approve(address, claims, forgery))
    return { visitor, landed, address }
  }

  /** The latest login attempt of a connection. */
  async function lastTrace(of: Pick<OidcScene, 'connection'>): Promise<Traces['data'][number]> {
    const { data } = await client.ssoConnections.listLoginTraces({ idp_id: of.connection.idp_id })
    const [newest] = data
    if (newest === undefined) throw new Error('the connection has no trace')
    return newest
  }

  return { flows, scene, connect, atProvider, signIn, lastTrace }
}
