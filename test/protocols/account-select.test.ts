import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { isIn } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { accountSignInGivenOf, listedOn } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows } = given

const sentHeading = 'Check your e-mail'

describe('prompt=select_account', () => {
  const select = { prompt: 'select_account' }

  /** A browser with sessions of two users in two organizations. */
  async function signedInTwice() {
    const application = await given.application()
    const first = await given.scene(application)
    const second = await given.scene(application)
    const { visitor } = await given.signIn(first)
    await service.clock.advance(60)
    await given.signIn(second, {}, visitor)
    return { application, first, second, visitor }
  }

  function pick(page: Seen, organization: string, visitor: Visitor) {
    return visitor.press(page, 'continue_as', { organization, round: '0' })
  }

  longTest(
    'lists the sessions of this browser, the last used first, and goes on with one without a question',
    async () => {
      const { application, first, second, visitor } = await signedInTwice()

      const page = await given.begin(application, visitor, select)

      expect(listedOn(page)).toEqual([second.org_domain, first.org_domain])
      for (const { user } of [first, second]) expect(page.html.replace(/<wbr>/g, '')).toContain(user.email)
      expect(page.html).toContain('Use another address')
      expect(isIn(await pick(page, first.org_domain, visitor))).toBe(true)
    },
  )

  longTest('goes on with another address', async () => {
    const { application, visitor } = await signedInTwice()
    const page = await given.begin(application, visitor, select)

    const sent = await visitor.press(page, 'identify', { email: anyEmail() })

    expect(sent.html).toContain(sentHeading)
  })

  test('asks for the sign-in that the request demands besides', async () => {
    const { application, first, visitor } = await signedInTwice()

    const page = await given.begin(application, visitor, { prompt: 'select_account login' })
    const asked = await pick(page, first.org_domain, visitor)

    expect(isIn(asked)).toBe(false)
    expect(asked.html).toContain('Sign in')
  })

  longTest('lists no session of another browser, account or environment, and goes on with none', async () => {
    const { application, first, visitor } = await signedInTwice()
    const stranger = flows.visitorOf()
    const page = await given.begin(application, stranger, select)
    expect(listedOn(page)).toEqual([])
    expect((await pick(page, first.org_domain, stranger)).url).toContain(given.path)

    const listed = await given.begin(application, visitor, select)
    await client.sessions.endAll({ org_domain: first.org_domain, user_id: first.user.id })
    const left = await pick(listed, first.org_domain, visitor)
    expect(left.url).toContain(given.path)
    expect(listedOn(left)).not.toContain(first.org_domain)
  })

  test('goes on with none from a page of before another one was chosen, whose sign-in goes on', async () => {
    const { application, first, second, visitor } = await signedInTwice()
    const page = await given.begin(application, visitor, { prompt: 'select_account login' })
    const asked = await pick(page, first.org_domain, visitor)

    const late = await pick(page, second.org_domain, visitor)

    expect(late.url).toContain(given.path)
    expect((await visitor.visit(asked.url)).status).toBe(200)
  })

  test('lists nothing where the application did not ask for it', async () => {
    const { application, first, visitor } = await signedInTwice()
    const page = await given.begin(application, visitor, { prompt: 'login' })

    expect(listedOn(page)).toEqual([])
    expect(isIn(await pick(page, first.org_domain, visitor))).toBe(false)
  })
})
