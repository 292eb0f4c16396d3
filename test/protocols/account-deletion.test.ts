import { describe, expect, test } from 'vitest'
import { flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { longTest } from '../sampled.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

const daySeconds = 24 * 60 * 60

/** A user who has just signed in to the section of the deletion, in an organization with an administrator. */
async function givenRequest() {
  const scene = await given.scene()
  const { org_domain, user } = scene
  const admin = anyEmail()
  await client.admins.invite({ org_domain, email: admin })
  await client.organizationPolicy.update({ org_domain, self_deletion: 'request' })
  const visitor = given.visitorOf()
  const section = await visitor.visit(`/t/${org_domain}/account/delete?environment=sandbox`)
  const asked = await visitor.press(section, 'identify', { email: user.email })
  return { scene, admin, visitor, page: await visitor.press(asked, 'password', { password: goodPassword }) }
}

async function requestsTo(admin: string) {
  await service.runJobs()
  const { data } = await client.outbox.list({ to: admin })
  return data.filter(({ subject }) => subject?.includes('asks for their account to be deleted'))
}

function eventsOf({ user }: FlowScene) {
  return service.query<{ actor_type: string; actor_id: string }>(
    `select actor_type, actor_id from events where subject_id = $1 and code = 'user.deletion.request.success'`,
    [user.id],
  )
}

describe('a deletion on the account page', () => {
  const returnTo = 'https://store.example/settings'

  /** Deletes the account of a user who has come from an application. */
  async function deleted(members: Record<string, string> = {}) {
    const scene = await given.scene()
    const { org_domain, user, application } = scene
    const { client_id } = application
    await client.applications.update({ org_domain, client_id, allowed_logout_urls: [returnTo] })
    await client.organizationPolicy.update({ org_domain, self_deletion: 'allowed' })
    const query = new URLSearchParams({ environment: 'sandbox', client_id, return_to: returnTo, ...members })
    const visitor = given.visitorOf()
    const section = await visitor.visit(`/t/${org_domain}/account/delete?${query.toString()}`)
    const asked = await visitor.press(section, 'identify', { email: user.email })
    const page = await visitor.press(asked, 'password', { password: goodPassword })
    return { scene, visitor, page: await visitor.press(page, 'delete', { email: user.email }) }
  }

  test('is said to have happened, in each language, with the way back to the application', async () => {
    const { scene, visitor, page } = await deleted()

    expect(page.html).toContain('Your account has been deleted')
    expect(page.html).not.toContain('You are signed out')
    expect(page.html).toContain(`href="${returnTo}"`)
    expect(page.html).toContain(`Back to ${scene.application.name}`)
    expect(page.html).toContain('Votre compte a été supprimé')
    const ofAnybody = `/t/${scene.org_domain}/message/account-deleted`
    expect((await visitor.visit(ofAnybody)).html).not.toContain('deleted')
  })

  test('leads to no address that is not of the application', async () => {
    const { page } = await deleted({ return_to: 'https://evil.example/' })

    expect(page.html).toContain('Your account has been deleted')
    expect(page.html).not.toContain('Back to ')
    expect(page.html).not.toContain('evil.example')
  })
})

describe('a request of deletion on the account page', () => {
  test('tells the administrators and the account once, and deletes nobody', async () => {
    const { scene, admin, visitor, page } = await givenRequest()
    const { org_domain, user } = scene

    const done = await visitor.press(page, 'request')
    await visitor.send(page, 'request')

    expect(done.html).toContain('You asked for the deletion of your account just now.')
    expect(done.html).not.toContain('value="request"')
    expect(await eventsOf(scene)).toEqual([{ actor_type: 'user', actor_id: user.id }])
    const mails = await requestsTo(admin)
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text.replaceAll('\u200b', '')).toContain(user.email)
    const { data } = await client.logEvents.list({ org_domain, code: 'ACCOUNT_DELETION_REQUESTED' })
    expect(data).toHaveLength(1)
    expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({ email: user.email })
  })

  test('can be made again after thirty days', async () => {
    const { scene, admin, visitor, page } = await givenRequest()
    await visitor.press(page, 'request')
    const [first] = await requestsTo(admin)
    await service.clock.advance(30 * daySeconds)
    const { org_domain, user } = scene
    const section = await visitor.visit(`/t/${org_domain}/account/delete?environment=sandbox`)
    const asked = await visitor.press(section, 'identify', { email: user.email })
    const later = await visitor.press(asked, 'password', { password: goodPassword })

    await visitor.press(later, 'request')

    // The first mail is kept no longer.
    const [second] = await requestsTo(admin)
    expect(first).toBeDefined()
    expect(second?.id).not.toBe(first?.id)
    expect(await eventsOf(scene)).toHaveLength(2)
  })

  test('is nothing where the organization does not ask for one, nor of a session that is not fresh', async () => {
    const { scene, visitor, page } = await givenRequest()
    const { org_domain } = scene
    for (const self_deletion of ['none', 'allowed'] as const) {
      await client.organizationPolicy.update({ org_domain, self_deletion })
      await visitor.press(page, 'request')
    }
    await client.organizationPolicy.update({ org_domain, self_deletion: 'request' })
    const deleted = await visitor.press(page, 'delete', { email: scene.user.email })
    expect(deleted.html).toContain('value="request"')
    await service.clock.advance(11 * 60)

    const late = await visitor.press(page, 'request')

    expect(late.url).toContain(`/t/${org_domain}/sign-in/`)
    expect(await eventsOf(scene)).toEqual([])
  })

  longTest('is one of two hundred at the same time', async () => {
    const { scene, visitor, page } = await givenRequest()

    await Promise.all(Array.from({ length: 200 }, () => visitor.send(page, 'request')))

    expect(await eventsOf(scene)).toHaveLength(1)
  })
})
