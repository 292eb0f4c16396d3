import { describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { onboardingGivenOf } from '../given/onboarding-given.js'
import { startReceiver } from '../given/receiver.js'
import { idpMetadata, ssoGivenOf } from '../given/sso-given.js'
import { tablesWith } from './stored-text.js'
import { webhooksOf } from './webhook-given.js'

const service = await startService()
const client = await service.client()

/** Jobs that send mail to administrators. */
const adminMailJobs = [
  'send_admin_invitation',
  'send_admin_code',
  'send_metadata_notice',
  'send_domain_notice',
  'send_join_request_notice',
]

async function linksTo(to: string): Promise<string[]> {
  await service.runJobs()
  const { data } = await client.outbox.list({ to })
  return data.map(({ text }) => /https?:\S+token=[\w-]+/.exec(text)?.[0] ?? '')
}

async function openLinks(organizationId: string): Promise<number> {
  const text = 'select from sso_admin_links where organization_id = $1 and ended_at is null'
  return (await service.query(text, [organizationId])).length
}

describe('an administrator', () => {
  test('is invited by mail, with a link to all connections of the organization', async () => {
    const organization = await service.given.organization()
    const { domain: org_domain } = organization
    const email = anyEmail()

    const admin = await client.admins.invite({ org_domain, email })

    expect(admin).toMatchObject({
      __type__: 'Admin',
      __domain__: org_domain,
      email,
      color: expect.stringMatching(/^#[0-9A-F]{6}$/),
      organization: await client.organizations.get({ org_domain }),
      invited_at: admin.inserted_at,
      accepted_invitation_at: null,
      declined_to_be_in_charge_at: null,
      last_login_at: null,
    })
    expect(await linksTo(email)).toEqual([
      expect.stringMatching(new RegExp(`^${service.baseUrl}/onboarding\\?token=[\\w-]{43}$`)),
    ])
    expect((await client.admins.list({ org_domain })).data).toEqual([admin])
  })

  test('is one record of an address and organization, whose earlier link ends with another invitation', async () => {
    const { id, domain: org_domain } = await service.given.organization()
    const email = anyEmail()
    const first = await client.admins.invite({ org_domain, email })
    const [link] = await linksTo(email)
    await service.clock.advance(60)

    const again = await client.admins.invite({ org_domain, email: email.toUpperCase() })

    expect(again).toMatchObject({ id: first.id, color: first.color, inserted_at: first.inserted_at })
    expect(again.invited_at > first.invited_at).toBe(true)
    expect((await client.admins.list({ org_domain })).total).toBe(1)
    expect((await linksTo(again.email))[0]).not.toBe(link)
    expect(await openLinks(id)).toBe(1)
  })

  test('is of both environments, and of one organization', async () => {
    const { domain: org_domain } = await service.given.organization()
    const { domain: other } = await service.given.organization()
    const admin = await client.admins.invite({ org_domain, email: anyEmail() })
    const production = await service.client({ environment: 'production' })

    expect((await production.admins.list({ org_domain })).data).toMatchObject([{ id: admin.id }])
    expect((await client.admins.list({ org_domain: other })).data).toEqual([])
  })

  test('keeps the link to a connection when another one to the organization is sent', async () => {
    const email = anyEmail()
    const { organization_id, __domain__: org_domain } = await ssoGivenOf(client).connection({
      sso_admin_email: email,
      send_email: true,
    })
    await client.admins.invite({ org_domain, email })
    expect(await openLinks(organization_id)).toBe(2)
    expect((await client.admins.list({ org_domain })).total).toBe(1)
  })

  test('is removed with links and sessions, by their address in any case', async () => {
    const { id, domain: org_domain } = await service.given.organization()
    const email = `Grace.${anything()}@People.Example`
    const admin = await client.admins.invite({ org_domain, email })
    expect(admin.email).toBe(email)

    expect(await client.admins.delete({ org_domain, email: email.toLowerCase() })).toEqual({
      deleted: true,
      resource: admin,
      type: '__Deleted__',
    })
    expect((await client.admins.list({ org_domain })).data).toEqual([])
    expect(await openLinks(id)).toBe(0)
    // The queued mail is not sent.
    expect(await linksTo(email)).toEqual([])
    await expect(client.admins.delete({ org_domain, email })).rejects.toMatchObject({
      status: 404,
      code: 'admin_not_found',
    })
  })

  test('is removed with everything that tells the address, but what is a user’s', async () => {
    const onboarding = onboardingGivenOf(service, client)
    const echo = await startReceiver((res, { body }) => res.writeHead(500).end(body))
    await webhooksOf(service, client).subscribed(echo, { event_codes: ['all'] })
    const scene = await onboarding.invited()
    const { org_domain, email, connection } = scene
    const idempotencyKey = anything()
    const { id } = await client.admins.invite({ org_domain, email }, { idempotencyKey })
    const { visitor } = await onboarding.arrived({ ...scene, link: await onboarding.linkTo(email) })
    await onboarding.upload(scene, visitor, { xml: idpMetadata() })
    await client.ssoConnections.inviteAdmin({ idp_id: connection.idp_id })
    await service.runJobs()
    // Simulates that each mail failed permanently with an error that contains the address.
    await service.query(
      `insert into jobs (name, account_id, payload, run_at, last_error, inserted_at)
       select name, account_id, jsonb_build_object('organizationId', organization_id), 'infinity', $2, inserted_at
       from sso_admins, unnest($3::text[]) as name where sso_admins.id = $1`,
      [id, `Error: 550 <${email.toUpperCase()}> is unknown`, adminMailJobs],
    )
    const tells = await tablesWith(service, email)
    for (const table of ['events', 'jobs', 'log_events', 'outbox_messages', 'sso_admins', 'sso_onboardings'])
      expect(tells).toContain(table)
    expect(tells).toContain('webhook_attempts')
    const { cursor } = await client.events.list({ after: 'latest' })

    await client.admins.delete({ org_domain, email })
    await service.runJobs()

    expect(await tablesWith(service, email)).toEqual([])
    // The stored answer is gone, so the request creates another invitation.
    const again = await client.admins.invite({ org_domain, email }, { idempotencyKey })
    expect(again.id).not.toBe(id)
    const { data } = await client.events.list({ after: cursor })
    expect(data.slice(0, 2)).toMatchObject([
      { code: 'sso.onboarding.update.success', data: { sso_admin_email: null } },
      {
        code: 'admin.admin.delete.success',
        data: { __type__: 'Admin', __domain__: org_domain, id, deleted: true },
        params: {},
      },
    ])
    await expect(client.ssoConnections.inviteAdmin({ idp_id: connection.idp_id })).rejects.toMatchObject({
      code: 'sso_admin_email_missing',
    })
    for await (const webhook of client.webhooks.list.all())
      await client.webhooks.delete({ webhook_id: webhook.id })
  })

  test('is removed, and what the same address was sent as that of a user stays, and what others are told', async () => {
    const { domain: org_domain } = await service.given.organization()
    const { domain: other } = await service.given.organization()
    const email = anyEmail()
    for (const domain of [org_domain, other]) await client.admins.invite({ org_domain: domain, email })
    await service.given.application({ org_domain, organization_domain_scope: org_domain })
    await service.given.user({ org_domain, email })
    await client.magicLink.createChallenge({ org_domain, user_email: email })
    await service.runJobs()
    const { id: stays } = await client.admins
      .list({ org_domain: other })
      .then(({ data: [admin] }) => admin ?? { id: '' })
    const { total: mails } = await client.outbox.list({ to: email })

    await client.admins.delete({ org_domain, email })

    expect((await client.outbox.list({ to: email })).total).toBe(mails)
    const events = await service.query<{ code: string }>(
      'select code from events where email_normalized = $1 order by issued_at, id',
      [email.toLowerCase()],
    )
    expect(events.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['admin.admin.invite.success', 'user.user.create.success']),
    )
    expect((await client.admins.list({ org_domain: other })).data).toMatchObject([{ id: stays, email }])
  })

  test('404: of an organization of another account, one that is closed to the key, and a deleted one', async () => {
    const { domain: org_domain } = await service.given.organization()
    const email = anyEmail()
    await client.admins.invite({ org_domain, email })
    const stranger = await service.client({ account: await service.createAccount() })
    const other = await service.given.organization()
    const limited = await service.client({ organizationIds: [other.id] })
    const missing = { status: 404, code: 'organization_not_found' }

    for (const as of [stranger, limited]) {
      await expect(as.admins.invite({ org_domain, email })).rejects.toMatchObject(missing)
      await expect(as.admins.list({ org_domain })).rejects.toMatchObject(missing)
      await expect(as.admins.delete({ org_domain, email })).rejects.toMatchObject(missing)
    }
    await client.organizations.delete({ org_domain })
    await expect(client.admins.list({ org_domain })).rejects.toMatchObject(missing)
    await expect(client.admins.delete({ org_domain, email })).rejects.toMatchObject(missing)
  })

  test('an invitation to a deleted organization is not mailed any more', async () => {
    const { domain: org_domain } = await service.given.organization()
    const email = anyEmail()
    await client.admins.invite({ org_domain, email })
    await client.organizations.delete({ org_domain })
    expect(await linksTo(email)).toEqual([])
  })

  test('is invited in production by a real mail', async () => {
    const real = await startService({ variables: { SMTP_URL: 'smtp://localhost' } })
    const production = await real.client({ environment: 'production' })
    const { domain: org_domain, name } = await production.organizations.create({ name: 'Awesome' })
    const email = anyEmail()
    await production.admins.invite({ org_domain, email })
    await real.runJobs()
    const mails = await real.sentTo(email)
    expect(mails).toMatchObject([{ to: email, subject: `Set up single sign-on for ${name}` }])
    expect(mails[0]?.text).not.toContain('Test message')
  })
})
