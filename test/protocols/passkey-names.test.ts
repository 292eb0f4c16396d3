import { describe, expect, test } from 'vitest'
import { isIn, type FlowScene } from '../given/flow-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { createVisitor, type Seen, type Visitor } from '../given/visitor.js'
import { enrollingGivenOf, mfa } from './enrolling-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const { flows } = given
const links = flowLinkGivenOf(service, client, flows)
const enrolling = enrollingGivenOf(client, flows)

const firefoxOnLinux = 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0'

/** A visitor whose browser says what it is. */
function visitorWith(userAgent: string): Visitor {
  return createVisitor(service.baseUrl, (url, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('user-agent', userAgent)
    return fetch(url, { ...init, headers })
  })
}

async function add(visitor: Visitor, page: Seen, action = 'passkey', aaguid?: string): Promise<Seen> {
  const held = given.authenticator(aaguid === undefined ? {} : { aaguid: Buffer.from(aaguid, 'hex') })
  return visitor.press(page, action, { credential: held.create(given.asked(page)) })
}

/** In the order in which they were added. */
async function namesOf(scene: FlowScene): Promise<string[]> {
  return (await given.passkeysOf(scene)).map(({ name }) => name).toReversed()
}

async function byLink(scene: FlowScene, visitor: Visitor, says: Record<string, string> = {}): Promise<Seen> {
  await service.clock.advance(1)
  const { page } = await flows.begin(scene, {}, visitor)
  const asked = await visitor.press(page, 'identify', { email: scene.user.email, ...says })
  if (asked.html.includes('value="mail_link"')) await visitor.press(asked, 'mail_link')
  const opened = await links.open(await links.newestLinkTo(scene.user.email), visitor)
  return visitor.visit(opened.location ?? '')
}

describe('the name of a passkey that a user adds', () => {
  test('on the account page is that of the browser and its system, with a number where they have one of it', async () => {
    const { scene, visitor, page } = await given.onPasskeys(undefined, visitorWith(firefoxOnLinux))
    const second = await add(visitor, page, 'add')
    await service.clock.advance(1)
    const third = await add(visitor, second, 'add')
    expect(await namesOf(scene)).toEqual(['Firefox on Linux', 'Firefox on Linux 2'])

    const [last, first] = await given.passkeysOf(scene)
    const renamed = await visitor.press(third, 'rename', { passkey_id: first?.id ?? '', name: 'My laptop' })
    await service.clock.advance(1)
    const fourth = await add(visitor, renamed, 'add')
    await service.clock.advance(1)
    await add(visitor, fourth, 'add')

    expect(last?.name).toBe('Firefox on Linux 2')
    expect(await namesOf(scene)).toEqual([
      'My laptop',
      'Firefox on Linux 2',
      'Firefox on Linux',
      'Firefox on Linux 3',
    ])
  })

  test('is in the language of the page', async () => {
    const scene = await flows.scene()
    await client.organizations.update({ org_domain: scene.org_domain, locale: 'fr' })
    const { visitor, page } = await given.onPasskeys(scene, visitorWith(firefoxOnLinux))
    await add(visitor, page, 'add')

    expect(await namesOf(scene)).toEqual(['Firefox sur Linux'])
  })

  test('is that of its provider where that is known, with a number, too', async () => {
    const bitwarden = 'd548826e79b4db40a3d811116f7e8349'
    const { scene, visitor, page } = await given.onPasskeys(undefined, visitorWith(firefoxOnLinux))
    const next = await add(visitor, page, 'add', bitwarden)
    await service.clock.advance(1)
    await add(visitor, next, 'add', bitwarden)

    expect(await namesOf(scene)).toEqual(['Bitwarden', 'Bitwarden 2'])
  })

  test('is a passkey where the browser does not say what it is', async () => {
    const { scene, visitor, page } = await given.onPasskeys(undefined, visitorWith('curl/8'))
    const next = await add(visitor, page, 'add')
    await service.clock.advance(1)
    await add(visitor, next, 'add')

    expect(await namesOf(scene)).toEqual(['Passkey', 'Passkey 2'])
  })

  test('is that of the browser in a sign-in that demands one, and where it is offered', async () => {
    const demanded = await flows.scene()
    const visitor = visitorWith(firefoxOnLinux)
    const first = await flows.begin(demanded, mfa, visitor)
    await add(visitor, await given.signInAt(visitor, first.page, demanded))
    expect(await namesOf(demanded)).toEqual(['Firefox on Linux'])

    const offered = await flows.scene()
    await client.passkeys.updateConnection({ org_domain: offered.org_domain, prompt: 'after_sign_in' })
    const another = visitorWith(firefoxOnLinux)
    const landed = await add(another, await byLink(offered, another, { passkeys: 'can' }))
    expect(isIn(landed)).toBe(true)
    expect(await namesOf(offered)).toEqual(['Firefox on Linux'])
  })

  test('is that of the browser in a recovery, too', async () => {
    const scene = await flows.scene()
    const { org_domain, user } = scene
    await byLink(scene, flows.visitorOf())
    await given.withPasskey(scene)
    await service.clock.advance(1)
    await client.passkeys.openRecovery({ org_domain, user_id: user.id, reason: 'Lost their telephone' })
    const visitor = visitorWith(firefoxOnLinux)
    await add(visitor, await byLink(scene, visitor))

    expect(await namesOf(scene)).toEqual(['Passkey', 'Firefox on Linux'])
  })
})

describe('the mail about a second factor that a user adds in a sign-in', () => {
  /** The only mail to the user of a scene whose subject has these words. */
  async function mailTo({ user }: FlowScene, words: string): Promise<string> {
    await service.runJobs()
    const { data } = await client.outbox.list({ to: user.email })
    const [only, ...others] = data.filter(({ subject }) => subject?.includes(words))
    expect(others).toEqual([])
    return only?.text ?? ''
  }

  test('says when, in which browser and from which network a passkey was added, and links to the account page', async () => {
    const demanded = await flows.scene()
    const visitor = visitorWith(firefoxOnLinux)
    const first = await flows.begin(demanded, mfa, visitor)
    await add(visitor, await given.signInAt(visitor, first.page, demanded))
    const offered = await flows.scene()
    await client.passkeys.updateConnection({ org_domain: offered.org_domain, prompt: 'after_sign_in' })
    const another = visitorWith(firefoxOnLinux)
    await add(another, await byLink(offered, another, { passkeys: 'can' }))

    for (const scene of [demanded, offered]) {
      const text = await mailTo(scene, 'passkey was added')
      expect(text).toMatch(/When and where: .+ \(UTC\), in Firefox, Linux, from the network [\da-f.:/]+\./)
      expect(text).toContain(`${service.baseUrl}/t/${scene.org_domain}/account?environment=sandbox`)
    }
  })

  test('says so of an app, too', async () => {
    const { scene } = await enrolling.validated()

    expect(await mailTo(scene, 'Two-step verification was set up')).toMatch(
      /in a browser that we do not know, from the network /,
    )
  })
})
