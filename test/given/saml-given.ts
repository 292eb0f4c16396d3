import type { Application, Client } from '@portico/sdk'
import { callback, flowGivenOf } from './flow-given.js'
import { anything } from './given.js'
import type { Service } from './harness.js'
import {
  requestIdIn,
  startIdentityProvider,
  type Said,
  type TestIdentityProvider,
} from './saml-identity-provider.js'
import { createVisitor, type Seen, type Visitor } from './visitor.js'

type SsoConnection = Awaited<ReturnType<Client['ssoConnections']['get']>>
type Traces = Awaited<ReturnType<Client['ssoConnections']['listLoginTraces']>>
type NewConnection = Partial<Parameters<Client['ssoConnections']['create']>[0]>
type NewOrganization = Partial<Parameters<Client['organizations']['create']>[0]>

/** An organization whose users sign in with an identity provider, with one application. */
export interface SamlScene {
  readonly org_domain: string
  readonly organization_id: string
  readonly application: Application
  readonly connection: SsoConnection
  readonly idp: TestIdentityProvider
}

export type SamlGiven = ReturnType<typeof samlGivenOf>

/** Sign-ins by SSO, up to the step that a test needs. */
export function samlGivenOf(service: Service, client: Client) {
  const flows = flowGivenOf(service, client)

  /** An active connection with the metadata of an identity provider. */
  async function scene(
    settings: NewConnection = {},
    organization: NewOrganization = {},
    idpName = 'idp',
  ): Promise<SamlScene> {
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
    return { ...of, ...(await connect(of, { ...trustOf(settings, organization), ...settings }, idpName)) }
  }

  /** Another connection of an organization. */
  async function connect(
    { organization_id, application }: Pick<SamlScene, 'organization_id' | 'application'>,
    settings: NewConnection = {},
    idpName = 'idp',
  ): Promise<Pick<SamlScene, 'connection' | 'idp'>> {
    const idp = await startIdentityProvider(service.clock, idpName)
    const { idp_id } = await client.ssoConnections.create({
      organization_id,
      application_id: application.client_id,
      provider_type: 'okta',
      ...settings,
    })
    const connection = await client.ssoConnections.update({ idp_id, metadata: idp.metadata(), active: true })
    return { connection, idp }
  }

  /** A browser that was redirected to the identity provider. */
  async function atIdentityProvider(
    of?: SamlScene,
    members: Record<string, string | undefined> = {},
    visitor = createVisitor(service.baseUrl),
  ) {
    const at = of ?? (await scene())
    const page = await visitor.visit(flows.authorizeUrl(at, { idp_hint: at.connection.idp_id, ...members }))
    return { scene: at, visitor, page, ...(await leave(visitor, page)) }
  }

  /** Follows the automatic redirect of a page of a flow. */
  async function leave(visitor: Visitor, page: Seen) {
    const sent = await visitor.request(leadOf(page))
    return { sent, requestId: sent.location === null ? '' : requestIdIn(sent.location) }
  }

  /** Posts a response like the identity provider's page: cross-site, and therefore without cookies. */
  function post(
    of: Pick<SamlScene, 'connection'>,
    samlResponse: string,
    fields: Record<string, string> = {},
  ): Promise<Seen> {
    return createVisitor(service.baseUrl).request(new URL(of.connection.acs_url).pathname, {
      method: 'POST',
      headers: { origin: 'https://idp.example' },
      body: new URLSearchParams({ SAMLResponse: samlResponse, ...fields }),
    })
  }

  /** Posts a response in a browser, and follows the redirects. */
  async function comeBack(
    of: Pick<SamlScene, 'connection'>,
    visitor: Visitor,
    samlResponse: string,
  ): Promise<Seen> {
    const hop = await post(of, samlResponse)
    return hop.status === 200 ? visitor.visit(leadOf(hop)) : hop
  }

  /** Completes a sign-in; returns the redirect to the application, or the page with the refusal. */
  async function signIn(
    of: SamlScene,
    said: Said = {},
    members: Record<string, string | undefined> = {},
    visitor = createVisitor(service.baseUrl),
  ) {
    const { requestId } = await atIdentityProvider(of, members, visitor)
    const landed = await comeBack(of, visitor, of.idp.respond({ ...of.connection, requestId }, said))
    return { visitor, landed, requestId }
  }

  /** The latest login attempt of a connection. */
  async function lastTrace(of: Pick<SamlScene, 'connection'>): Promise<Traces['data'][number]> {
    const { data } = await client.ssoConnections.listLoginTraces({ idp_id: of.connection.idp_id })
    const [newest] = data
    if (newest === undefined) throw new Error('the connection has no trace')
    return newest
  }

  /** Switches off the magic links of an organization, which are active by default. */
  async function closeLinks({ org_domain }: Pick<SamlScene, 'org_domain'>): Promise<void> {
    await client.magicLink.updateConnection({ org_domain, active: false })
  }

  /** A user with an earlier sign-in by SSO and an enrolled app. */
  async function enrolled() {
    const of = await scene()
    const { org_domain } = of
    const { id: user_id } = await client.users.create({ org_domain, email: 'ada@awesome.example' })
    await flows.totp.activate(org_domain)
    const { app } = await flows.totp.enroll({ org_domain, user_id })
    await service.clock.advance(30)
    return { scene: of, app }
  }

  return {
    closeLinks,
    flows,
    scene,
    connect,
    atIdentityProvider,
    leave,
    post,
    comeBack,
    signIn,
    lastTrace,
    enrolled,
  }
}

/** Where no domain is named, the identity provider of a scene is authoritative for whichever address a test has. */
export function trustOf(
  { email_domains: own = [] }: NewConnection,
  { allowed_email_domains: listed }: NewOrganization,
): Pick<NewConnection, 'other_domains'> {
  return own.length === 0 && (listed ?? []).length === 0 ? { other_domains: 'any_address' } : {}
}

/** The target of a page's automatic redirect. */
export function leadOf({ html }: Pick<Seen, 'html'>): string {
  return /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
}

export { callback }
