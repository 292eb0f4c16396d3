import { etagOf } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { anyEmail, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { passwordGivenOf } from './password-given.js'

// With a mail server, which the recording mailer replaces, production mail is sent.
const service = await startService({ variables: { SMTP_URL: 'smtp://localhost' } })
const client = await service.client()

/** An account of its own, with a client of either environment. */
async function givenAccount() {
  const account = await service.createAccount()
  const sandbox = await service.client({ account })
  return { account, sandbox, production: await service.client({ account, environment: 'production' }) }
}

const whole = {
  product_name: 'Acme Suite',
  color: '#0f766e',
  icon_logo_url: 'https://acme.example/icon.png',
  inline_logo_url: 'https://acme.example/logo.svg',
  support_url: 'https://acme.example/help',
  privacy_policy_url: 'https://acme.example/privacy',
  terms_of_service_url: 'https://acme.example/terms',
  locale: 'fr-FR',
} as const

describe('the record of an account', () => {
  test('is there from the start, with nothing chosen', async () => {
    const { account, sandbox } = await givenAccount()

    const record = await sandbox.account.get()

    const nothing = Object.fromEntries(Object.keys(whole).map((name) => [name, null]))
    const { id, domain } = account
    expect(record).toEqual({
      __type__: 'Account',
      __domain__: domain,
      id,
      domain,
      ...nothing,
      inserted_at: record.inserted_at,
      updated_at: record.inserted_at,
    })
  })

  test('is one for both environments, and no other account’s', async () => {
    const { sandbox, production } = await givenAccount()
    const other = await givenAccount()

    const changed = await sandbox.account.update({ ...whole, locale: 'fr_fr' })

    expect(changed).toMatchObject(whole)
    expect(await production.account.get()).toEqual(changed)
    expect(await other.sandbox.account.get()).toMatchObject({ product_name: null, color: null })
  })

  test('keeps what is not sent, and loses what is null', async () => {
    const { sandbox } = await givenAccount()
    await sandbox.account.update(whole)

    const changed = await sandbox.account.update({ color: null, support_url: 'https://acme.example/contact' })

    expect(changed).toMatchObject({ ...whole, color: null, support_url: 'https://acme.example/contact' })
    expect(await sandbox.account.update({ product_name: null })).toMatchObject({ product_name: null })
  })

  test('changes only from the version that the caller has seen', async () => {
    const { sandbox } = await givenAccount()
    const seen = await sandbox.account.get()
    const changed = await sandbox.account.update({ product_name: 'One' }, { ifMatch: etagOf(seen) })

    await expect(
      sandbox.account.update({ product_name: 'Two' }, { ifMatch: etagOf(seen) }),
    ).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
    expect(await sandbox.account.get()).toEqual(changed)
    expect(etagOf(changed)).not.toBe(etagOf(seen))
  })

  test.each([
    [{ product_name: '' }, 'product_name'],
    [{ product_name: ' \u200b\t' }, 'product_name'],
    [{ product_name: 'x'.repeat(101) }, 'product_name'],
    [{ color: '#123456' }, 'color'],
    [{ icon_logo_url: 'http://acme.example/icon.png' }, 'icon_logo_url'],
    [{ support_url: 'javascript:alert(1)' }, 'support_url'],
    [{ locale: 'no language' }, 'locale'],
    [{ domain: 'other' }, 'domain'],
    [{ plan: 'unlimited' }, 'plan'],
  ])('422: %j', async (members, path) => {
    const answer = await fetch(`${service.baseUrl}/api/v2/account`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' },
      body: JSON.stringify(members),
    })

    expect([answer.status, await answer.json()]).toMatchObject([422, { error: { fields: [{ path }] } }])
  })

  test('emits an event of the account, and of no organization', async () => {
    const { account, production } = await givenAccount()
    const changed = await production.account.update({ product_name: 'Acme Suite' })

    const { data } = await production.events.list()

    expect(data).toMatchObject([
      {
        __domain__: account.domain,
        __environment__: 'production',
        data: changed,
        actor: { type: 'api_key' },
      },
    ])
  })

  test('403: is no business of a key that is limited to organizations, or lacks the scope', async () => {
    const { account, sandbox } = await givenAccount()
    const { id } = await givenOf(sandbox).organization()
    const limited = await service.client({ account, organizationIds: [id] })
    const reader = await service.client({ account, scopes: ['read:account', 'write:organizations'] })

    const closed = { status: 403, code: 'key_limited_to_organizations' }
    await expect(limited.account.get()).rejects.toMatchObject(closed)
    await expect(limited.account.update({ product_name: 'Mine' })).rejects.toMatchObject(closed)
    await expect(reader.account.update({ product_name: 'Mine' })).rejects.toMatchObject({
      status: 403,
      code: 'insufficient_scope',
    })
    expect(await reader.account.get()).toMatchObject({ product_name: null })
  })
})

describe('the name of the product', () => {
  test('is that of the sender of mails, and stands in them', async () => {
    const { production } = await givenAccount()
    const given = givenOf(production)
    const { domain: org_domain, name } = await given.organization()
    await given.application({ org_domain, organization_domain_scope: org_domain })
    const mailed = async () => {
      const { email } = await given.user({ org_domain })
      await production.magicLink.createChallenge({ org_domain, user_email: email, send_email: true })
      await service.runJobs()
      return (await service.sentTo(email))[0]
    }
    const before = await mailed()
    await production.account.update({ product_name: 'Acme Suite' })
    const after = await mailed()

    expect(before).toMatchObject({ fromName: null, text: expect.stringContaining('Portico') })
    expect(after).toMatchObject({ fromName: 'Acme Suite', text: expect.stringContaining('Acme Suite') })
    expect(after?.text).not.toContain('Portico')
    expect(after?.subject).toContain(name)
  })

  test('is what an invitation of an administrator names, where it leads to no application', async () => {
    const { sandbox } = await givenAccount()
    await sandbox.account.update({ product_name: 'Acme Suite' })
    const { id: organization_id } = await givenOf(sandbox).organization()
    const admin = anyEmail()
    await sandbox.ssoConnections.create({ organization_id, sso_admin_email: admin, send_email: true })
    await service.runJobs()

    const { data } = await sandbox.outbox.list({ to: admin })
    expect(data[0]?.text).toContain('to Acme Suite, so that its users sign in')
    expect(data[0]?.text).not.toContain('Portico')
  })

  test('is at the foot of pages, beside the name of the organization', async () => {
    const { sandbox } = await givenAccount()
    await sandbox.account.update({ product_name: 'Acme <b>Suite</b>' })
    const { domain, name } = await givenOf(sandbox).organization()

    const page = await (await fetch(`${service.baseUrl}/t/${domain}/magic-link?token=none`)).text()

    expect(page).toContain('Sign-in by Acme &lt;b>Suite&lt;/b>')
    expect(page).toContain(`<bdi>${name}</bdi>`)
    await sandbox.account.update({ product_name: null })
    const again = await (await fetch(`${service.baseUrl}/t/${domain}/magic-link?token=none`)).text()
    expect(again).toContain('Sign-in by Portico')
  })

  test('is no password', async () => {
    await client.account.update({ product_name: 'Halcyon Ledger Works' })
    const passwords = passwordGivenOf(service, client)
    const scene = await passwords.scene()

    const refused = passwords.set(scene, 'halcyonledgerworks')

    await expect(refused).rejects.toMatchObject({ fields: [{ path: 'plain_text', code: 'too_personal' }] })
  })
})
