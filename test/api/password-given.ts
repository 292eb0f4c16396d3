import {
  followMagicLink,
  type Application,
  type Client,
  type PassedPasswordChallenge,
  type User,
} from '@portico/sdk'
import { anyEmail } from '../given/given.js'
import type { Service } from '../given/harness.js'

/** The redirect URL of the applications in these fixtures. */
export const callback = 'https://store.example/callback'

/** A password that meets every rule. */
export const goodPassword = 'velvet harbour 41 lanterns'

/** An organization with passwords enabled, with one application and one user without a password. */
export interface PasswordScene {
  readonly org_domain: string
  readonly application: Application
  readonly user: User
}

type Challenge = Parameters<Client['password']['createChallenge']>[0]
type Request = Parameters<Client['password']['createRequest']>[0]
type Connection = Parameters<Client['password']['createConnection']>[0]

export type PasswordGiven = ReturnType<typeof passwordGivenOf>

/** Passwords and their prerequisites. */
export function passwordGivenOf(service: Service, client: Client) {
  async function scene(
    connection: Partial<Connection> = {},
    organization: { name?: string; allowed_email_domains?: string[] } = {},
  ): Promise<PasswordScene> {
    const { domain: org_domain } = await service.given.organization(organization)
    await client.password.createConnection({ org_domain, ...connection })
    const application = await service.given.application({
      org_domain,
      organization_domain_scope: org_domain,
      allowed_redirect_urls: [callback, 'https://store.example/other'],
    })
    const user = await service.given.user({ org_domain })
    return { org_domain, application, user }
  }

  function request({ org_domain, user }: PasswordScene, members: Partial<Request> = {}, as = client) {
    return as.password.createRequest({
      org_domain,
      user_email: user.email,
      redirect_uri: callback,
      ...members,
    })
  }

  /** The link of a password request, for the caller to send. */
  async function link({ org_domain, user }: PasswordScene, request_id: string, user_email = user.email) {
    const { magic_link } = await client.magicLink.createChallenge({
      org_domain,
      user_email,
      request_id,
      send_email: false,
    })
    if (magic_link === null) throw new Error('the answer has no link')
    return magic_link
  }

  async function open(url: string): Promise<string> {
    const followed = await followMagicLink(url)
    if (followed.outcome !== 'password_code') throw new Error(`the link leads to ${followed.outcome}`)
    return followed.passwordCode
  }

  /** The password code of a user who requested a password and opened the link. */
  async function code(of: PasswordScene, members: Partial<Request> = {}): Promise<string> {
    const { request_id } = await request(of, members)
    return open(await link(of, request_id))
  }

  async function set(of: PasswordScene, plain_text = goodPassword) {
    const { org_domain, user } = of
    return client.password.set({
      org_domain,
      user_email: user.email,
      password_code: await code(of),
      plain_text,
    })
  }

  /** A scene whose user has a password. */
  async function sceneWithPassword(
    connection: Partial<Connection> = {},
    plain_text = goodPassword,
  ): Promise<PasswordScene> {
    const of = await scene(connection)
    await set(of, plain_text)
    return of
  }

  function challenge({ org_domain, user }: PasswordScene, members: Partial<Challenge> = {}, as = client) {
    return as.password.createChallenge({
      org_domain,
      user_email: user.email,
      plain_text: goodPassword,
      ...members,
    })
  }

  async function signIn(
    of: PasswordScene,
    members: Partial<Challenge> = {},
  ): Promise<PassedPasswordChallenge> {
    const answer = await challenge(of, members)
    if (!answer['valid?']) throw new Error(`the challenge is refused: ${answer.error}`)
    return answer
  }

  return { scene, sceneWithPassword, request, link, open, code, set, challenge, signIn }
}

/** The kinds of addresses in an organization, besides one with a password. */
export interface Addresses {
  readonly unknown: string
  readonly inactive: string
  /** Address of a user who only uses other sign-in methods. */
  readonly withoutPassword: string
  readonly withPassword: string
}

/** One address of each kind, in one organization. */
export async function addressesOf(
  service: Service,
  client: Client,
  { org_domain, user }: PasswordScene,
): Promise<Addresses> {
  const inactive = await service.given.user({ org_domain, active: false })
  const withoutPassword = await service.given.user({ org_domain })
  return {
    unknown: anyEmail(),
    inactive: inactive.email,
    withoutPassword: withoutPassword.email,
    withPassword: user.email,
  }
}

/** Answer bodies without the ids and times that differ between answers. */
export function withoutIdsAndTimes(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
}
