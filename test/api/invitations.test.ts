import { etagOf, type Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { invitationGivenOf } from '../given/invitation-given.js'
import { roleGivenOf } from '../given/role-given.js'

const service = await startService()
let client: Client
let given: ReturnType<typeof invitationGivenOf>
let roles: ReturnType<typeof roleGivenOf>
beforeAll(async () => {
  client = await service.client()
  given = invitationGivenOf(service, client)
  roles = roleGivenOf(client)
})

const daySeconds = 24 * 60 * 60

async function codeOf(refused: Promise<unknown>): Promise<unknown> {
  const error = await refused.then(
    () => undefined,
    (reason: unknown) => reason as { code?: string; fields?: { path: string; code: string }[] },
  )
  if (error?.code !== 'invalid_parameters') return error?.code ?? 'none'
  return error.fields?.map(({ path, code }) => `${path} ${code}`).join()
}

describe('an invitation', () => {
  test('is mailed in the name of the organization, and its record has no URL', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const role = await roles.role()
    const email = `Ada.${anything()}@People.example`
    const invitation = await given.invite(scene, {
      ...{ email, roles: [role.name], message: 'See https://evil.example/now <b>Ada</b>', locale: 'fr' },
      profile: { given_name: 'Ada' },
    })

    expect(invitation).toMatchObject({
      ...{ email, state: 'pending', roles: [role.name], invitation_url: null, sends: 1, user_id: null },
      profile: { given_name: 'Ada', family_name: null },
      invited_by: { type: 'api_key' },
    })
    expect(Date.parse(invitation.expires_at) - Date.parse(invitation.inserted_at)).toBe(7 * daySeconds * 1000)
    await service.runJobs()
    const [mail] = (await client.outbox.list({ to: email })).data
    expect(mail?.subject).toMatch(/^Organization \S+ vous a invité$/)
    expect(mail?.html).toContain('&lt;b>Ada&lt;/b>')
    expect(mail?.html).not.toContain('href="https://evil.example')
    expect(mail?.text).not.toContain('https://evil.example')
    const url = await given.mailedUrl(email)
    const [stored] = await service.query<{ row: string }>(
      'select row_to_json(invitations)::text as row from invitations where id = $1',
      [invitation.id],
    )
    expect(stored?.row).not.toContain(url.slice(-43))
    expect(await client.invitations.get({ org_domain, invitation_id: invitation.id })).toEqual(invitation)
  })

  test('is listed by its state, which follows the clock, and by its address', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const short = await given.invite(scene, { expires_in_days: 1 })
    const long = await given.invite(scene)
    const revoked = await given.invite(scene)
    await client.invitations.revoke({ org_domain, invitation_id: revoked.id })
    await service.clock.advance(daySeconds)

    const idsOf = async (query: object) =>
      (await client.invitations.list({ org_domain, ...query })).data.map(({ id }) => id)
    expect(await idsOf({})).toEqual([revoked.id, long.id, short.id])
    expect(await idsOf({ state: 'pending' })).toEqual([long.id])
    expect(await idsOf({ state: 'expired' })).toEqual([short.id])
    expect(await idsOf({ state: 'revoked' })).toEqual([revoked.id])
    expect(await idsOf({ state: 'accepted' })).toEqual([])
    expect(await idsOf({ email: long.email.toUpperCase() })).toEqual([long.id])
    await service.runJobs()
    expect(await given.eventsOf(scene)).toEqual([
      ...['create.success', 'create.success', 'create.success', 'revoke.success', 'expire.success'],
    ])
  })

  test('has one pending per address; the next one comes after the time of the one before', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const email = anyEmail()
    const { id: invitation_id } = await given.invite(scene, { email, expires_in_days: 1 })
    expect(await codeOf(given.invite(scene, { email: email.toUpperCase() }))).toBe('invitation_taken')

    await service.clock.advance(daySeconds - 60)
    expect(await codeOf(given.invite(scene, { email }))).toBe('invitation_taken')
    await service.clock.advance(60)
    expect(await codeOf(client.invitations.revoke({ org_domain, invitation_id }))).toBe(
      'invitation_not_pending',
    )
    const next = await given.invite(scene, { email })

    expect(next.state).toBe('pending')
    expect(await given.eventsOf(scene)).toEqual(['create.success', 'expire.success', 'create.success'])
  })

  test('changes while it is pending, as its version demands', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const role = await roles.role()
    const first = await given.invite(scene, { message: 'Welcome' })
    const at = { org_domain, invitation_id: first.id }

    const changed = await client.invitations.update(
      { ...at, roles: [role.name], expires_in_days: 30, message: null },
      { ifMatch: etagOf(first) ?? '' },
    )
    expect(changed).toMatchObject({ roles: [role.name], message: null })
    expect(Date.parse(changed.expires_at) - Date.parse(changed.updated_at)).toBe(30 * daySeconds * 1000)
    const late = client.invitations.update({ ...at, message: 'x' }, { ifMatch: etagOf(first) ?? '' })
    expect(await codeOf(late)).toBe('precondition_failed')
    await client.roles.delete({ role_id: role.id })
    expect((await client.invitations.get(at)).roles).toEqual([])
    await client.invitations.revoke(at)
    expect(await codeOf(client.invitations.update({ ...at, message: 'x' }))).toBe('invitation_not_pending')
    expect(await codeOf(client.invitations.revoke(at))).toBe('invitation_not_pending')
    expect(await codeOf(client.invitations.resend(at))).toBe('invitation_not_pending')
  })

  test('mails an address no more often where it is revoked and made anew', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const email = anyEmail()
    const inviteAnew = async () => {
      const { id: invitation_id } = await given.invite(scene, { email })
      await client.invitations.revoke({ org_domain, invitation_id })
      await service.clock.advance(60 * 60)
    }
    for (let count = 0; count < 6; count += 1) await inviteAnew()

    expect(await codeOf(given.invite(scene, { email }))).toBe('rate_limited')
    expect((await given.invite(scene)).sends).toBe(1)
    expect((await given.invite(scene, { email, send_email: false })).sends).toBe(0)
  })

  test('is sent again five times a day, each time with another URL and at least a week', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const { invitation, email, url } = await given.invited(scene, { expires_in_days: 1 })
    const at = { org_domain, invitation_id: invitation.id }

    const sent = await client.invitations.resend(at)
    expect(sent).toMatchObject({ sends: 2, state: 'pending' })
    expect(Date.parse(sent.expires_at) - Date.parse(sent.last_sent_at ?? '')).toBe(7 * daySeconds * 1000)
    expect((await given.open(url)).status).toBe(404)
    const second = await given.mailedUrl(email)
    expect(second).not.toBe(url)
    expect((await given.visitorOf().visit(second)).status).toBe(200)
    for (let count = 2; count <= 5; count += 1) await client.invitations.resend(at)
    expect(await codeOf(client.invitations.resend(at))).toBe('rate_limited')
    await service.clock.advance(daySeconds)
    expect((await client.invitations.resend(at)).sends).toBe(7)
  })
})

describe('who may invite whom', () => {
  test('a key gives no roles without the scope for it, and changes none', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const role = await roles.role()
    const small = await service.client({ scopes: ['read:memberships', 'write:memberships'] })
    const refused = small.invitations.create({ org_domain, email: anyEmail(), roles: [role.name] })
    expect(await codeOf(refused)).toBe('insufficient_scope')
    const { id: invitation_id } = await small.invitations.create({ org_domain, email: anyEmail() })
    const raised = small.invitations.update({ org_domain, invitation_id, roles: [role.name] })
    expect(await codeOf(raised)).toBe('insufficient_scope')
    const invited = await given.invite(scene, { roles: [role.name] })
    const stripped = small.invitations.update({ org_domain, invitation_id: invited.id, roles: [] })
    expect(await codeOf(stripped)).toBe('insufficient_scope')
    const { roles: left } = await client.invitations.get({ org_domain, invitation_id: invited.id })
    expect(left).toEqual([role.name])
  })

  test('what is wrong is named, and creates nothing', async () => {
    const scene = await given.scene({ allowed_email_domains: ['people.example'] })
    const { org_domain } = scene
    const other = await given.scene()
    const foreign = await roles.role({ organization_domain_scope: other.org_domain })
    const { email: member, id: user_id } = await service.given.user({ org_domain })
    await client.users.update({ org_domain, user_id, active: false })
    const invite = (members: object) => codeOf(given.invite(scene, members))

    expect(await invite({ email: 'ada@else.example' })).toBe('email_domain_not_allowed')
    expect(await invite({ email: 'nobody' })).toBe('email invalid_format')
    expect(await invite({ roles: ['nothing', foreign.name] })).toBe(
      'roles.0 unknown_role,roles.1 unknown_role',
    )
    expect(await invite({ redirect_uri: 'https://evil.example/' })).toBe('redirect_uri not_allowed')
    expect(await invite({ metadata: [{ key: 'nothing', value: '1' }] })).toBe('meta_key_not_found')
    await service.given.metaKey({ org_domain, name: 'level', type: 'integer' })
    expect(await invite({ metadata: [{ key: 'level', value: 'x' }] })).toBe('metadata.0.value invalid_type')
    expect(await invite({ email: member.toUpperCase() })).toBe('already_member')
    expect(await invite({ expires_in_days: 31 })).toContain('expires_in_days')
    expect(await invite({ message: 'x'.repeat(501) })).toContain('message')
    expect((await client.invitations.list({ org_domain })).total).toBe(0)
  })

  test('pending invitations reserve seats against other invitations, and against nobody else', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    await service.given.user({ org_domain })
    await client.organizationPolicy.update({ org_domain, seats_limit: 2 })
    const first = await given.invite(scene, { expires_in_days: 1 })
    expect(await codeOf(given.invite(scene))).toBe('seats_exhausted')
    await client.invitations.revoke({ org_domain, invitation_id: first.id })
    await given.invite(scene)
    await service.given.user({ org_domain })
    expect((await client.users.list({ org_domain })).total).toBe(2)
  })

  test('of many at once for one address one is created, and for the last seat as well', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const email = anyEmail()
    const count = async (members: (index: number) => object) => {
      const invite = (index: number) => codeOf(given.invite(scene, members(index)))
      const codes = await Promise.all(Array.from({ length: 10 }, (_, index) => invite(index)))
      return codes.filter((code) => code === 'none').length
    }
    expect(await count(() => ({ email }))).toBe(1)
    await client.organizationPolicy.update({ org_domain, seats_limit: 2 })
    expect(await count(() => ({}))).toBe(1)
  })
})

test('a user who is made with the address without the invitation revokes it', async () => {
  const scene = await given.scene()
  const { org_domain } = scene
  await service.given.metaKey({ org_domain, name: 'level' })
  const metadata = [{ key: 'level', value: '7' }]
  for (const members of [{}, { metadata }]) {
    const { invitation, email, url } = await given.invited(scene)
    await client.users.create({ org_domain, email, ...members })

    expect(await given.stateOf(scene, invitation)).toBe('revoked')
    expect((await given.open(url)).status).toBe(404)
    expect(await codeOf(client.users.create({ org_domain, email }))).toBe('email_taken')
  }
  expect((await given.eventsOf(scene)).filter((code) => code === 'revoke.success')).toHaveLength(2)
})

test('an address that a user changes to ends the invitation within the hour, which gives them nothing', async () => {
  const scene = await given.scene()
  const { org_domain } = scene
  const role = await roles.role()
  const { invitation, email } = await given.invited(scene, { roles: [role.name] })
  const { id: user_id } = await service.given.user({ org_domain })
  await client.users.update({ org_domain, user_id, email })
  await service.clock.advance(60 * 60)
  await service.runJobs()

  expect(await given.stateOf(scene, invitation)).toBe('revoked')
  expect((await client.roles.getUserRoles({ org_domain, user_id })).roles).toEqual([])
})

test('an invitation is erased 90 days after its end', async () => {
  const scene = await given.scene()
  const { org_domain } = scene
  const { id: invitation_id } = await given.invite(scene)
  await client.invitations.revoke({ org_domain, invitation_id })
  await service.clock.advance(90 * daySeconds - 60 * 60)
  await service.runJobs()
  expect((await client.invitations.list({ org_domain })).total).toBe(1)
  await service.clock.advance(2 * 60 * 60)
  await service.runJobs()
  expect((await client.invitations.list({ org_domain })).total).toBe(0)
})
