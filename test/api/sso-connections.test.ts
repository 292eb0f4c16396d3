import { etagOf } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { idpMetadata, ssoGivenOf } from '../given/sso-given.js'

const service = await startService()
const client = await service.client()
const given = ssoGivenOf(client)

const notFound = { status: 404, code: 'sso_connection_not_found' }

describe('a new connection', () => {
  test('is active and waits for its administrator, with an entity ID and an ACS URL of its own', async () => {
    const { id: organization_id, domain } = await service.given.organization({ name: 'Awesome Company' })

    const connection = await client.ssoConnections.create({ organization_id })

    const { idp_id } = connection
    expect(idp_id).toMatch(new RegExp(`^${domain.replaceAll('-', '_')}_[0-9A-Za-z]{22}$`))
    expect(connection).toMatchObject({
      __domain__: domain,
      __environment__: 'sandbox',
      id: idp_id,
      sp_id: `${service.baseUrl}/saml/${idp_id}/metadata`,
      acs_url: `${service.baseUrl}/saml/${idp_id}/acs`,
      protocol: 'saml',
      provider_type: 'unset',
      active: true,
      state: 'it_admin_invitation_pending',
      seats_limit: 0,
      user_policy: 'none',
      user_security_type: 'none',
      update_user_new_connection: false,
      email_domains: [],
      idp_initiated: 'bounce',
      allow_sha1: false,
      allow_cbc_unsigned_response: false,
      metadata: [],
      onboarding: null,
      default_redirection: null,
    })
    expect(await client.ssoConnections.get({ idp_id })).toEqual(connection)
  })

  test('has its default redirection and its onboarding as records, whatever is preloaded', async () => {
    const { id: organization_id, domain } = await service.given.organization()
    const application = await given.application(domain, 'https://shop.example/a', 'https://shop.example/b')
    const sso_admin_email = anyEmail()

    const connection = await client.ssoConnections.create({
      organization_id,
      application_id: application.id,
      sso_admin_email,
      provider_type: 'okta',
    })

    expect(connection).toMatchObject({
      provider_type: 'okta',
      default_redirection: { app_id: application.id, uri: 'https://shop.example/a' },
      onboarding: { sso_admin_email, provider_type: 'okta', state: 'provider_type_chosen', tutorial_step: 0 },
    })
    await service.runJobs()
    expect((await client.outbox.list({ to: sso_admin_email })).data).toEqual([])
  })

  test('of one organization may be one of several', async () => {
    const { organization_id, idp_id } = await given.connection()
    const other = await client.ssoConnections.create({ organization_id })

    const { data } = await client.ssoConnections.list({ organization_id })
    expect(data.map((connection) => connection.idp_id)).toEqual([other.idp_id, idp_id])
  })

  test('takes the earlier names of two providers', async () => {
    const created = await given.connection({ provider_type: 'azure_ad' as 'entra_id' })
    expect(created.provider_type).toBe('entra_id')
    const { idp_id } = created
    const changed = await client.ssoConnections.update({ idp_id, provider_type: 'google' as 'okta' })
    expect(changed.provider_type).toBe('google_workspace')
  })

  longTest(
    '404: for an organization of another account, a deleted one, and one that is closed to the key',
    async () => {
      const stranger = await service.client({ account: await service.createAccount() })
      const theirs = await stranger.organizations.create({ name: `Theirs ${anything()}` })
      const gone = await service.given.organization()
      await client.organizations.delete({ org_domain: gone.domain })
      const mine = await service.given.organization()
      const other = await service.given.organization()
      const limited = await service.client({ organizationIds: [other.id] })

      const refused = { status: 404, code: 'organization_not_found' }
      for (const organization_id of [theirs.id, gone.id])
        await expect(client.ssoConnections.create({ organization_id })).rejects.toMatchObject(refused)
      await expect(limited.ssoConnections.create({ organization_id: mine.id })).rejects.toMatchObject(refused)
      expect(await limited.ssoConnections.create({ organization_id: other.id })).toMatchObject({
        active: true,
      })
    },
  )

  test('404: with an application of another organization, and nothing is left of it', async () => {
    const { id: organization_id } = await service.given.organization()
    const foreign = await given.application((await service.given.organization()).domain)

    await expect(
      client.ssoConnections.create({ organization_id, application_id: foreign.id }),
    ).rejects.toMatchObject({ status: 404, code: 'application_not_found' })
    expect((await client.ssoConnections.list({ organization_id })).data).toEqual([])
  })

  test('422: an invitation without an address', async () => {
    const { id: organization_id } = await service.given.organization()
    await expect(client.ssoConnections.create({ organization_id, send_email: true })).rejects.toMatchObject({
      status: 422,
      code: 'sso_admin_email_missing',
    })
  })

  test('422: the built-in identity provider in production, by each way in which it could be chosen', async () => {
    const production = await service.client({ environment: 'production' })
    const { id: organization_id } = await service.given.organization()
    const refused = { status: 422, fields: [{ path: 'provider_type' }] }
    const test_type = { provider_type: 'test' } as const

    await expect(production.ssoConnections.create({ organization_id, ...test_type })).rejects.toMatchObject(
      refused,
    )
    const { idp_id } = await production.ssoConnections.create({ organization_id })
    const sso_admin_email = anyEmail()
    await expect(production.ssoConnections.update({ idp_id, ...test_type })).rejects.toMatchObject(refused)
    await expect(
      production.ssoConnections.createOnboarding({ idp_id, sso_admin_email, ...test_type }),
    ).rejects.toMatchObject(refused)
    await production.ssoConnections.createOnboarding({ idp_id, sso_admin_email })
    await expect(production.ssoConnections.updateOnboarding({ idp_id, ...test_type })).rejects.toMatchObject(
      refused,
    )
  })

  test.each([-1, 1_000_001, 0.5])('422: %s seats', async (seats_limit) => {
    const { idp_id } = await given.connection()
    await expect(client.ssoConnections.update({ idp_id, seats_limit })).rejects.toMatchObject({
      status: 422,
      fields: [{ path: 'seats_limit' }],
    })
  })

  test('the same creation under one Idempotency-Key makes one', async () => {
    const { id: organization_id } = await service.given.organization()
    const options = { idempotencyKey: anything() }
    const first = await client.ssoConnections.create({ organization_id }, options)
    expect(await client.ssoConnections.create({ organization_id }, options)).toEqual(first)
    expect((await client.ssoConnections.list({ organization_id })).total).toBe(1)
  })
})

describe('associations', () => {
  test('are ids, unless they are preloaded, in one connection and in the list; other names are ignored', async () => {
    const { id: organization_id, domain } = await service.given.organization()
    const { id: application_id } = await given.application(domain)
    const created = await client.ssoConnections.create({
      organization_id,
      application_id,
      sso_admin_email: anyEmail(),
    })
    const { idp_id, onboarding, default_redirection } = created
    if (typeof onboarding === 'string' || typeof default_redirection === 'string') expect.unreachable()
    const ids = { onboarding: onboarding?.id, default_redirection: default_redirection?.id }

    const listed = async (preload_associations?: readonly string[]) => {
      // Unknown names are ignored, so sending them is valid.
      const names = preload_associations as ['default_redirection'] | undefined
      const query = names === undefined ? {} : { preload_associations: names }
      const one = await client.ssoConnections.get({ idp_id, ...query })
      const { data } = await client.ssoConnections.list({ organization_id, ...query })
      const changed = await client.ssoConnections.update({ idp_id, ...query })
      expect(data).toEqual([one])
      expect(changed).toEqual({ ...one, updated_at: changed.updated_at })
      return one
    }

    expect(await listed()).toMatchObject(ids)
    expect(await listed(['default_redirection'])).toMatchObject({ ...ids, default_redirection })
    expect(await listed(['enterprise_connection_onboarding'])).toMatchObject({ ...ids, onboarding })
    expect(
      await listed(['default_redirection', 'enterprise_connection_onboarding', 'friends']),
    ).toMatchObject({ onboarding, default_redirection })
  })
})

describe('changing a connection', () => {
  test('changes what is sent, and keeps what is not', async () => {
    const { idp_id } = await given.connection({ seats_limit: 3, email_domains: ['Awesome.Example'] })

    const changed = await client.ssoConnections.update({
      idp_id,
      idp_initiated: 'accept',
      update_user_new_connection: true,
      allow_sha1: true,
      allow_cbc_unsigned_response: true,
    })

    expect(changed).toMatchObject({
      seats_limit: 3,
      email_domains: ['awesome.example'],
      idp_initiated: 'accept',
      update_user_new_connection: true,
      allow_sha1: true,
      allow_cbc_unsigned_response: true,
    })
    expect(await client.ssoConnections.update({ idp_id, email_domains: [], seats_limit: 0 })).toMatchObject({
      seats_limit: 0,
      email_domains: [],
      idp_initiated: 'accept',
    })
  })

  test('activate and disable, and PUT with active, switch it on and off', async () => {
    const { idp_id } = await given.connection()
    expect(await client.ssoConnections.disable({ idp_id })).toMatchObject({ idp_id, active: false })
    expect(await client.ssoConnections.activate({ idp_id })).toMatchObject({ active: true })
    expect(await client.ssoConnections.update({ idp_id, active: false })).toMatchObject({ active: false })
  })

  test.each(['none', 'user_registered', 'user_provisionned'] as const)(
    'the policy %s is set by its own route and by PUT, under both of its names',
    async (user_security_type) => {
      const { idp_id } = await given.connection()
      const policy = { user_security_type, user_policy: user_security_type }
      const other = user_security_type === 'none' ? 'user_registered' : 'none'

      expect(await client.ssoConnections.setUserPolicy({ idp_id, user_security_type })).toMatchObject(policy)
      await client.ssoConnections.update({ idp_id, user_security_type: other })
      expect(await client.ssoConnections.update({ idp_id, user_security_type })).toMatchObject(policy)
    },
  )

  test('412: with the version of before it changes nothing, by each route that checks one', async () => {
    const { idp_id } = await given.connection()
    await client.ssoConnections.update({ idp_id, metadata: idpMetadata() })
    const read = await client.ssoConnections.get({ idp_id })
    const ifMatch = etagOf(read) ?? ''
    await client.ssoConnections.update({ idp_id, seats_limit: 7 }, { ifMatch })

    const late = { status: 412, code: 'precondition_failed' }
    const { ssoConnections: sso } = client
    await expect(sso.update({ idp_id, seats_limit: 8 }, { ifMatch })).rejects.toMatchObject(late)
    await expect(sso.disable({ idp_id }, { ifMatch })).rejects.toMatchObject(late)
    await expect(sso.activate({ idp_id }, { ifMatch })).rejects.toMatchObject(late)
    await expect(sso.useMetadata({ idp_id, version: 1 }, { ifMatch })).rejects.toMatchObject(late)
    await expect(
      sso.setUserPolicy({ idp_id, user_security_type: 'user_registered' }, { ifMatch }),
    ).rejects.toMatchObject(late)
    expect(await sso.get({ idp_id })).toMatchObject({ active: true, seats_limit: 7, user_policy: 'none' })
  })

  test('are listed by state and by whether they are active; a value that none can have gives none', async () => {
    const { idp_id, organization_id } = await given.connection()
    const configured = await given.configured(organization_id)
    await client.ssoConnections.disable({ idp_id })
    const listed = async (query: object) => {
      const { data, total } = await client.ssoConnections.list({ organization_id, ...query })
      expect(total).toBe(data.length)
      return data.map((connection) => connection.idp_id)
    }

    expect(await listed({ active: true })).toEqual([configured.idp_id])
    expect(await listed({ active: false })).toEqual([idp_id])
    expect(await listed({ state: 'configured' })).toEqual([configured.idp_id])
    expect(await listed({ state: 'it_admin_invitation_pending' })).toEqual([idp_id])
    expect(await listed({ state: 'configured', active: false })).toEqual([])
    for (const impossible of [{ active: 'maybe' }, { active: '' }, { state: 'broken' }])
      expect(await listed(impossible)).toEqual([])
  })

  test('404: what is another account’s, another environment’s or of a deleted organization is not there', async () => {
    const { idp_id, organization_id, __domain__: org_domain } = await given.connection()
    const production = await service.client({ environment: 'production' })
    const stranger = await service.client({ account: await service.createAccount() })
    const elsewhere = await service.client({ organizationIds: [(await service.given.organization()).id] })

    for (const other of [production, stranger, elsewhere]) {
      await expect(other.ssoConnections.get({ idp_id })).rejects.toMatchObject(notFound)
      await expect(other.ssoConnections.disable({ idp_id })).rejects.toMatchObject(notFound)
      expect((await other.ssoConnections.list({ organization_id })).data).toEqual([])
      const seen = (await other.ssoConnections.list({ per_page: 100 })).data
      expect(seen.map((connection) => connection.idp_id)).not.toContain(idp_id)
    }
    const limited = await service.client({ organizationIds: [organization_id] })
    expect((await limited.ssoConnections.list()).data).toMatchObject([{ idp_id }])
    expect(await limited.ssoConnections.disable({ idp_id })).toMatchObject({ active: false })

    await client.organizations.delete({ org_domain })
    await expect(client.ssoConnections.get({ idp_id })).rejects.toMatchObject(notFound)
    expect((await client.ssoConnections.list({ organization_id })).data).toEqual([])
  })
})

describe('default redirections', () => {
  const scene = async () => {
    const { idp_id, organization_id, __domain__: org_domain } = await given.connection()
    const application = await given.application(org_domain, 'https://a.example/1', 'https://a.example/2')
    return { idp_id, organization_id, application_id: application.id }
  }

  test('404: there is none before one is created', async () => {
    const { idp_id } = await scene()
    await expect(client.ssoConnections.getDefaultRedirection({ idp_id })).rejects.toMatchObject({
      status: 404,
      code: 'default_redirection_not_found',
    })
  })

  test('the newest is the default, the earlier ones are kept, and each can be chosen again', async () => {
    const { idp_id, organization_id, application_id } = await scene()
    const of = { idp_id, organization_id, application_id }
    const { ssoConnections: sso } = client

    const first = await sso.createDefaultRedirection(of)
    expect(first).toMatchObject({ app_id: application_id, uri: 'https://a.example/1' })
    const second = await sso.createDefaultRedirection({ ...of, uri: 'https://a.example/2' })
    expect(await sso.getDefaultRedirection({ idp_id })).toEqual(second)
    expect(await sso.get({ idp_id })).toMatchObject({ default_redirection: second.id })

    const changed = await sso.update({
      idp_id,
      default_redirection_id: first.id,
      preload_associations: ['default_redirection'],
    })
    expect(changed.default_redirection).toEqual(first)
    expect(await sso.getDefaultRedirection({ idp_id })).toEqual(first)
  })

  test('404: another connection’s cannot be chosen, and the default stays', async () => {
    const theirs = await scene()
    const foreign = await client.ssoConnections.createDefaultRedirection(theirs)
    const { idp_id, ...of } = await scene()
    const mine = await client.ssoConnections.createDefaultRedirection({ idp_id, ...of })

    await expect(
      client.ssoConnections.update({ idp_id, default_redirection_id: foreign.id }),
    ).rejects.toMatchObject({ status: 404, code: 'default_redirection_not_found' })
    expect(await client.ssoConnections.getDefaultRedirection({ idp_id })).toEqual(mine)
  })

  test('422: a URI that the application does not allow', async () => {
    const of = await scene()
    await expect(
      client.ssoConnections.createDefaultRedirection({ ...of, uri: 'https://a.example/3' }),
    ).rejects.toMatchObject({ status: 422, fields: [{ path: 'uri', code: 'not_in_list' }] })
  })

  test('any application may be it, whatever it needs of the sign-ins that it begins', async () => {
    const { idp_id, organization_id, __domain__: org_domain } = await given.connection()
    const { id: application_id, client_id } = await given.application(org_domain)
    const redirection = { organization_id, application_id }
    const needs = [
      { code_exchange: 'pkce' },
      { application_type: 'node', client_authentication: 'secret' },
    ] as const

    for (const need of needs) {
      await client.applications.update({ org_domain, client_id, code_exchange: 'open', ...need })
      const created = await client.ssoConnections.createDefaultRedirection({ idp_id, ...redirection })
      expect(created).toMatchObject({ app_id: application_id })
      expect(await client.ssoConnections.create(redirection)).toMatchObject({
        default_redirection: { app_id: application_id },
      })
    }
  })

  test('404: an application of another organization, and an organization that is not the connection’s', async () => {
    const { idp_id, organization_id, application_id } = await scene()
    const other = await service.given.organization()
    const foreign = await given.application(other.domain)

    await expect(
      client.ssoConnections.createDefaultRedirection({ idp_id, organization_id, application_id: foreign.id }),
    ).rejects.toMatchObject({ status: 404, code: 'application_not_found' })
    await expect(
      client.ssoConnections.createDefaultRedirection({ idp_id, application_id, organization_id: other.id }),
    ).rejects.toMatchObject(notFound)
  })
})
