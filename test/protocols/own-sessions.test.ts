import { describe, expect, test } from 'vitest'
import { answerOf, flowGivenOf, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import type { Visitor } from '../given/visitor.js'
import { sessionIdOf, signIn } from '../given/world.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

function addressOf({ org_domain }: FlowScene): string {
  return `/t/${org_domain}/sessions`
}

/** The ids of the sessions that can be ended on a page. */
function endable(html: string): string[] {
  return [...html.matchAll(/name="session_id" value="([^"]+)"/g)].map(([, id]) => id ?? '')
}

async function liveIds({ org_domain, user }: FlowScene): Promise<string[]> {
  return (await client.sessions.list({ org_domain, user_id: user.id })).data.map(({ id }) => id)
}

/** A user without sessions; setting a password creates one, which is ended. */
async function givenScene(): Promise<FlowScene> {
  const scene = await given.scene()
  await client.sessions.endAll({ org_domain: scene.org_domain, user_id: scene.user.id })
  return scene
}

/** A user signed in in two browsers. */
async function givenTwoBrowsers() {
  const scene = await givenScene()
  const { visitor: here } = await given.signIn(scene)
  await service.clock.advance(1)
  const { visitor: there } = await given.signIn(scene)
  return { scene, here, there, page: await here.visit(addressOf(scene)) }
}

/** Whether a browser is signed in without a page (prompt=none). */
async function isSignedIn(scene: FlowScene, visitor: Visitor): Promise<boolean> {
  const seen = await visitor.request(given.authorizeUrl(scene, { prompt: 'none' }))
  return answerOf(seen).has('code')
}

describe('the page of the user’s own sessions', () => {
  test('shows where they are signed in, and offers to end every other one', async () => {
    const { scene, page } = await givenTwoBrowsers()

    expect(page.status).toBe(200)
    expect(page.html).toContain(scene.application.name)
    const [mine] = (await liveIds(scene)).toReversed()
    expect(endable(page.html)).toHaveLength(1)
    expect(endable(page.html)).not.toContain(mine)
  })

  test('ends another one, whose browser has to sign in again, and stays', async () => {
    const { scene, here, there, page } = await givenTwoBrowsers()
    const [session_id = ''] = endable(page.html)

    const after = await here.press(page, 'end', { session_id })

    expect(after.status).toBe(200)
    expect(endable(after.html)).toEqual([])
    expect(await isSignedIn(scene, there)).toBe(false)
    expect(await isSignedIn(scene, here)).toBe(true)
  })

  test('ends all others at once', async () => {
    const { scene, here, there, page } = await givenTwoBrowsers()

    await here.press(page, 'end_others')

    expect(await liveIds(scene)).toHaveLength(1)
    expect([await isSignedIn(scene, here), await isSignedIn(scene, there)]).toEqual([true, false])
  })

  test('signs out: the session ends, and the browser forgets it', async () => {
    const { scene, here, there, page } = await givenTwoBrowsers()
    const secret = here.sessionSecret()

    const out = await here.press(page, 'sign_out')

    expect(out.status).toBe(200)
    expect(secret).toBeDefined()
    expect(here.sessionSecret()).toBeUndefined()
    expect([await isSignedIn(scene, here), await isSignedIn(scene, there)]).toEqual([false, true])
  })

  test.each([
    ['one that is named', 'end', 2],
    ['all others', 'end_others', 1],
  ])('ends no session of somebody else of the organization, by %s', async (_, action, left) => {
    const { scene, here, page } = await givenTwoBrowsers()
    const other = { ...scene, user: await service.given.user({ org_domain: scene.org_domain }) }
    const { org_domain, user } = other
    const strange = sessionIdOf(await signIn(client, { org_domain, user_email: user.email }))

    await here.press(page, action, { session_id: strange })

    expect(await liveIds(other)).toEqual([strange])
    expect(await liveIds(scene)).toHaveLength(left)
  })

  test('takes no form that another site sent, nor one of another browser, nor one without csrf', async () => {
    const { scene, here, there, page } = await givenTwoBrowsers()

    const foreign = await here.send(page, 'end_others', {}, { origin: 'https://evil.example' })
    const others = await there.send(page, 'end_others')
    const without = await here.send(page, 'end_others', { csrf: '' })

    expect([foreign.status, others.status, without.status]).toEqual([403, 403, 403])
    expect(await liveIds(scene)).toHaveLength(2)
  })

  test('is a section of the account page, to which its own address leads with the query that it has', async () => {
    const { scene, visitor } = await given.signIn()
    const seen = await visitor.request(`${addressOf(scene)}?environment=sandbox&ui_locales=fr`)
    const page = await visitor.visit(`${addressOf(scene)}?environment=sandbox&ui_locales=fr`)

    expect(seen).toMatchObject({
      status: 303,
      location: `/t/${scene.org_domain}/account/sessions?environment=sandbox&ui_locales=fr`,
    })
    expect(page.html).toContain('Retour à votre compte')
  })

  test('is nothing to who is not signed in, or was not for an hour', async () => {
    const scene = await given.scene()
    const stranger = given.visitorOf()
    expect((await stranger.visit(addressOf(scene))).status).toBe(401)
    const { visitor } = await given.signIn(scene)
    await service.clock.advance(60 * 60 + 1)

    const page = await visitor.visit(addressOf(scene))

    expect(page.status).toBe(401)
    expect(page.html).not.toContain(scene.user.email)
  })
})
