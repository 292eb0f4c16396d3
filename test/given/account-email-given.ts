import type { Client } from '@portico/sdk'
import { flowGivenOf, goodPassword, type FlowScene } from './flow-given.js'
import { anyEmail } from './given.js'
import type { Service } from './harness.js'
import { createVisitor, type Seen, type Visitor } from './visitor.js'

/** A user who changes their address on the account page. */
export interface OnEmail {
  readonly scene: FlowScene
  readonly visitor: Visitor
  readonly page: Seen
}

/** Changes of addresses, by the pages and the mails that they go through. */
export function accountEmailGivenOf(service: Service, client: Client) {
  const flows = flowGivenOf(service, client)

  function addressOf({ org_domain }: Pick<FlowScene, 'org_domain'>): string {
    return `/t/${org_domain}/account/email?environment=sandbox`
  }

  /** Signs in with the password at the page that a visit has led to. */
  async function signInAt(visitor: Visitor, page: Seen, { user }: FlowScene): Promise<Seen> {
    const asked = await visitor.press(page, 'identify', { email: user.email })
    return visitor.press(asked, 'password', { password: goodPassword })
  }

  /** A user who has just signed in to the section of their address. */
  async function onEmail(of?: FlowScene, visitor = flows.visitorOf()): Promise<OnEmail> {
    const scene = of ?? (await flows.scene())
    return { scene, visitor, page: await signInAt(visitor, await visitor.visit(addressOf(scene)), scene) }
  }

  async function mailsTo(address: string) {
    await service.runJobs()
    return (await client.outbox.list({ to: address })).data
  }

  /** The newest code that was mailed to an address; undefined without one. */
  async function codeTo(address: string): Promise<string | undefined> {
    return (await mailsTo(address)).flatMap(({ text }) => /^\d{6}$/m.exec(text)?.[0] ?? [])[0]
  }

  /** The link in the newest mail about a changed address. */
  async function linkTo(address: string): Promise<string | undefined> {
    const texts = (await mailsTo(address)).map(({ text }) => text)
    return texts.flatMap((text) => /https?:\/\/\S+\/email-change\?token=\S+/.exec(text)?.[0] ?? [])[0]
  }

  /** A change that waits for the code of the old mailbox. */
  async function asked(on?: OnEmail, email = anyEmail()) {
    const { page: before, ...at } = on ?? (await onEmail())
    return { ...at, email, page: await at.visitor.press(before, 'ask', { email }) }
  }

  /** A change that waits for the code of the new mailbox. */
  async function proved(on?: OnEmail, email = anyEmail()) {
    const { page, ...at } = await asked(on, email)
    const code = (await codeTo(at.scene.user.email)) ?? ''
    return { ...at, page: await at.visitor.press(page, 'old_code', { code }) }
  }

  /** A user with another address. */
  async function changed(on?: OnEmail, email = anyEmail()) {
    const { page, ...at } = await proved(on, email)
    const code = (await codeTo(email)) ?? ''
    return { ...at, page: await at.visitor.press(page, 'new_code', { code }) }
  }

  async function emailOf({ org_domain, user }: FlowScene): Promise<string> {
    return (await client.users.get({ org_domain, user_id: user.id })).email
  }

  /** Opens the link of a mail in another browser, and presses its button. */
  async function putBack(link: string): Promise<Seen> {
    const visitor = createVisitor(service.baseUrl)
    return visitor.press(await visitor.visit(link), 'put_back')
  }

  return {
    ...{ flows, addressOf, signInAt, onEmail, mailsTo, codeTo, linkTo },
    ...{ asked, proved, changed, emailOf, putBack },
  }
}
