import { expect, test } from 'vitest'
import { goodPassword } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { socialGivenOf } from '../given/social-given.js'
import { leadOf } from '../given/saml-given.js'
import { createVisitor, type Seen } from '../given/visitor.js'
import { enrollingGivenOf } from './enrolling-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const social = socialGivenOf(service, client)
const enrolling = enrollingGivenOf(client, given.flows)

/** The disclosures of a page that hold a button: what opens them and what is in them, as text. */
function disclosuresOf(
  { html }: Seen,
  action: string,
): { readonly summary: string; readonly rest: string }[] {
  return [...html.matchAll(/<details><summary>(.*?)<\/summary>(.*?)<\/details>/gs)]
    .map(([, summary = '', rest = '']) => ({ summary, rest }))
    .filter(({ rest }) => rest.includes(`name="action" value="${action}"`))
    .map(({ summary, rest }) => ({ summary: textOf(summary), rest: textOf(rest) }))
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

test('the removal of a passkey takes a second press, whose button says which one and whose text what ends', async () => {
  const { visitor, page } = await given.withPasskey()
  await service.clock.advance(1)
  const second = await visitor.press(page, 'add', {
    credential: given.authenticator().create(given.asked(page)),
  })

  expect(disclosuresOf(second, 'remove')).toEqual(
    ['Passkey 2', 'Passkey'].map((name) => ({
      summary: `Remove (${name})`,
      rest: `It will no longer be accepted here, and you will be signed out everywhere else. Remove this passkey (${name})`,
    })),
  )
  expect(second.html.match(/value="remove"/g)).toHaveLength(2)
})

test('the removal of an account elsewhere takes a second press, whose button says which one and whose text what ends', async () => {
  const of = await social.scene()
  const { org_domain } = of
  const user = await service.given.user({ org_domain }, client)
  await social.flows.passwords.set({ ...of, user })
  const visitor = createVisitor(service.baseUrl)
  const first = await visitor.visit(`/t/${org_domain}/account/linked?environment=sandbox`)
  const asked = await visitor.press(first, 'identify', { email: user.email })
  const section = await visitor.press(asked, 'password', { password: goodPassword })
  const leading = await visitor.press(section, 'link', { provider: 'test' })
  const back = await social.answered(visitor, leadOf(leading), { email: 'ada@elsewhere.example' })

  const [only, ...others] = disclosuresOf(await visitor.visit(back), 'unlink')

  expect(others).toEqual([])
  expect(only?.summary).toMatch(/^Unlink \(.+, ada@elsewhere\.example\)$/)
  expect(only?.rest).toMatch(
    /^It will no longer sign you in here, .+ everywhere else\. Unlink this account \(.+, ada@elsewhere\.example\)$/,
  )
})

test('two-step verification takes a second press to be turned off, whose text says what ends', async () => {
  const scene = await enrolling.sceneToEnroll()
  const visitor = given.flows.visitorOf()
  const address = `/t/${scene.org_domain}/account/second-factor?environment=sandbox`
  const off = await given.signInAt(visitor, await visitor.visit(address), scene)
  expect(disclosuresOf(off, 'remove')).toEqual([])
  await given.flows.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })
  await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })

  expect(disclosuresOf(await visitor.visit(address), 'remove')).toEqual([
    {
      summary: 'Turn off',
      rest: expect.stringMatching(
        /^You will be asked for no code from your phone, .+ Turn off two-step verification$/,
      ),
    },
  ])
})
