import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { idpMetadata } from '../given/sso-given.js'
import { accountSignInGivenOf, listedOn } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows } = given

const sentHeading = 'Check your e-mail'

/** An organization whose active connection has a domain. */
async function ownerOf(emailDomain: string) {
  const organization = await service.given.organization()
  const { idp_id } = await client.ssoConnections.create({
    organization_id: organization.id,
    email_domains: [emailDomain],
  })
  await client.ssoConnections.update({ idp_id, metadata: idpMetadata(), active: true })
  return { org_domain: organization.domain, idp_id }
}

function anyDomain(): string {
  return `corp-${anything()}.example`
}

/** The page after an address was typed. */
async function pageFor(email: string) {
  const application = await given.application()
  const visitor = flows.visitorOf()
  return visitor.press(await given.begin(application, visitor), 'identify', { email })
}

describe('an address of a domain that one SSO connection owns', () => {
  test('goes straight to its identity provider, whether it is typed or hinted, and whoever has it', async () => {
    const domain = anyDomain()
    const { org_domain } = await ownerOf(domain)
    await service.given.user({ org_domain, email: `ada@${domain}` })
    const application = await given.application()
    for (const email of [`ada@${domain}`, `nobody@${domain}`]) {
      const typed = await pageFor(email)
      const hinted = await given.begin(application, flows.visitorOf(), { login_hint: email })
      for (const { url, html } of [typed, hinted]) {
        expect(url).toContain(`/t/${org_domain}/sign-in/`)
        expect(html).toContain('/identity-provider')
      }
    }
  })

  test('is asked for the mailbox where the user wants another organization', async () => {
    const domain = anyDomain()
    await ownerOf(domain)
    const visitor = flows.visitorOf()
    const asked = await given.begin(await given.application(), visitor)
    const page = await visitor.press(asked, 'identify', { email: `ada@${domain}` })

    const back = await visitor.visit(/href="(\/a\/[^"]+)"/.exec(page.html)?.[1] ?? '')
    const sent = await visitor.press(back, 'identify', { email: `ada@${domain}` })

    expect(sent.html).toContain(sentHeading)
  })

  longTest(
    'is listed where the connection admits unknown users, and enters by the identity provider alone',
    async () => {
      const domain = anyDomain()
      const { org_domain, idp_id } = await ownerOf(domain)
      const email = `ada@${domain}`
      const application = await given.application()
      const member = await given.member(email)
      const visitor = flows.visitorOf()
      const select = { prompt: 'select_organization' }

      const list = await given.prove(application, email, visitor, select)

      expect(listedOn(list).toSorted()).toEqual([org_domain, member.org_domain].toSorted())
      expect((await given.enter(list, org_domain, visitor)).html).toContain('/identity-provider')
      await client.ssoConnections.update({ idp_id, user_security_type: 'user_registered' })
      expect(listedOn(await given.begin(application, visitor, select))).toEqual([member.org_domain])
    },
  )
})

test.each<[string, (domain: string) => Promise<unknown>, string?]>([
  ['of two organizations', async (domain) => [await ownerOf(domain), await ownerOf(domain)]],
  [
    'of a connection that is not active',
    async (domain) => {
      const { idp_id } = await ownerOf(domain)
      await client.ssoConnections.update({ idp_id, active: false })
    },
  ],
  [
    'of an organization that was deleted',
    async (domain) => {
      const { org_domain } = await ownerOf(domain)
      await client.organizations.delete({ org_domain })
    },
  ],
  [
    'that an organization allows',
    async (domain) => {
      await service.given.organization({ allowed_email_domains: [domain] })
    },
  ],
  ['of a public mail provider', () => ownerOf('gmail.com'), 'gmail.com'],
])('a domain %s is not routed: the mailbox is asked for', async (_, arrange, domain = anyDomain()) => {
  await arrange(domain)

  const page = await pageFor(`ada@${domain}`)

  expect(page.html).toContain(sentHeading)
})
