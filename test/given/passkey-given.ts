import type { Client } from '@portico/sdk'
import { flowGivenOf, goodPassword, type FlowScene } from './flow-given.js'
import type { Service } from './harness.js'
import { askedOn, createPasskeyAuthenticator, type PasskeyAuthenticator } from './passkey-authenticator.js'
import type { Seen, Visitor } from './visitor.js'

/** A user who has just signed in with a password, on the page of their passkeys. */
export interface OnPasskeys {
  readonly scene: FlowScene
  readonly visitor: Visitor
  readonly page: Seen
}

/** Passkeys, by the pages on which their users add them. */
export function passkeyGivenOf(service: Service, client: Client) {
  const flows = flowGivenOf(service, client)

  function authenticator(options?: Parameters<typeof createPasskeyAuthenticator>[1]): PasskeyAuthenticator {
    return createPasskeyAuthenticator(service.baseUrl, options)
  }

  function addressOf({ org_domain }: Pick<FlowScene, 'org_domain'>): string {
    return `/t/${org_domain}/account/passkeys?environment=sandbox`
  }

  /** Signs in with the password at the page that a visit has led to. */
  async function signInAt(visitor: Visitor, page: Seen, { user }: FlowScene): Promise<Seen> {
    const asked = await visitor.press(page, 'identify', { email: user.email })
    return visitor.press(asked, 'password', { password: goodPassword })
  }

  async function onPasskeys(of?: FlowScene, visitor = flows.visitorOf()): Promise<OnPasskeys> {
    const scene = of ?? (await flows.scene())
    const page = await signInAt(visitor, await visitor.visit(addressOf(scene)), scene)
    return { scene, visitor, page }
  }

  /** What the page asks of a browser. */
  function asked({ html }: Pick<Seen, 'html'>): NonNullable<ReturnType<typeof askedOn>> {
    const options = askedOn(html)
    if (options === undefined) throw new Error('the page asks for no passkey')
    return options
  }

  /** A user with a passkey, and the authenticator that holds it. */
  async function withPasskey(of?: FlowScene, held = authenticator()) {
    const on = await onPasskeys(of)
    const page = await on.visitor.press(on.page, 'add', { credential: held.create(asked(on.page)) })
    return { ...on, page, held }
  }

  /** Goes on from the recovery codes that come with the first passkey that is demanded; any other page stays as it is. */
  async function withCodesSaved(visitor: Visitor, page: Seen): Promise<Seen> {
    const hasCodes = page.html.includes('name="action" value="acknowledge"')
    return hasCodes ? visitor.press(page, 'acknowledge', { acknowledged: 'true' }) : page
  }

  async function passkeysOf({ org_domain, user }: FlowScene) {
    return (await client.passkeys.list({ org_domain, user_id: user.id })).data
  }

  return {
    flows,
    authenticator,
    addressOf,
    signInAt,
    onPasskeys,
    asked,
    withPasskey,
    withCodesSaved,
    passkeysOf,
  }
}
