import type { Application, Client } from '@portico/sdk'
import { answerOf, callback, flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import type { Service } from '../given/harness.js'
import { pkcePair, type Seen, type Visitor } from '../given/visitor.js'
import { exchange } from './code-given.js'

export type AccountGiven = ReturnType<typeof accountGivenOf>

/** Where applications of an account come back to after a sign-out. */
export const signedOut = 'https://store.example/signed-out'

/** Sign-ins that begin at the issuer of the service's account. */
export function accountGivenOf(service: Service, client: Client) {
  const flows = flowGivenOf(service, client)
  const path = `/a/${service.account.domain}`
  const issuer = `${service.baseUrl}${path}`

  /** An organization whose users have passwords; its application, if none is given, is one of the whole account. */
  async function scene(application?: Application): Promise<FlowScene> {
    const { org_domain, user } = await flows.scene()
    const of =
      application ?? (await service.given.application({ org_domain, allowed_redirect_urls: [callback] }))
    return { org_domain, user, application: of }
  }

  function authorizeUrl(
    { org_domain, application }: Pick<FlowScene, 'org_domain' | 'application'>,
    members: Record<string, string | undefined> = {},
  ): string {
    const parameters = flows.parameters({ application }, { organization: org_domain, ...members })
    return `${issuer}/authorize?${new URLSearchParams(parameters).toString()}`
  }

  /** The answer to a request that shows no page. */
  async function answerTo(
    of: Pick<FlowScene, 'org_domain' | 'application'>,
    members: Record<string, string | undefined> = {},
    visitor = flows.visitorOf(),
  ): Promise<Record<string, string>> {
    return Object.fromEntries(answerOf(await visitor.request(authorizeUrl(of, members))))
  }

  /** Signs a user in with the password, from a page of the organization on. */
  async function pass({ user }: FlowScene, page: Seen, visitor: Visitor): Promise<Seen> {
    const asked = await visitor.press(page, 'identify', { email: user.email })
    return visitor.press(asked, 'password', { password: goodPassword })
  }

  async function signIn(
    of?: FlowScene,
    members: Record<string, string | undefined> = {},
    visitor = flows.visitorOf(),
  ) {
    const at = of ?? (await scene())
    const landed = await pass(at, await visitor.visit(authorizeUrl(at, members)), visitor)
    return { scene: at, visitor, landed, answer: answerOf(landed) }
  }

  /** Signs a user in, and returns the code with what its exchange needs. */
  async function code(of?: FlowScene, visitor = flows.visitorOf()) {
    const { verifier, challenge } = pkcePair()
    const members = { code_challenge: challenge, scope: 'openid email offline_access' }
    const signedIn = await signIn(of, members, visitor)
    return {
      ...signedIn,
      code: signedIn.answer.get('code') ?? '',
      parameters: { code_verifier: verifier, client_id: signedIn.scene.application.client_id },
    }
  }

  /** The tokens of a sign-in at the account's issuer. */
  async function tokens(of?: FlowScene, visitor = flows.visitorOf()) {
    const signedIn = await code(of, visitor)
    const { body } = await exchange(
      service,
      { code: signedIn.code, ...signedIn.parameters },
      { path: `${path}/oauth/token` },
    )
    return {
      ...signedIn,
      idToken: body.id_token ?? '',
      accessToken: body.access_token ?? '',
      refreshToken: String(body['refresh_token']),
    }
  }

  return { flows, path, issuer, scene, authorizeUrl, answerTo, pass, signIn, code, tokens }
}
