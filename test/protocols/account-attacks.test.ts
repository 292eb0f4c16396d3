import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { sentStatements } from '../tenant-statements.js'
import { accountSignInGivenOf, addressesOf, listedOn, sameForAll } from './account-sign-in-given.js'

// In the sandbox ten mails, as it keeps them.
const service = await startService({ variables: { MAILS_PER_ADDRESS: '1' } })
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows, links } = given
const select = { prompt: 'select_organization' }

describe('an address that is typed', () => {
  test('gets the same answers by the same statements as any other, and a mail only where there is something to offer', async () => {
    const application = await given.application()
    const addresses = addressesOf(client, given)
    const seen: unknown[] = []
    for (const [kind, addressOf] of Object.entries(addresses)) {
      const email = await addressOf()
      const visitor = flows.visitorOf()
      const asked = await given.begin(application, visitor)
      const before = sentStatements()

      const answer = await visitor.send(asked, 'identify', { email })
      const statements = sentStatements() - before
      const page = await visitor.visit(answer.location ?? '')

      seen.push([statements, sameForAll(answer, email), sameForAll(page, email)])
      const isOffered = kind === 'known' || kind === 'ssoOnly'
      expect([kind, (await links.linksTo(email)).length]).toEqual([kind, isOffered ? 1 : 0])
      const refused = await service.query<{ count: string }>(
        `select count(*) from log_events where event_code = 'ACCOUNT_SIGN_IN_NOT_OFFERED' and email = $1`,
        [email],
      )
      expect(refused).toEqual([{ count: isOffered ? '0' : '1' }])
    }
    expect(seen).toHaveLength(4)
    for (const each of seen) expect(each).toEqual(seen[0])
  })

  test('429: gets the same page once its mails are used up, with the time, whoever has it', async () => {
    const application = await given.application()
    const { user } = await given.member()
    const seen: string[] = []
    for (const email of [user.email, anyEmail()]) {
      const visitor = flows.visitorOf()
      const sent = await visitor.press(await given.begin(application, visitor), 'identify', { email })
      for (let mail = 1; mail < 10; mail += 1) expect((await visitor.send(sent, 'resend')).status).toBe(200)

      const refused = await visitor.send(sent, 'resend')
      const anew = await given.begin(application, flows.visitorOf())

      expect([refused.status, refused.headers.get('retry-after')]).toEqual([
        429,
        expect.stringMatching(/^\d+$/),
      ])
      expect(anew.status).toBe(200)
      seen.push(sameForAll(refused, email))
    }
    expect(seen[0]?.replace(/retry-after: \d+/, '')).toBe(seen[1]?.replace(/retry-after: \d+/, ''))
  })
})

test.each<[string, boolean]>([
  ['another account', false],
  ['the other environment', true],
])(
  'the proof of a mailbox is none at %s, under whatever name its cookie is sent',
  async (_, isOwnAccount) => {
    const { user } = await given.member()
    const application = await given.application()
    const visitor = flows.visitorOf()
    await given.prove(application, user.email, visitor)
    expect(listedOn(await given.begin(application, visitor, select))).toHaveLength(1)
    const account = isOwnAccount ? service.account : await service.createAccount()
    const environment = isOwnAccount ? 'production' : 'sandbox'
    const theirs = await service.client({ account, environment })
    const { domain: org_domain } = await theirs.organizations.create({ name: 'Elsewhere' })
    const foreign = await service.given.application({ org_domain }, theirs)
    await service.given.user({ org_domain, email: user.email }, theirs)
    const stranger = flows.visitorOf()
    const digest = createHash('sha256').update(`${account.id}${environment}`).digest('hex')
    for (const [name, secret] of visitor.cookies)
      if (name.includes('portico-email-'))
        stranger.cookies.set(name.replace(/.{12}$/, digest.slice(0, 12)), secret)
    expect(stranger.cookies.size).toBe(1)

    const page = await accountSignInGivenOf({ ...service, account }, theirs).begin(foreign, stranger, select)

    expect(page.html).toContain('Sign in to Storefront')
    expect(listedOn(page)).toEqual([])
  },
)

test('a flow and its list are of one browser: another one gets nothing, whatever it sends', async () => {
  const { user, org_domain } = await given.member()
  const visitor = flows.visitorOf()
  const list = await given.prove(await given.application(), user.email, visitor)
  expect(listedOn(list)).toEqual([org_domain])
  const thief = flows.visitorOf()
  await given.begin(await given.application(), thief)

  const seen = [
    await thief.request(list.url),
    await thief.send(list, 'enter', { organization: org_domain, round: '0' }),
    await flows.visitorOf().request(list.url),
    await visitor.request(list.url.replace(given.path, `/a/${(await service.createAccount()).domain}`)),
  ]

  expect(seen.map(({ status }) => status)).toEqual([404, 403, 403, 404])
  for (const { html } of seen) expect(html).not.toContain(org_domain)
})

test('an organization whose directory has the address is new to its owner, and is not entered unasked', async () => {
  const email = anyEmail()
  const { org_domain } = await given.member(email, { name: 'Attic' })
  const list = await given.prove(await given.application(), email)

  expect(listedOn(list)).toEqual([org_domain])
  expect(list.html).toContain('Not used yet')
})
