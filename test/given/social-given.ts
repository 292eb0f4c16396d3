import type { Application, Client } from '@portico/sdk'
import { callback, flowGivenOf } from './flow-given.js'
import { anything } from './given.js'
import type { Service } from './harness.js'
import { startOpenIdProvider, type TestOpenIdProvider } from './openid-provider.js'
import { leadOf } from './saml-given.js'
import { createVisitor, type Seen, type Visitor } from './visitor.js'

type Connection = Partial<Parameters<Client['socialConnection']['update']>[0]>
type NewOrganization = Partial<Parameters<Client['organizations']['create']>[0]>

/** An organization whose users sign in with a social provider, by password or by link, with one application. */
export interface SocialScene {
  readonly org_domain: string
  readonly application: Application
}

/** The person that the built-in provider names, and the fault of its answer. */
export interface SocialChoice {
  readonly subject?: string
  readonly email?: string
  readonly verified?: boolean
  readonly fault?: string
}

/** Sign-ins with social providers, up to the step that a test needs. */
export function socialGivenOf(service: Service, client: Client) {
  const flows = flowGivenOf(service, client)
  let builtIn: Promise<unknown> | undefined

  async function scene(
    connection: Connection = {},
    organization: NewOrganization = {},
  ): Promise<SocialScene> {
    builtIn ??= client.socialProviders.create({ name: 'test' })
    await builtIn
    const { domain: org_domain } = await service.given.organization({
      name: `Awesome ${anything()}`,
      ...organization,
    })
    const application = await service.given.application({
      org_domain,
      organization_domain_scope: org_domain,
      allowed_redirect_urls: [callback],
    })
    await client.password.createConnection({ org_domain })
    await client.socialConnection.update({
      org_domain,
      active: true,
      providers: ['test'],
      allow_sign_up: true,
      ...connection,
    })
    return { org_domain, application }
  }

  /** A custom provider, which an organization uses. */
  async function custom(
    of: SocialScene,
  ): Promise<{ readonly name: string; readonly idp: TestOpenIdProvider }> {
    const idp = await startOpenIdProvider(service.clock)
    const name = `custom-${anything()}`
    const { issuer, client: registered } = idp
    await client.socialProviders.create({
      name,
      issuer,
      client_id: registered.id,
      client_secret: registered.secret,
    })
    await client.socialConnection.update({ org_domain: of.org_domain, providers: ['test', name] })
    return { name, idp }
  }

  /** A browser that was redirected to a provider, and its URL there. */
  async function atProvider(
    of: SocialScene,
    provider = 'test',
    visitor: Visitor = createVisitor(service.baseUrl),
    members: Record<string, string | undefined> = {},
  ) {
    const page = await visitor.visit(flows.authorizeUrl(of, members))
    const asking = await visitor.press(page, 'social', { provider })
    const sent = await visitor.request(leadOf(asking))
    return { visitor, page, asking, address: sent.location ?? '' }
  }

  /** The answer of the built-in provider, at our own address, before the browser follows it. */
  async function answered(visitor: Visitor, address: string, choice: SocialChoice = {}): Promise<string> {
    const { subject = 'ada-1', email = 'ada@awesome.example', verified = true, fault = 'none' } = choice
    const page = await visitor.visit(address)
    const fields = { subject, email, fault, ...(verified && { verified: 'true' }) }
    const sent = await visitor.send(page, 'sign_in', fields)
    const back = leadOf(sent)
    if (back === '') throw new Error(`the built-in provider has not answered: ${sent.html}`)
    return back
  }

  /** Completes a visit at the built-in provider; returns where the browser lands. */
  async function signIn(
    of: SocialScene,
    choice: SocialChoice = {},
    visitor: Visitor = createVisitor(service.baseUrl),
    members: Record<string, string | undefined> = {},
  ): Promise<{ readonly visitor: Visitor; readonly landed: Seen; readonly address: string }> {
    const { address } = await atProvider(of, 'test', visitor, members)
    const landed = await visitor.visit(await answered(visitor, address, choice))
    return { visitor, landed, address }
  }

  /** The newest code that was mailed to an address. */
  async function codeTo(email: string): Promise<string> {
    await service.runJobs()
    const { data } = await client.outbox.list({ to: email })
    const [code] = data.flatMap(({ text }) => /^\d{6}$/m.exec(text)?.[0] ?? [])
    if (code === undefined) throw new Error(`no code was mailed to ${email}`)
    return code
  }

  /** The newest log event of an organization. */
  async function lastLog(of: SocialScene, code: 'END_USER_SOCIAL_FAILED' | 'END_USER_SOCIAL_SUCCESS') {
    const { data } = await client.logEvents.list({ org_domain: of.org_domain, code })
    return data[0]
  }

  return { flows, scene, custom, atProvider, answered, signIn, codeTo, lastLog }
}
