import type { Application, Client, Impersonation } from '@portico/sdk'
import { anyEmail, givenOf } from '../given/given.js'
import { callback } from '../given/flow-given.js'
import type { Service } from '../given/harness.js'
import { createVisitor, pkcePair, type Seen, type Visitor } from '../given/visitor.js'
import { exchange } from './code-given.js'

/** Where the applications of these fixtures begin a sign-in for others. */
export const initiation = 'https://store.example/auth/sign-in?from=portico'
export const actor = { id: 'staff-7', email: 'grace@acme.example' }

export interface ImpersonationScene {
  readonly org_domain: string
  readonly user: { readonly id: string; readonly email: string }
  readonly application: Application
}

/** Staff who sign in as users, up to the step that a test needs. */
export function impersonationGivenOf(service: Service, client: Client) {
  const own = givenOf(client)

  async function scene(members: Partial<Application> = {}): Promise<ImpersonationScene> {
    const { domain: org_domain } = await own.organization()
    const application = await own.application({
      ...{ org_domain, initiate_login_uri: initiation, allowed_redirect_urls: [callback] },
      ...members,
    })
    return { org_domain, user: await own.user({ org_domain, email: anyEmail() }), application }
  }

  function create({ org_domain, user, application }: ImpersonationScene, members: object = {}) {
    return client.impersonations.create({
      ...{ org_domain, user_id: user.id, application_id: application.id },
      ...{ reason: 'Ticket 4711', actor },
      ...members,
    })
  }

  /** Opens the page of an address. */
  function open({ url }: Pick<Impersonation, 'url'>, visitor: Visitor): Promise<Seen> {
    return visitor.request(url ?? '')
  }

  /** Opens the address and presses its button: the parameters that the application is called with. */
  async function pressed(impersonation: Pick<Impersonation, 'url'>, visitor = visitorOf()) {
    const { location } = await visitor.send(await open(impersonation, visitor), 'start')
    return { visitor, called: new URL(location ?? 'https://nowhere.example') }
  }

  /** The handle of a new impersonation in the hands of the application, and the browser that it is bound to. */
  async function handle(of: ImpersonationScene, members: object = {}) {
    const created = await create(of, members)
    const { visitor, called } = await pressed(created)
    return { created, visitor, handle: called.searchParams.get('impersonation') ?? '' }
  }

  const { verifier, challenge } = pkcePair()

  /** The address of the application's request, at the issuer of the organization, or at that of the account. */
  function authorizeUrl(
    { org_domain, application }: Pick<ImpersonationScene, 'org_domain' | 'application'>,
    members: Record<string, string>,
    issuer = `/t/${org_domain}`,
  ): string {
    const parameters = new URLSearchParams({
      ...{ client_id: application.client_id, redirect_uri: callback, response_type: 'code' },
      ...{ scope: 'openid email offline_access', state: 'state-1', nonce: 'nonce-1' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', ...members },
    })
    return `${service.baseUrl}${issuer}/authorize?${parameters.toString()}`
  }

  /** The answer of the service to the application. */
  async function answer(
    of: Pick<ImpersonationScene, 'org_domain' | 'application'>,
    members: Record<string, string>,
    visitor: Visitor,
    issuer?: string,
  ): Promise<Record<string, string>> {
    const { location } = await visitor.request(authorizeUrl(of, members, issuer))
    return Object.fromEntries(new URL(location ?? '', 'https://nowhere.example').searchParams)
  }

  /** The tokens of an impersonation that has started. */
  async function tokens(of: ImpersonationScene, members: object = {}, issuer?: string) {
    const { created, visitor, handle: impersonation } = await handle(of, members)
    const { code = '' } = await answer(of, { impersonation }, visitor, issuer)
    const { status, body } = await exchangeCode(of, code)
    return {
      ...{ created, visitor, status, body },
      accessToken: String(body.access_token),
      idToken: String(body.id_token),
    }
  }

  function exchangeCode({ application }: Pick<ImpersonationScene, 'application'>, code: string) {
    return exchange(service, { code, code_verifier: verifier, client_id: application.client_id })
  }

  function visitorOf(): Visitor {
    return createVisitor(service.baseUrl)
  }

  async function listed({ org_domain, user }: ImpersonationScene): Promise<Impersonation[]> {
    return (await client.impersonations.list({ org_domain, user_id: user.id })).data
  }

  return {
    verifier,
    scene,
    create,
    open,
    pressed,
    handle,
    authorizeUrl,
    answer,
    tokens,
    exchangeCode,
    visitorOf,
    listed,
  }
}
