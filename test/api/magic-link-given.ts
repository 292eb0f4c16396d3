import type { Application, Client, User } from '@portico/sdk'
import type { Service } from '../given/harness.js'

/** The redirect URL of the applications in these fixtures. */
export const callback = 'https://store.example/callback'

/** An organization with one application and one user who can sign in. */
export interface Scene {
  readonly org_domain: string
  readonly application: Application
  readonly user: User
}

type ChallengeInput = Partial<Parameters<Client['magicLink']['createChallenge']>[0]>

/** Magic links and their prerequisites. */
export function linkGivenOf(service: Service, client: Client) {
  async function scene(members: { locale?: string; allowed_email_domains?: string[] } = {}): Promise<Scene> {
    const { domain: org_domain } = await service.given.organization(members)
    const application = await service.given.application({
      org_domain,
      organization_domain_scope: org_domain,
      allowed_redirect_urls: [callback, 'https://store.example/other'],
    })
    const user = await service.given.user({ org_domain })
    return { org_domain, application, user }
  }

  function challenge({ org_domain, user }: Scene, members: ChallengeInput = {}) {
    return client.magicLink.createChallenge({
      org_domain,
      user_email: user.email,
      send_email: false,
      ...members,
    })
  }

  async function link(of: Scene, members: ChallengeInput = {}): Promise<string> {
    const { magic_link } = await challenge(of, members)
    if (magic_link === null) throw new Error('the answer has no link')
    return magic_link
  }

  return { scene, challenge, link }
}

/** The form on the page of a link, and its cookies. */
export interface Form {
  readonly page: Response
  readonly html: string
  readonly cookie: string
  readonly token: string
  readonly csrf: string
}

export async function openPage(link: string, headers: Record<string, string> = {}): Promise<Form> {
  const page = await fetch(link, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' })
  const html = await page.text()
  return {
    page,
    html,
    cookie: page.headers.getSetCookie()[0]?.split(';')[0] ?? '',
    token: /name="token" value="([^"]*)"/.exec(html)?.[1] ?? '',
    csrf: /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '',
  }
}
