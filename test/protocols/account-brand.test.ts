import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { accountSignInGivenOf } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows, links, path } = given

const brand = {
  product_name: 'Acme <b>Suite</b>',
  color: '#0f766e',
  icon_logo_url: 'https://cdn.acme.example/icon.png',
  support_url: 'https://acme.example/help',
  privacy_policy_url: 'https://acme.example/privacy',
  terms_of_service_url: 'https://acme.example/terms',
  locale: 'fr',
} as const

test('the pages of an account, and their mail, have the look of its product', async () => {
  const application = await given.application()
  const { user } = await given.member()
  const plain = await given.begin(application, flows.visitorOf())
  expect(plain.html).toContain(`href="${path}/brand.css"`)
  await client.account.update(brand)
  const visitor = flows.visitorOf()

  const asked = await given.begin(application, visitor)
  await visitor.press(asked, 'identify', { email: user.email })
  const link = await links.newestLinkTo(user.email)
  const opened = await visitor.visit(link)
  const elsewhere = await given.open(link, flows.visitorOf())
  const sentAgain = await visitor.visit(`${path}/logout`)

  for (const { html, headers } of [asked, opened, elsewhere, sentAgain]) {
    expect(html).toContain('<html lang="fr">')
    expect(html).toContain('Acme &lt;b>Suite&lt;/b>')
    expect(html).toContain(brand.icon_logo_url)
    for (const url of [brand.support_url, brand.privacy_policy_url, brand.terms_of_service_url])
      expect(html).toContain(`href="${url}"`)
    expect(headers.get('content-security-policy')).toContain("img-src 'self' data: https://cdn.acme.example;")
  }
  const style = await fetch(`${service.baseUrl}${path}/brand.css`)
  expect(await style.text()).toContain('--brand: #0f766e')
  const [mail] = (await client.outbox.list({ to: user.email })).data
  expect(mail?.html).toContain('#0f766e')
  await client.account.update(Object.fromEntries(Object.keys(brand).map((name) => [name, null])))
})
