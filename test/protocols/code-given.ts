import { openMagicLink, type Application, type Client, type User } from '@portico/sdk'
import type { Service } from '../given/harness.js'
import type { Seen } from '../given/visitor.js'
import { answerOf } from '../given/flow-given.js'

/** The redirect URL of the applications in these fixtures. */
export const callback = 'https://store.example/callback'

/** An organization with one application and one user who can sign in. */
export interface Scene {
  readonly org_domain: string
  readonly application: Application
  readonly user: User
}

type ChallengeInput = Partial<Parameters<Client['magicLink']['createChallenge']>[0]>

export type CodeGiven = ReturnType<typeof codeGivenOf>

/** Authorization codes and their prerequisites. */
export function codeGivenOf(service: Pick<Service, 'given'>, client: Client) {
  return {
    async scene(members: Partial<Parameters<Service['given']['application']>[0]> = {}): Promise<Scene> {
      const { domain: org_domain } = await service.given.organization()
      const application = await service.given.application({
        org_domain,
        organization_domain_scope: org_domain,
        allowed_redirect_urls: [callback],
        ...members,
      })
      const user = await service.given.user({ org_domain })
      return { org_domain, application, user }
    },

    async code({ org_domain, user }: Scene, members: ChallengeInput = {}): Promise<string> {
      const { magic_link: link } = await client.magicLink.createChallenge({
        org_domain,
        user_email: user.email,
        send_email: false,
        ...members,
      })
      return (await openMagicLink(link ?? '')).code
    },
  }
}

interface Tokens {
  readonly access_token: string
  readonly id_token: string
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Record<string, unknown> & Partial<Tokens>
}

/** Sends a form to the token endpoint, by default with the grant authorization_code. */
export async function exchange(
  service: Service,
  parameters: Record<string, string>,
  { path = '/oauth/token', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ grant_type: 'authorization_code', ...parameters }),
  })
  const text = await answer.text()
  const body: Answer['body'] = JSON.parse(text)
  return { status: answer.status, headers: answer.headers, text, body }
}

/** Exchanges the code with which a browser arrived at the application. */
export function exchangeLanded(
  service: Service,
  landed: Seen,
  { application }: Pick<Scene, 'application'>,
  code_verifier: string,
): Promise<Answer> {
  const code = answerOf(landed).get('code') ?? ''
  return exchange(service, { code, code_verifier, client_id: application.client_id })
}

/** The answer to every invalid exchange. */
export const refusal = JSON.stringify({
  error: 'invalid_grant',
  error_description:
    'The code is not one that can be exchanged. If it was issued, the log event TOKEN_EXCHANGE_FAILED has the reason.',
})

/** The logged reason of the latest failed exchange of an organization. */
export async function loggedReason(service: Service, org_domain: string): Promise<unknown> {
  const rows = await service.query<{ reason: string }>(
    `select reason from log_events where domain = $1 and event_code = 'TOKEN_EXCHANGE_FAILED' order by id desc`,
    [org_domain],
  )
  return rows[0]?.reason
}
