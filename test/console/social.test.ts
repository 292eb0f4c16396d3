import { expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { scimGivenOf } from '../given/scim-given.js'
import { socialGivenOf } from '../given/social-given.js'

const service = await startService()
const client = await service.client()
const given = consoleGivenOf(service)
const social = socialGivenOf(service, client)
const { visitor, home } = await given.owner(service.account)

test('the identities of a user are on the console, which unlinks one, and the last way to sign in only if that is forced', async () => {
  const of = await social.scene()
  const email = anyEmail()
  await social.signIn(of, { subject: email, email })
  const { org_domain } = of
  const { id: user_id } = await client.users.getByEmail({ org_domain, user_email: email })
  const user = `${home}/organizations/${org_domain}/users/${user_id}`
  expect((await visitor.request(user)).html).toContain(`href="${user}/identities"`)
  await client.password.updateConnection({ org_domain, active: false })
  await client.magicLink.updateConnection({ org_domain, active: false })

  const { html } = await visitor.request(`${user}/identities`)
  expect(html).toContain('social.test')
  const [, path = ''] = /href="([^"]+identities\.unlink)"/.exec(html) ?? []
  const form = await visitor.request(path)
  const refused = await given.submit(visitor, form, { reason: 'Asked by its user' })
  expect(refused.status).toBe(409)
  const done = await given.submit(visitor, form, { reason: 'Asked by its user', force: 'true' })

  expect([done.status, done.location]).toEqual([303, `${user}/identities?done`])
  expect(await client.users.get({ org_domain, user_id })).toMatchObject({ identities: [] })
})

test('the identity by which a directory keeps a user is on the console, and is not unlinked there', async () => {
  const { org_domain, scim } = await scimGivenOf(client).directory({ provider_type: 'okta' })
  const email = anyEmail()
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User']
  expect((await scim('POST', '/Users', { body: { schemas, userName: email } })).status).toBe(201)
  const { id } = await client.users.getByEmail({ org_domain, user_email: email })

  const { html } = await visitor.request(`${home}/organizations/${org_domain}/users/${id}/identities`)

  expect(html).toContain('scim.okta')
  expect(html).not.toContain('identities.unlink')
})

test('a social provider is checked on the console, which shows what was found', async () => {
  const { id } = await client.socialProviders.create({ name: 'google' })
  const provider = `${home}/social-providers/${id}`
  const path = `${provider}/_do/socialProviders.check`
  expect((await visitor.request(provider)).html).toContain(`href="${path}"`)

  const { status, html } = await given.submit(visitor, await visitor.request(path), {})

  expect(status).toBe(200)
  expect(html).toContain('<bdi title="failed">Failed</bdi>')
  expect(html).toContain(`href="${provider}"`)
})
