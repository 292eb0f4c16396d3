import { etagOf, openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { callback, linkGivenOf, openPage } from './magic-link-given.js'

const service = await startService()
const client = await service.client()
const given = linkGivenOf(service, client)

describe('the connection', () => {
  test('200: an organization begins with an active one that refuses unknown addresses', async () => {
    const { org_domain } = await given.scene()

    expect(await client.magicLink.getConnection({ org_domain })).toMatchObject({
      __domain__: org_domain,
      __environment__: 'sandbox',
      active: true,
      find_or_create_user: false,
    })
  })

  test('200: a change is read back, changes nothing else, and the other environment keeps its own', async () => {
    const { org_domain } = await given.scene()
    const production = await service.client({ environment: 'production' })

    const changed = await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })

    expect(changed).toMatchObject({ active: true, find_or_create_user: true })
    expect(await client.magicLink.getConnection({ org_domain })).toEqual(changed)
    expect(await production.magicLink.getConnection({ org_domain })).toMatchObject({
      find_or_create_user: false,
    })
  })

  test('412: a change that was based on an older version does not happen', async () => {
    const { org_domain } = await given.scene()
    const read = await client.magicLink.getConnection({ org_domain })
    await client.magicLink.updateConnection({ org_domain, active: false })

    const late = client.magicLink.updateConnection(
      { org_domain, find_or_create_user: true },
      { ifMatch: etagOf(read) ?? '' },
    )

    await expect(late).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
    expect(await client.magicLink.getConnection({ org_domain })).toMatchObject({
      active: false,
      find_or_create_user: false,
    })
  })
})

describe('asking for a link', () => {
  test('201: with send_email false the link is in the answer, and in no event', async () => {
    const scene = await given.scene()

    const answer = await given.challenge(scene)

    expect(answer).toMatchObject({
      __domain__: scene.org_domain,
      email_address: scene.user.email,
      code: null,
      find_or_create_user: false,
    })
    const token = new URL(answer.magic_link ?? '').searchParams.get('token') ?? ''
    expect(answer.magic_link).toBe(`${service.baseUrl}/t/${scene.org_domain}/magic-link?token=${token}`)
    const events = await service.query<{ code: string; event: string }>(
      'select code, events::text as event from events where domain = $1',
      [scene.org_domain],
    )
    expect(events.map(({ code }) => code)).toContain('magic_link.challenge.create.success')
    expect(events.filter(({ event }) => event.includes(token))).toEqual([])
  })

  test('201: otherwise it is mailed, and the answer has none', async () => {
    const scene = await given.scene()

    const answer = await given.challenge(scene, { send_email: true })
    expect(answer.magic_link).toBeNull()
    const [job] = await service.query<{ payload: object }>(
      `select payload from jobs where name = 'send_magic_link' and payload->>'challengeId' = $1`,
      [answer.request_id],
    )
    expect(Object.keys(job?.payload ?? {}).sort()).toEqual([
      'accountId',
      'challengeId',
      'environment',
      'organizationId',
    ])
    await service.runJobs()

    const { data } = await client.outbox.list({ to: scene.user.email })
    const [link = ''] = /http\S+token=[\w-]{43}/.exec(data[0]?.text ?? '') ?? []
    expect((await openMagicLink(link)).redirectedTo.href).toContain(callback)
  })

  test('201: where it expires before its mail can be sent, no mail is sent, and the log says so', async () => {
    const scene = await given.scene()
    const { request_id } = await given.challenge(scene, { send_email: true })

    await service.clock.advance(16 * 60)
    await service.runJobs()

    expect((await client.outbox.list({ to: scene.user.email })).data).toEqual([])
    const about = service.logLines.filter((line) => line.includes(request_id))
    expect(about).toEqual([expect.stringContaining('a link expired before its mail was sent')])
    expect(about.join()).not.toContain(scene.user.email)
  })

  test('201: without org_domain it is the one organization that allows the domain of the address', async () => {
    const emailDomain = `${anything()}.example`
    const { domain } = await service.given.organization({ allowed_email_domains: [emailDomain] })
    await service.given.application({ org_domain: domain, organization_domain_scope: domain })
    const user = await service.given.user({ org_domain: domain, email: `ada@${emailDomain}` })

    const answer = await client.magicLink.createChallenge({ user_email: user.email, send_email: false })

    expect(answer.__domain__).toBe(domain)
  })

  test('404: without org_domain, two organizations that allow it are as good as none', async () => {
    const emailDomain = `${anything()}.example`
    await service.given.organization({ allowed_email_domains: [emailDomain] })
    await service.given.organization({ allowed_email_domains: [emailDomain] })

    const attempt = client.magicLink.createChallenge({ user_email: `ada@${emailDomain}` })

    await expect(attempt).rejects.toMatchObject({ status: 404, code: 'organization_not_found' })
  })

  test('404: without org_domain, an organization of another account that allows it is as good as none', async () => {
    const emailDomain = `${anything()}.example`
    const account = await service.createAccount()
    const theirs = givenOf(await service.client({ account }))
    await theirs.organization({ allowed_email_domains: [emailDomain] })
    const refusalOf = (domain: string) =>
      client.magicLink.createChallenge({ user_email: `ada@${domain}` }).then(
        () => 'made',
        (error: Error) => error.message,
      )

    const refusal = await refusalOf(emailDomain)

    expect(refusal).toContain('404 organization_not_found')
    expect(refusal).toBe(await refusalOf(`${anything()}.example`))
  })

  test('201: a redirect that no application allows gives way to the default one', async () => {
    const scene = await given.scene()
    const link = await given.link(scene, { redirect_uri: 'https://evil.example/callback' })

    const { redirectedTo } = await openMagicLink(link)

    expect(redirectedTo.origin + redirectedTo.pathname).toBe(callback)
  })

  test('404: an unknown address, unless the connection creates users', async () => {
    const scene = await given.scene()

    await expect(given.challenge(scene, { user_email: anyEmail() })).rejects.toMatchObject({
      status: 404,
      code: 'user_not_found',
    })
    await client.magicLink.updateConnection({ org_domain: scene.org_domain, find_or_create_user: true })
    expect(await given.challenge(scene, { user_email: anyEmail() })).toMatchObject({
      find_or_create_user: true,
    })
  })

  test('409: an inactive user, and an inactive connection', async () => {
    const scene = await given.scene()
    await client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, active: false })
    await expect(given.challenge(scene)).rejects.toMatchObject({ status: 409, code: 'user_inactive' })

    await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
    await expect(given.challenge(scene)).rejects.toMatchObject({ status: 409, code: 'connection_inactive' })
  })

  test('403: an address outside the domains of the organization, although its user exists', async () => {
    const scene = await given.scene({ allowed_email_domains: ['corp.example'] })

    await expect(given.challenge(scene)).rejects.toMatchObject({
      status: 403,
      code: 'email_domain_not_allowed',
    })
  })

  test('422: without an application nobody could receive the code', async () => {
    const { domain: org_domain } = await service.given.organization()
    const user = await service.given.user({ org_domain })

    const attempt = client.magicLink.createChallenge({ org_domain, user_email: user.email })

    await expect(attempt).rejects.toMatchObject({ status: 422, code: 'no_application' })
  })

  test('422: an application that demands PKCE gets no code without it', async () => {
    const scene = await given.scene()
    await client.applications.update({
      org_domain: scene.org_domain,
      client_id: scene.application.client_id,
      code_exchange: 'pkce',
    })

    await expect(given.challenge(scene)).rejects.toMatchObject({
      status: 422,
      fields: [{ path: 'code_challenge' }],
    })
  })

  test('three links of an address can be open at once: a fourth voids the first, also when all are asked for at once', async () => {
    const scene = await given.scene()
    const first = await given.link(scene)
    const later = [await given.link(scene), await given.link(scene), await given.link(scene)]

    await expect(openMagicLink(first)).rejects.toThrow(/cannot be used/)
    for (const link of later) expect((await openPage(link)).page.status).toBe(200)

    const crowd = await Promise.all(Array.from({ length: 12 }, () => given.link(scene)))
    const statuses = await Promise.all(crowd.map(async (link) => (await openPage(link)).page.status))
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
  })
})
