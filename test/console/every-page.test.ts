import { beforeAll, expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { roundTrips } from '../given/counted.js'
import { anyEmail } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import type { References } from '../given/request-of.js'
import type { Visitor } from '../given/visitor.js'
import { createWorld } from '../given/world.js'
import { isFullRun, longDescribe } from '../sampled.js'

let service: Service
let given: ReturnType<typeof consoleGivenOf>
let owner: Awaited<ReturnType<typeof given.owner>>
let world: References
/** What the pages lead an owner to: each address once. */
let ofOwner: ReadonlyMap<string, Page>

const roles = ['viewer', 'support', 'developer'] as const
/** A browser of each, in a full run. */
const colleagues = new Map<string, Visitor>()

interface Page {
  readonly status: number
  readonly html: string
}

/** Words of the user of the world that stand nowhere but in personal data. */
const personal = { given_name: 'Zebediah', phone_number: '+33612345678' }

beforeAll(async () => {
  service = await startService()
  given = consoleGivenOf(service)
  world = await createWorld(service)
  const client = await service.client()
  const { org_domain = '', user_id = '' } = world
  await client.users.update({ org_domain, user_id, ...personal })
  // More than a page of a list.
  await Promise.all(Array.from({ length: 30 }, () => client.users.create({ org_domain, email: anyEmail() })))
  owner = await given.owner(service.account)
  // Before the clock is set: an invitation takes a proof of the last minutes.
  if (isFullRun) for (const role of roles) colleagues.set(role, (await given.colleague(owner, role)).visitor)
  ofOwner = await crawl(owner.visitor)
}, 120_000)

const starts = () => ['sandbox', 'production'].map((name) => `/console/${service.account.domain}/${name}`)

/** Of the pages that are led to, `npm test` sees so many: the first ones, of both environments. */
const most = isFullRun ? Number.POSITIVE_INFINITY : 60

/** Every address of the console that a page leads to, from its first pages on, with the status and text of each. */
async function crawl(visitor: Visitor): Promise<ReadonlyMap<string, Page>> {
  const seen = new Map<string, Page>()
  const waiting = starts()
  for (let path = waiting.shift(); path !== undefined && seen.size < most; path = waiting.shift()) {
    if (seen.has(path)) continue
    // The limit of a member of staff in a minute.
    if (seen.size % 100 === 99) await service.clock.advance(60)
    const { status, html } = await visitor.request(path)
    seen.set(path, { status, html })
    for (const [, href = ''] of html.matchAll(/href="(\/console\/[^"#]*)"/g)) {
      const next = href.replaceAll('&amp;', '&')
      if (!next.includes('ui_locales=') && !seen.has(next)) waiting.push(next)
    }
  }
  return seen
}

function wrongIn(seen: ReadonlyMap<string, Page>): readonly string[] {
  return [...seen]
    .filter(([, { status }]) => status !== 200 && status !== 303)
    .map(([path, { status }]) => `${status} ${path}`)
}

test('every page that an owner is led to is there, and shows no secret', () => {
  expect(wrongIn(ofOwner)).toEqual([])
  expect(ofOwner.size).toBeGreaterThan(isFullRun ? 120 : 59)
  const secrets = [...ofOwner].filter(([, { html }]) =>
    /whsec_|keysandbox_|keyproduction_|scim_[\w-]{20}/.test(html),
  )
  expect(secrets.map(([path]) => path)).toEqual([])
  // What a test of viewers looks for is there to be seen.
  if (isFullRun)
    expect([...ofOwner.values()].some(({ html }) => html.includes(personal.given_name))).toBe(true)
})

/** What a page of the owner cost: its waits for the database, and its bytes. */
async function costOf(path: string) {
  // Statements are prepared at their first use.
  await owner.visitor.request(path)
  const before = await roundTrips(service)
  const { status, html } = await owner.visitor.request(path)
  expect(status).toBe(200)
  return { trips: (await roundTrips(service)) - before, bytes: html.length, html }
}

/** The most waits for the database, whatever the number of rows. */
test.each<readonly [string, (organization: string) => string, number]>([
  ['a list', (organization) => `/${organization}/users`, 4],
  ['a record', (organization) => `/${organization}/users/${world['user_id']}`, 6],
  ['the form of a record', (organization) => `/${organization}/users/${world['user_id']}/_edit`, 6],
  ['the home page', () => '', 7],
  ['the page about a person', () => `/people?email=${world['user_email']}`, 15],
])('%s costs at most what it may', async (_, pathOf, mostTrips) => {
  const { trips, bytes } = await costOf(`${starts()[0]}${pathOf(`organizations/${world['org_domain']}`)}`)
  expect(trips).toBeLessThanOrEqual(mostTrips)
  expect(bytes).toBeLessThanOrEqual(45_000)
})

test('a deep page of a list costs what the first one does', async () => {
  const first = await costOf(`${starts()[0]}/organizations/${world['org_domain']}/users`)
  const [, older = ''] = /href="([^"]+)" rel="next"/.exec(first.html) ?? []
  const deep = await costOf(older.replaceAll('&amp;', '&'))
  expect(deep.html).toContain('>Newest<')
  expect(deep.trips).toBeLessThanOrEqual(first.trips)
})

test('a page that sends to sign in costs one wait for the database', async () => {
  const stranger = given.visitorOf()
  const before = await roundTrips(service)
  const seen = await stranger.request(starts()[0] ?? '')
  expect([seen.status, (await roundTrips(service)) - before]).toEqual([303, 1])
})

for (const role of roles) {
  longDescribe(`as ${role}`, () => {
    let visitor: Visitor
    let seen: ReadonlyMap<string, Page>

    beforeAll(async () => {
      visitor = colleagues.get(role) ?? given.visitorOf()
      seen = await crawl(visitor)
    }, 60_000)

    test('every page that is led to is there', () => {
      expect(wrongIn(seen)).toEqual([])
      expect(seen.size).toBeGreaterThan(20)
    })

    if (role === 'viewer')
      test('no page shows who a user is', () => {
        const told = [...Object.values(personal), world['user_email'] ?? '']
        const telling = [...seen].filter(([, { html }]) => told.some((text) => html.includes(text)))
        expect(telling.map(([path]) => path)).toEqual([])
      })

    test('a form of an owner that is not led to is refused, however it is sent', async () => {
      const forms = [...ofOwner].filter(
        ([path, { html }]) => html.includes('class="form-main"') && !seen.has(path),
      )
      expect(forms.length).toBeGreaterThan(3)
      const own = await visitor.request(starts()[0] ?? '')
      const csrf = /name="csrf" value="([^"]+)"/.exec(own.html)?.[1] ?? ''
      const before = await counts()
      const answers: string[] = []
      for (const [index, [path]] of forms.entries()) {
        if (index % 30 === 29) await service.clock.advance(60)
        const looked = await visitor.request(path)
        const sent = await visitor.request(path, {
          method: 'POST',
          headers: { origin: service.baseUrl },
          body: new URLSearchParams({ csrf, reason: 'A reason', retyped: world['org_domain'] ?? '' }),
        })
        if (looked.status !== 403 || sent.status !== 403)
          answers.push(`${looked.status} ${sent.status} ${path}`)
      }
      expect(answers).toEqual([])
      expect(await counts()).toEqual(before)
    })
  })
}

/** What a change would leave behind. */
async function counts() {
  return service.query(
    `select (select count(*) from events) as events,
      (select count(*) from audit_entries where outcome = 'done') as done`,
  )
}
