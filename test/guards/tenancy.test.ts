import type { Client } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { anything, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'

const service = await startService()

const noOrganization = { status: 404, code: 'organization_not_found' }

describe('a key limited to some organizations', () => {
  async function givenLimitedKey() {
    const open = await service.given.organization()
    const closed = await service.given.organization()
    const limited = await service.client({ organizationIds: [open.id] })
    return { open, closed, limited }
  }

  test('reaches what its own organization has', async () => {
    const { open, limited } = await givenLimitedKey()
    await service.given.user({ org_domain: open.domain })

    expect(await limited.users.list({ org_domain: open.domain })).toMatchObject({ total: 1 })
  })

  test('reaches nothing of another: 404 as for one that does not exist', async () => {
    const { closed, limited } = await givenLimitedKey()

    await expect(limited.users.list({ org_domain: closed.domain })).rejects.toMatchObject(noOrganization)
  })

  test('finds and lists its own organization alone', async () => {
    const { open, closed, limited } = await givenLimitedKey()

    const listed = await limited.organizations.list()

    expect(listed.data.map(({ domain }) => domain)).toEqual([open.domain])
    const attempt = limited.organizations.get({ org_domain: closed.domain })
    await expect(attempt).rejects.toMatchObject(noOrganization)
  })

  test('finds the organization of an address among its own alone', async () => {
    const allowed_email_domains = [`${anything()}.example`]
    const open = await service.given.organization({ allowed_email_domains })
    await service.given.organization({ allowed_email_domains })

    const limited = await service.client({ organizationIds: [open.id] })

    expect(await linkTo(limited, open.domain, allowed_email_domains)).toMatchObject({
      __domain__: open.domain,
    })
  })
})

/** Requests a link with only an address, whose domain an organization allows. */
async function linkTo(client: Client, org_domain: string, [emailDomain]: string[]): Promise<unknown> {
  const user_email = `ada@${emailDomain}`
  await service.given.user({ org_domain, email: user_email })
  await service.given.application({ org_domain, organization_domain_scope: org_domain })
  const challenge = client.magicLink.createChallenge({ user_email, send_email: false })
  return challenge.catch((refusal: unknown) => refusal)
}

describe('a list', () => {
  test('of organizations has none of another account', async () => {
    const stranger = await service.client({ account: await service.createAccount() })
    const own = await givenOf(stranger).organization()
    await service.given.organization()

    const listed = await stranger.organizations.list()

    expect(listed.data.map(({ domain }) => domain)).toEqual([own.domain])
  })

  test('of users counts those of its own environment alone', async () => {
    const { domain } = await service.given.organization()
    const production = await service.client({ environment: 'production' })
    await service.given.user({ org_domain: domain })
    await service.given.user({ org_domain: domain }, production)

    expect(await production.users.list({ org_domain: domain })).toMatchObject({ total: 1 })
  })

  test('of users counts those of its own organization alone', async () => {
    const { domain } = await service.given.organization()
    const other = await service.given.organization()
    const client = await service.client()
    await service.given.user({ org_domain: other.domain })

    expect(await client.users.list({ org_domain: domain })).toMatchObject({ total: 0 })
  })

  test('of applications has none of another account', async () => {
    const client = await service.client({ account: await service.createAccount() })
    const { domain } = await givenOf(client).organization()
    const other = await service.given.organization()
    await service.given.application({ org_domain: other.domain })

    expect(await client.applications.list({ org_domain: domain })).toMatchObject({ data: [] })
  })

  test('of applications has none of another environment', async () => {
    const account = await service.createAccount()
    const sandbox = givenOf(await service.client({ account }))
    const production = await service.client({ account, environment: 'production' })
    const { domain } = await sandbox.organization()
    const application = await sandbox.application({ org_domain: domain })
    const own = await givenOf(production).application({ org_domain: domain })

    const listed = await production.applications.list({ org_domain: domain, per_page: 100 })

    expect(listed.data.map(({ id }) => id)).toContain(own.id)
    expect(listed.data.map(({ id }) => id)).not.toContain(application.id)
  })

  test('of applications has none that another organization keeps to itself', async () => {
    const [mine, theirs] = [await service.given.organization(), await service.given.organization()]
    const application = await service.given.application({
      org_domain: theirs.domain,
      organization_domain_scope: theirs.domain,
    })
    const client = await service.client()

    const listed = await client.applications.list({ org_domain: mine.domain, per_page: 100 })

    expect(listed.data.map(({ id }) => id)).not.toContain(application.id)
  })

  test('of metadata keys counts those of its own organization alone', async () => {
    const [mine, theirs] = [await service.given.organization(), await service.given.organization()]
    await service.given.metaKey({ org_domain: theirs.domain })
    const client = await service.client()

    expect(await client.tokenCustomization.listMetaKeys({ org_domain: mine.domain })).toMatchObject({
      total: 0,
    })
  })

  test('of kept mails has none of another account', async () => {
    const { domain } = await service.given.organization()
    const user = await service.given.user({ org_domain: domain })
    await service.given.application({ org_domain: domain })
    const client = await service.client()
    await client.magicLink.createChallenge({ org_domain: domain, user_email: user.email })
    await service.runJobs()
    const stranger = await service.client({ account: await service.createAccount() })

    expect((await client.outbox.list({ to: user.email })).total).toBe(1)
    expect(await stranger.outbox.list({ to: user.email })).toMatchObject({ total: 0, data: [] })
  })
})

describe('what is deleted', () => {
  test('an organization is in no list', async () => {
    const client = await service.client({ account: await service.createAccount() })
    const { domain } = await givenOf(client).organization()
    await client.organizations.delete({ org_domain: domain })

    expect(await client.organizations.list()).toMatchObject({ data: [] })
  })

  test('nothing under an organization is reached', async () => {
    const client = await service.client()
    const { domain } = await service.given.organization()
    await service.given.user({ org_domain: domain })
    await client.organizations.delete({ org_domain: domain })

    await expect(client.users.list({ org_domain: domain })).rejects.toMatchObject(noOrganization)
  })

  test('an organization is not changed', async () => {
    const client = await service.client()
    const { domain } = await service.given.organization()
    await client.organizations.delete({ org_domain: domain })

    const attempt = client.organizations.update({ org_domain: domain, name: 'Again' })

    await expect(attempt).rejects.toMatchObject(noOrganization)
  })

  test('an organization is not deleted again', async () => {
    const client = await service.client()
    const { domain } = await service.given.organization()
    await client.organizations.delete({ org_domain: domain })

    await expect(client.organizations.delete({ org_domain: domain })).rejects.toMatchObject(noOrganization)
  })

  test('an organization is not that of an address', async () => {
    const client = await service.client()
    const allowed_email_domains = [`${anything()}.example`]
    const former = await service.given.organization({ allowed_email_domains })
    await client.organizations.delete({ org_domain: former.domain })
    const { domain } = await service.given.organization({ allowed_email_domains })

    expect(await linkTo(client, domain, allowed_email_domains)).toMatchObject({ __domain__: domain })
  })

  test('a user is in no list, is not found by e-mail and not changed', async () => {
    const client = await service.client()
    const { domain } = await service.given.organization()
    const user = await service.given.user({ org_domain: domain })
    await client.users.delete({ org_domain: domain, user_id: user.id })

    const byEmail = client.users.getByEmail({ org_domain: domain, user_email: user.email })
    await expect(byEmail).rejects.toMatchObject({ code: 'user_not_found' })
    const changed = client.users.update({ org_domain: domain, user_id: user.id, active: false })
    await expect(changed).rejects.toMatchObject({ code: 'user_not_found' })
    expect(await client.users.list({ org_domain: domain })).toMatchObject({ data: [] })
  })

  test('a user is not deleted again', async () => {
    const client = await service.client()
    const { domain } = await service.given.organization()
    const user = await service.given.user({ org_domain: domain })
    await client.users.delete({ org_domain: domain, user_id: user.id })

    const attempt = client.users.delete({ org_domain: domain, user_id: user.id })

    await expect(attempt).rejects.toMatchObject({ code: 'user_not_found' })
  })

  test('an application is in no list and not changed', async () => {
    const client = await service.client({ account: await service.createAccount() })
    const { domain } = await givenOf(client).organization()
    const application = await service.given.application({ org_domain: domain }, client)
    await client.applications.delete({ org_domain: domain, client_id: application.id })

    expect(await client.applications.list({ org_domain: domain })).toMatchObject({ data: [] })
    const attempt = client.applications.update({
      org_domain: domain,
      client_id: application.id,
      name: 'Again',
    })
    await expect(attempt).rejects.toMatchObject({ code: 'application_not_found' })
  })
})

describe('a domain', () => {
  test('is none of the service’s own paths', async () => {
    const { domain } = await service.given.organization({ name: 'Console' })

    expect(domain).toMatch(/^console-\d+$/)
  })

  test('is not that of an account', async () => {
    const { domain } = await service.given.organization({ name: service.account.domain })

    expect(domain).toBe(`${service.account.domain}-2`)
  })
})

test('a mail of the sandbox goes to nobody', async () => {
  const { domain } = await service.given.organization()
  const { email } = await service.given.user({ org_domain: domain })
  await service.given.application({ org_domain: domain })
  const client = await service.client()
  await client.magicLink.createChallenge({ org_domain: domain, user_email: email })

  await service.runJobs()

  expect(await service.sentTo(email)).toEqual([])
})

test('an event tells of a link without the link', async () => {
  const { domain } = await service.given.organization()
  const { email } = await service.given.user({ org_domain: domain })
  await service.given.application({ org_domain: domain })
  const client = await service.client()

  await client.magicLink.createChallenge({ org_domain: domain, user_email: email, send_email: false })

  const events = await service.query<{ text: string }>(
    `select data::text as text from events where domain = $1 and code like 'magic_link.%'`,
    [domain],
  )
  expect(events).toEqual([{ text: expect.not.stringContaining('token=') }])
})
