import { describe, expect, test } from 'vitest'
import { flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { scimGivenOf } from '../given/scim-given.js'
import { anyEmail } from '../given/given.js'
import { stepSeconds } from '../given/totp-given.js'
import type { Seen, Visitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

const sections = ['profile', 'email', 'password', 'second-factor', 'sessions', 'data'] as const
type Section = (typeof sections)[number]

function addressOf({ org_domain }: Pick<FlowScene, 'org_domain'>, section?: Section): string {
  return `/t/${org_domain}/account${section === undefined ? '' : `/${section}`}?environment=sandbox`
}

async function signInAt(visitor: Visitor, page: Seen, { user }: FlowScene): Promise<Seen> {
  const asked = await visitor.press(page, 'identify', { email: user.email })
  return visitor.press(asked, 'password', { password: goodPassword })
}

/** A browser whose user has signed in to the account page a while ago, by what is asked of them. */
interface State {
  readonly name: string
  readonly arrive: () => Promise<{ readonly scene: FlowScene; readonly visitor: Visitor }>
  /** Sections that the browser is sent to a sign-in from. */
  readonly asksAt: readonly Section[]
  /** What the page of a section must have, or must not. */
  readonly offers: Readonly<Record<Section, string | null>>
}

const offered = {
  profile: 'value="save"',
  email: 'value="ask"',
  password: 'value="set_password"',
  'second-factor': 'value="enroll"',
  sessions: 'value="sign_out"',
  data: 'value="download"',
} as const

const needFresh = ['email', 'password', 'second-factor', 'data'] as const

async function plainScene(): Promise<FlowScene> {
  const scene = await given.scene()
  await given.totp.activate(scene.org_domain)
  return scene
}

async function arrive(scene: FlowScene) {
  const visitor = given.visitorOf()
  await signInAt(visitor, await visitor.visit(addressOf(scene)), scene)
  return { scene, visitor }
}

const states: readonly State[] = [
  {
    name: 'fresh, one factor',
    arrive: async () => arrive(await plainScene()),
    asksAt: [],
    offers: offered,
  },
  {
    name: 'stale',
    arrive: async () => {
      const arrived = await arrive(await plainScene())
      await service.clock.advance(11 * 60)
      return arrived
    },
    asksAt: needFresh,
    offers: offered,
  },
  {
    name: 'fresh, one factor, and a second one was enrolled since',
    arrive: async () => {
      const arrived = await arrive(await plainScene())
      const { org_domain, user } = arrived.scene
      await given.totp.enroll({ org_domain, user_id: user.id })
      return arrived
    },
    asksAt: needFresh,
    offers: offered,
  },
  {
    name: 'fresh, two factors',
    arrive: async () => {
      const scene = await given.enrolledScene()
      const visitor = given.visitorOf()
      const asked = await signInAt(visitor, await visitor.visit(addressOf(scene)), scene)
      await service.clock.advance(stepSeconds)
      await visitor.press(asked, 'totp', { code: given.totp.codeOf(scene.app) })
      return { scene, visitor }
    },
    asksAt: [],
    offers: { ...offered, 'second-factor': 'value="remove"' },
  },
  {
    name: 'fresh, kept by a directory',
    arrive: async () => {
      const scene = await plainScene()
      const { scim } = await scimGivenOf(client).directory({ org_domain: scene.org_domain })
      const userName = anyEmail()
      await scim('POST', '/Users', { body: { userName, name: { givenName: 'Grace' } } })
      const user = await client.users.getByEmail({ org_domain: scene.org_domain, user_email: userName })
      await given.passwords.set({ ...scene, user })
      await client.sessions.endAll({ org_domain: scene.org_domain, user_id: user.id })
      return arrive({ ...scene, user })
    },
    asksAt: [],
    offers: { ...offered, profile: null, email: null },
  },
  {
    name: 'fresh, self-service switched off',
    arrive: async () => {
      const scene = await plainScene()
      await client.organizationPolicy.update({ org_domain: scene.org_domain, self_service: false })
      return arrive(scene)
    },
    asksAt: [],
    offers: { ...offered, profile: null, email: null, data: null },
  },
]

describe.each(states)('a session that is $name', (state) => {
  test.each(sections)('finds what it may in the section %s', async (section) => {
    const { scene, visitor } = await state.arrive()

    const page = await visitor.visit(addressOf(scene, section))

    if (state.asksAt.includes(section)) {
      expect(page.url).toContain(`/t/${scene.org_domain}/sign-in/`)
      return
    }
    expect(page).toMatchObject({ status: 200, url: `${service.baseUrl}${addressOf(scene, section)}` })
    const wanted = state.offers[section]
    if (wanted === null) expect(page.html).not.toContain(offered[section])
    else expect(page.html).toContain(wanted)
  })
})
