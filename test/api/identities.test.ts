import { describe, expect, test } from 'vitest'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { goodPassword, isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { socialGivenOf } from '../given/social-given.js'

const service = await startService()
const client = await service.client()
const given = socialGivenOf(service, client)
const keys = passkeyGivenOf(service, client)
const links = flowLinkGivenOf(service, client, given.flows)

/** A user who has come by the built-in provider. */
async function known() {
  const of = await given.scene()
  const email = `ada-${anything()}@awesome.example`
  const { visitor } = await given.signIn(of, { subject: email, email })
  const { org_domain } = of
  const { id: user_id, identities } = await client.users.getByEmail({ org_domain, user_email: email })
  const user = { org_domain, user_id, email }
  return { of, email, visitor, user, one: { org_domain, user_id, identity_id: identities[0]?.id ?? '' } }
}

/** The user, who is there. */
async function userOf({ org_domain, email }: { readonly org_domain: string; readonly email: string }) {
  return client.users.getByEmail({ org_domain, user_email: email })
}

/** The codes of the events about a user. */
async function codesOf(userId: string): Promise<string[]> {
  const { data } = await client.events.list()
  const isAbout = (record: object) =>
    ('user_id' in record && record.user_id === userId) || ('id' in record && record.id === userId)
  return data.filter((event) => isAbout(event.data)).map(({ code }) => code)
}

describe('an identity', () => {
  test('that is unlinked signs nobody in any more, and the sessions of its user end', async () => {
    const { of, email, user, one } = await known()
    const before = (await client.sessions.list({ org_domain: user.org_domain, user_id: user.user_id })).data
    const version = (await userOf(user)).updated_at
    await service.clock.advance(1)

    const { resource } = await client.identities.unlink(one)

    expect(resource).toMatchObject({
      ...{ __type__: 'UserIdentity', id: one.identity_id, user_id: one.user_id },
      ...{ provider: 'social.test', idp_id: null, data: { email } },
    })
    const after = await userOf(user)
    expect([after.identities, after.updated_at > version]).toEqual([[], true])
    expect([
      before.length,
      (await client.sessions.list({ org_domain: user.org_domain, user_id: user.user_id })).data,
    ]).toEqual([1, []])
    const { landed } = await given.signIn(of, { subject: email, email })
    expect([isIn(landed), landed.html.includes('You already have an account')]).toEqual([false, true])
    await service.runJobs()
    const { data: mails } = await client.outbox.list({ to: email })
    expect(mails.map(({ subject }) => subject).join()).toContain('was removed')
  })

  test('tells of its linking and unlinking', async () => {
    const of = await given.scene()
    const { org_domain } = of
    const user = await service.given.user({ org_domain, email: `ada-${anything()}@awesome.example` }, client)
    await given.flows.passwords.set({ ...of, user })
    const { landed, visitor } = await given.signIn(of, { subject: user.email, email: user.email })
    await visitor.press(landed, 'password', { password: goodPassword })
    expect(await codesOf(user.id)).toContain('user.identity.link.success')
    const { identities } = await userOf({ org_domain, email: user.email })
    await client.identities.unlink({ org_domain, user_id: user.id, identity_id: identities[0]?.id ?? '' })
    expect(await codesOf(user.id)).toEqual(
      expect.arrayContaining(['user.identity.unlink.success', 'user.user.update.success']),
    )
  })

  test('is not the last way to sign in that somebody loses, unless that is forced', async () => {
    const { of, user, one } = await known()
    const { org_domain } = of
    await client.magicLink.updateConnection({ org_domain, active: false })
    await expect(client.identities.unlink(one)).rejects.toMatchObject({
      ...{ status: 409, code: 'last_sign_in_method' },
    })
    expect((await userOf(user)).identities).toHaveLength(1)
    await client.identities.unlink({ ...one, force: true })
    expect((await userOf(user)).identities).toEqual([])
  })

  test('is the last way to sign in beside a passkey of a domain that neither the service nor an application has', async () => {
    const of = await given.scene()
    const { org_domain } = of
    const user = await service.given.user({ org_domain, email: `ada-${anything()}@awesome.example` }, client)
    const scene = { ...of, user }
    await given.flows.passwords.set(scene)
    const { landed, visitor } = await given.signIn(of, { subject: user.email, email: user.email })
    await visitor.press(landed, 'password', { password: goodPassword })
    await keys.withPasskey(scene)
    await service.query("update passkeys set rp_id = 'old.example' where user_id = $1", [user.id])
    await client.magicLink.updateConnection({ org_domain, active: false })
    await client.password.updateConnection({ org_domain, active: false })
    const { identities } = await userOf({ org_domain, email: user.email })
    const one = { org_domain, user_id: user.id, identity_id: identities[0]?.id ?? '' }
    await expect(client.identities.unlink(one)).rejects.toMatchObject({ code: 'last_sign_in_method' })

    await service.query("update applications set passkey_rp_id = 'old.example' where id = $1", [
      of.application.id,
    ])

    await client.identities.unlink(one)
  })

  test('of a provider that the organization no longer uses is no other way', async () => {
    const { of, email, user, one } = await known()
    const { org_domain } = of
    const { name, idp } = await given.custom(of)
    const { visitor, address } = await given.atProvider(of, name)
    const named = await visitor.visit(idp.approve(address, { sub: email, email }))
    const asked = await visitor.press(named, 'address_code', { code: await given.codeTo(email) })
    await visitor.press(asked, 'mail_link')
    const { location, url } = await links.open(await links.newestLinkTo(email), visitor)
    await visitor.visit(location ?? url)
    expect((await userOf(user)).identities).toHaveLength(2)

    await client.magicLink.updateConnection({ org_domain, active: false })
    await client.socialConnection.update({ org_domain, providers: ['test'] })
    await expect(client.identities.unlink(one)).rejects.toMatchObject({ code: 'last_sign_in_method' })
    await client.socialConnection.update({ org_domain, providers: ['test', name] })
    await client.identities.unlink(one)
  })

  test('of a provider that another one has replaced under its name is no other way', async () => {
    const { of, email, user, one } = await known()
    const { org_domain } = of
    const { data } = await client.socialProviders.list({ name: 'test' })
    await client.socialProviders.delete({ provider_id: data[0]?.id ?? '', force: true })
    await client.socialProviders.create({ name: 'test' })
    await client.socialConnection.update({ org_domain, providers: ['test'] })
    const { visitor, landed } = await given.signIn(of, { subject: email, email })
    await visitor.press(landed, 'mail_link')
    const { location, url } = await links.open(await links.newestLinkTo(email), visitor)
    await visitor.visit(location ?? url)
    const { identities } = await userOf(user)
    const second = identities.find(({ id }) => id !== one.identity_id)

    await client.magicLink.updateConnection({ org_domain, active: false })
    const last = { ...one, identity_id: second?.id ?? '' }
    await expect(client.identities.unlink(last)).rejects.toMatchObject({ code: 'last_sign_in_method' })
    await client.identities.unlink(one)
  })

  test('of a directory has no id, and is not unlinked', async () => {
    const { one } = await known()
    await expect(client.identities.unlink({ ...one, identity_id: one.user_id })).rejects.toMatchObject({
      status: 404,
      code: 'identity_not_found',
    })
  })
})

test('of the last two ways that are taken at once one stays', async () => {
  const { of, user, one } = await known()
  const { org_domain } = of
  const [second] = await service.query<{ id: string }>(
    `insert into user_identities
       (account_id, environment, organization_id, id, user_id, kind, issuer, subject, idp_id, provider, data, authenticated_at, inserted_at)
     select account_id, environment, organization_id, gen_random_uuid(), user_id, kind, issuer, 'other', null, provider, data,
       authenticated_at, inserted_at
     from user_identities where id = $1 returning id`,
    [one.identity_id],
  )
  await client.magicLink.updateConnection({ org_domain, active: false })
  const outcomes = await Promise.allSettled(
    [one.identity_id, second?.id ?? ''].map((identity_id) =>
      client.identities.unlink({ ...one, identity_id }),
    ),
  )
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect((await userOf(user)).identities).toHaveLength(1)
})
