import { etagOf } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { idpMetadata, ssoGivenOf } from '../given/sso-given.js'

const service = await startService()
const client = await service.client()
const given = ssoGivenOf(client)

/** The text of each mail sent to an address, oldest first. */
async function mailsTo(to: string): Promise<string[]> {
  await service.runJobs()
  const { data } = await client.outbox.list({ to })
  return data.map(({ text }) => text).toReversed()
}

function linkIn(mail: string | undefined): string {
  return /https?:\S+token=[\w-]+/.exec(mail ?? '')?.[0] ?? ''
}

/** The number of valid links of an organization in the database. */
async function openLinks(organizationId: string): Promise<number> {
  const text = 'select from sso_admin_links where organization_id = $1 and ended_at is null'
  return (await service.query(text, [organizationId])).length
}

describe('an onboarding', () => {
  test('begins without a provider, or in the tutorial of one, which is the connection’s from then on', async () => {
    const { idp_id } = await given.connection()
    const sso_admin_email = anyEmail()
    expect(await client.ssoConnections.createOnboarding({ idp_id, sso_admin_email })).toMatchObject({
      __type__: 'EnterpriseConnectionOnboarding',
      sso_admin_email,
      provider_type: null,
      state: 'not_initialized',
      tutorial_step: 0,
    })

    const other = await given.connection()
    const preset = { idp_id: other.idp_id, sso_admin_email, provider_type: 'keycloak' } as const
    expect(await client.ssoConnections.createOnboarding(preset)).toMatchObject({
      provider_type: 'keycloak',
      state: 'provider_type_chosen',
    })
    expect(await client.ssoConnections.get({ idp_id: other.idp_id })).toMatchObject({
      provider_type: 'keycloak',
    })
  })

  test('is told with the connection, of which whoever mirrors it has what is answered', async () => {
    const { idp_id, organization_id, __domain__: org_domain } = await given.connection()
    const { id: application_id } = await given.application(org_domain, 'https://a.example/1')
    const { ssoConnections: sso } = client
    const changes = [
      () => sso.createOnboarding({ idp_id, sso_admin_email: anyEmail() }),
      () => sso.updateOnboarding({ idp_id, sso_admin_email: anyEmail() }),
      () => sso.updateOnboarding({ idp_id, provider_type: 'custom_oidc' }),
      () => sso.resetOnboarding({ idp_id }),
      () => sso.createDefaultRedirection({ idp_id, organization_id, application_id }),
    ]
    for (const change of changes) {
      const { cursor } = await client.events.list({ after: 'latest' })
      await change()
      const { data } = await client.events.list({ after: cursor })
      const mirrored = data.find(({ code }) => code === 'sso.connection.update.success')?.data
      expect(mirrored).toMatchObject(
        await sso.get({
          idp_id,
          preload_associations: ['enterprise_connection_onboarding', 'default_redirection'],
        }),
      )
    }
  })

  test('409: a second one, also when both are asked for at once, and where the connection was created with one', async () => {
    const { idp_id } = await given.connection()
    const sso_admin_email = anyEmail()
    const answers = await Promise.allSettled(
      [1, 2].map(() => client.ssoConnections.createOnboarding({ idp_id, sso_admin_email })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])

    const { idp_id: invited } = await given.connection({ sso_admin_email })
    await expect(
      client.ssoConnections.createOnboarding({ idp_id: invited, sso_admin_email }),
    ).rejects.toMatchObject({ status: 409, code: 'onboarding_taken' })
  })

  test('404: a connection without one has none to change or to begin anew', async () => {
    const { idp_id } = await given.connection()
    const missing = { status: 404, code: 'onboarding_not_found' }
    await expect(client.ssoConnections.updateOnboarding({ idp_id })).rejects.toMatchObject(missing)
    await expect(client.ssoConnections.resetOnboarding({ idp_id })).rejects.toMatchObject(missing)
  })

  test('another provider begins its tutorial anew; the same one, or another address, does not', async () => {
    const { idp_id } = await given.connection({ sso_admin_email: anyEmail(), provider_type: 'okta' })
    await client.ssoConnections.update({ idp_id, metadata: idpMetadata() })
    const sso_admin_email = anyEmail()

    expect(
      await client.ssoConnections.updateOnboarding({ idp_id, sso_admin_email, provider_type: 'okta' }),
    ).toMatchObject({ sso_admin_email, provider_type: 'okta', state: 'xml_provided' })
    expect(await client.ssoConnections.updateOnboarding({ idp_id, provider_type: 'entra_id' })).toMatchObject(
      { sso_admin_email, provider_type: 'entra_id', state: 'provider_type_chosen' },
    )
    expect(await client.ssoConnections.get({ idp_id })).toMatchObject({
      provider_type: 'entra_id',
      state: 'configured',
    })
  })

  test('the provider that a connection is changed to is its onboarding’s, too', async () => {
    const { idp_id } = await given.connection({ sso_admin_email: anyEmail(), provider_type: 'okta' })
    const changed = await client.ssoConnections.update({
      idp_id,
      provider_type: 'adfs',
      preload_associations: ['enterprise_connection_onboarding'],
    })
    expect(changed.onboarding).toMatchObject({ provider_type: 'adfs', state: 'provider_type_chosen' })
  })

  test('that begins anew has no provider and keeps its address; the metadata and the state of the connection stay', async () => {
    const sso_admin_email = anyEmail()
    const { idp_id } = await given.connection({ sso_admin_email, provider_type: 'okta' })
    await client.ssoConnections.update({ idp_id, metadata: idpMetadata() })

    expect(await client.ssoConnections.resetOnboarding({ idp_id })).toMatchObject({
      sso_admin_email,
      provider_type: null,
      state: 'not_initialized',
      tutorial_step: 0,
    })
    expect(await client.ssoConnections.get({ idp_id })).toMatchObject({
      provider_type: 'unset',
      state: 'configured',
      metadata: [{ version: 1, current: true }],
    })
  })

  test('412: with the version of before it is neither changed nor begun anew', async () => {
    const { idp_id } = await given.connection()
    const begun = await client.ssoConnections.createOnboarding({ idp_id, sso_admin_email: anyEmail() })
    const ifMatch = etagOf(begun) ?? ''
    const changed = await client.ssoConnections.updateOnboarding(
      { idp_id, provider_type: 'okta' },
      { ifMatch },
    )

    const late = { status: 412, code: 'precondition_failed' }
    await expect(
      client.ssoConnections.updateOnboarding({ idp_id, provider_type: 'adfs' }, { ifMatch }),
    ).rejects.toMatchObject(late)
    await expect(client.ssoConnections.resetOnboarding({ idp_id }, { ifMatch })).rejects.toMatchObject(late)
    await client.ssoConnections.resetOnboarding({ idp_id }, { ifMatch: etagOf(changed) ?? '' })
  })

  test('ends the sessions of its administrators when it begins anew, and its links stay', async () => {
    const { idp_id, organization_id } = await given.connection({
      sso_admin_email: anyEmail(),
      send_email: true,
    })
    const other = await given.connection({ organization_id, sso_admin_email: anyEmail(), send_email: true })
    await service.query(
      `insert into sso_admin_sessions
         (account_id, organization_id, id, link_id, secret_hash, code_expires_at, expires_at, inserted_at)
       select account_id, organization_id, gen_random_uuid(), id, sha256(id::text::bytea), $2, $2, $2
       from sso_admin_links where organization_id = $1`,
      [organization_id, new Date(service.clock.now().getTime() + 60_000)],
    )

    await client.ssoConnections.resetOnboarding({ idp_id })

    const open = await service.query(
      `select connection.idp_id from sso_admin_sessions session
       join sso_admin_links link on link.id = session.link_id
       join sso_connections connection on connection.id = link.connection_id
       where session.organization_id = $1 and session.ended_at is null`,
      [organization_id],
    )
    expect(open).toEqual([{ idp_id: other.idp_id }])
    expect(await openLinks(organization_id)).toBe(2)
  })
})

describe('inviting the administrator of an onboarding', () => {
  test('mails a link to the connection, which is in nothing but the mail', async () => {
    const sso_admin_email = anyEmail()
    const { idp_id, __domain__: org_domain } = await given.connection({ sso_admin_email })
    expect(await mailsTo(sso_admin_email)).toEqual([])

    const invited = await client.ssoConnections.inviteAdmin({ idp_id })

    expect(invited).toMatchObject({ __type__: 'EnterpriseConnectionOnboarding', sso_admin_email })
    const [mail] = await mailsTo(sso_admin_email)
    expect(mail).toContain('Test message')
    expect(mail).toContain('30 days')
    expect(linkIn(mail)).toMatch(new RegExp(`^${service.baseUrl}/onboarding/${idp_id}\\?token=[\\w-]{43}$`))
    expect((await client.admins.list({ org_domain })).data).toMatchObject([{ email: sso_admin_email }])
    const logged = await client.logEvents.list({ org_domain })
    expect(logged.data).toMatchObject([
      { event_code: 'ADMIN_ONBOARDING_INVITED', saml_identity_provider_id: idp_id },
    ])
  })

  test('is done with the creation where that asks for it', async () => {
    const sso_admin_email = anyEmail()
    const { idp_id } = await given.connection({ sso_admin_email, send_email: true })
    expect(linkIn((await mailsTo(sso_admin_email))[0])).toContain(`/onboarding/${idp_id}?token=`)
  })

  test('is in the language of the organization', async () => {
    const { id: organization_id, name } = await service.given.organization({ locale: 'fr-FR' })
    const sso_admin_email = anyEmail()
    await given.connection({ organization_id, sso_admin_email, send_email: true })
    await service.runJobs()
    const { data } = await client.outbox.list({ to: sso_admin_email })
    expect(data[0]?.subject).toBe(`Configurer l’authentification unique pour ${name}`)
    expect(data[0]?.text).toContain('Ce lien fonctionne pendant 30 jours')
  })

  test('again makes another link, and the earlier one is worth nothing, to whomever it was sent', async () => {
    const first = anyEmail()
    const second = anyEmail()
    const { idp_id, organization_id } = await given.connection({ sso_admin_email: first, send_email: true })
    await client.ssoConnections.inviteAdmin({ idp_id })
    const links = (await mailsTo(first)).map(linkIn)
    expect(links).toHaveLength(1)
    await client.ssoConnections.inviteAdmin({ idp_id })
    expect(new Set([...links, ...(await mailsTo(first)).map(linkIn)]).size).toBe(2)
    expect(await openLinks(organization_id)).toBe(1)

    await client.ssoConnections.updateOnboarding({ idp_id, sso_admin_email: second })
    expect(await openLinks(organization_id)).toBe(0)
    await client.ssoConnections.inviteAdmin({ idp_id })
    expect(await mailsTo(second)).toHaveLength(1)
    expect(await openLinks(organization_id)).toBe(1)
  })

  test('leaves the links of other connections alone', async () => {
    const sso_admin_email = anyEmail()
    const { idp_id, organization_id } = await given.connection({ sso_admin_email, send_email: true })
    await given.connection({ organization_id, sso_admin_email, send_email: true })
    await client.ssoConnections.inviteAdmin({ idp_id })
    expect(await openLinks(organization_id)).toBe(2)
  })

  test('422: without an onboarding there is nobody to invite', async () => {
    const { idp_id } = await given.connection()
    await expect(client.ssoConnections.inviteAdmin({ idp_id })).rejects.toMatchObject({
      status: 422,
      code: 'sso_admin_email_missing',
    })
  })

  test('429: an address is sent so many mails and no more, however they are asked for', async () => {
    const few = await startService({ variables: { MAILS_PER_ADDRESS: '2', SANDBOX_MAIL: 'send' } })
    const as = await few.client()
    const sso_admin_email = anyEmail()
    const {
      idp_id,
      organization_id,
      __domain__: org_domain,
    } = await ssoGivenOf(as).connection({
      sso_admin_email,
      send_email: true,
    })
    await as.ssoConnections.inviteAdmin({ idp_id })
    const refused = { status: 429, code: 'rate_limited' }

    await expect(as.ssoConnections.inviteAdmin({ idp_id })).rejects.toMatchObject(refused)
    await expect(as.admins.invite({ org_domain, email: sso_admin_email })).rejects.toMatchObject(refused)
    await expect(
      as.ssoConnections.create({ organization_id, sso_admin_email, send_email: true }),
    ).rejects.toMatchObject(refused)
    expect((await as.ssoConnections.list({ organization_id })).total).toBe(1)
  })
})
