import type { Application, Client, User } from '@portico/sdk'
import { goodPassword, passwordGivenOf } from '../api/password-given.js'
import type { Service } from './harness.js'
import { totpGivenOf } from './totp-given.js'
import { createVisitor, pkcePair, type Seen, type Visitor } from './visitor.js'

/** An organization whose users sign in on the pages, with one application and one user. */
export interface FlowScene {
  readonly org_domain: string
  readonly application: Application
  readonly user: User
}

/** The redirect URL of the applications in these fixtures. */
export const callback = 'https://store.example/callback'

export { goodPassword }

export type FlowGiven = ReturnType<typeof flowGivenOf>

/** Sign-ins on the hosted pages, up to the step that a test needs. */
export function flowGivenOf(service: Service, client: Client) {
  const passwords = passwordGivenOf(service, client)
  const totp = totpGivenOf(service, client)

  /** The parameters of a valid request; undefined removes one. */
  function parameters(
    scene: Pick<FlowScene, 'application'>,
    members: Record<string, string | undefined> = {},
  ): Record<string, string> {
    const all: Record<string, string | undefined> = {
      client_id: scene.application.client_id,
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid',
      state: 'state-1',
      nonce: 'nonce-1',
      code_challenge: pkcePair().challenge,
      code_challenge_method: 'S256',
      ...members,
    }
    return Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
  }

  function authorizeUrl(
    scene: Pick<FlowScene, 'org_domain' | 'application'>,
    members: Record<string, string | undefined> = {},
  ): string {
    const query = new URLSearchParams(parameters(scene, members))
    return `${service.baseUrl}/t/${scene.org_domain}/authorize?${query.toString()}`
  }

  /** A user with a password, in an organization that also allows magic links. */
  async function scene(): Promise<FlowScene> {
    return passwords.sceneWithPassword()
  }

  /** The same user with an enrolled app. */
  async function enrolledScene() {
    const of = await scene()
    await totp.activate(of.org_domain)
    const { app, recoveryCodes } = await totp.enroll({ org_domain: of.org_domain, user_id: of.user.id })
    // The enrolment consumed the current code.
    await service.clock.advance(30)
    return { ...of, app, recoveryCodes }
  }

  /** The page of the address, of a sign-in that has just begun; in a scene of its own where none is given. */
  async function begin(
    of?: FlowScene,
    members: Record<string, string | undefined> = {},
    visitor = visitorOf(),
  ) {
    const at = of ?? (await scene())
    return { scene: at, visitor, page: await visitor.visit(authorizeUrl(at, members)) }
  }

  /** The page that asks for the password. */
  async function atPassword(
    of?: FlowScene,
    members: Record<string, string | undefined> = {},
    visitor = visitorOf(),
  ) {
    const { scene, page } = await begin(of, members, visitor)
    return { scene, visitor, page: await visitor.press(page, 'identify', { email: scene.user.email }) }
  }

  /** Completes a sign-in with the password. */
  async function signIn(
    of?: FlowScene,
    members: Record<string, string | undefined> = {},
    visitor = visitorOf(),
  ) {
    const { scene, page } = await atPassword(of, members, visitor)
    const landed = await visitor.press(page, 'password', { password: goodPassword })
    return { scene, visitor, landed, answer: answerOf(landed) }
  }

  function visitorOf(): Visitor {
    return createVisitor(service.baseUrl)
  }

  return {
    passwords,
    totp,
    parameters,
    authorizeUrl,
    scene,
    enrolledScene,
    begin,
    atPassword,
    signIn,
    visitorOf,
  }
}

/** The parameters of a redirect to the application; empty if the answer leads to a hosted page. */
export function answerOf({ location }: Pick<Seen, 'location'>): URLSearchParams {
  return new URL(location ?? '', 'https://nowhere.example').searchParams
}

/** Whether a browser arrived at the application with a code. */
export function isIn(landed: Seen): boolean {
  return answerOf(landed).get('code') !== null
}
