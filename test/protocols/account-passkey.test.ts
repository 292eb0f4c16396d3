import type { Client } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { answerOf, isIn } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import type { Lie } from '../given/passkey-authenticator.js'
import { accountSignInGivenOf } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const passkeys = passkeyGivenOf(service, client)

type Owner = Awaited<ReturnType<typeof passkeys.withPasskey>>

/** Uses a passkey at the first page of a sign-in at the issuer of the account. */
async function signInWith(
  { held }: Pick<Owner, 'held'>,
  members: Record<string, string> = {},
  lie: Lie = {},
) {
  const visitor = given.flows.visitorOf()
  const page = await given.begin(await given.application(), visitor, members)
  const credential = held.use(passkeys.asked(page), lie)
  return { visitor, page, landed: await visitor.press(page, 'passkey', { credential }) }
}

async function sessionsOf(of: Client, { scene: { org_domain, user } }: Pick<Owner, 'scene'>) {
  return (await of.sessions.list({ org_domain, user_id: user.id })).data
}

describe('a passkey at the first page of an account', () => {
  test('signs its user in at their organization, without an address, as two factors', async () => {
    const owner = await passkeys.withPasskey()
    const { landed } = await signInWith(owner, { acr_values: 'urn:portico:acr:mfa' })
    expect(isIn(landed)).toBe(true)
    expect(answerOf(landed).get('iss')).toBe(`${service.baseUrl}/a/${service.account.domain}`)
    expect((await sessionsOf(client, owner)).map(({ amr }) => amr)).toContainEqual(['pop', 'user', 'mfa'])
  })

  test('chooses the organization of a person who has users in two', async () => {
    const email = anyEmail()
    const owners = []
    for (const _ of ['first', 'second']) {
      const scene = await passkeys.flows.scene()
      const { org_domain, user } = scene
      const changed = await client.users.update({ org_domain, user_id: user.id, email })
      owners.push(await passkeys.withPasskey({ ...scene, user: changed }))
    }
    for (const owner of owners) {
      const before = await Promise.all(owners.map(async (one) => (await sessionsOf(client, one)).length))
      expect(isIn((await signInWith(owner)).landed)).toBe(true)
      const after = await Promise.all(owners.map(async (one) => (await sessionsOf(client, one)).length))
      expect(after.map((count, place) => count - (before[place] ?? 0))).toEqual(
        owners.map((one) => (one === owner ? 1 : 0)),
      )
    }
  })

  test('passes on the page that says what was wrong, whose challenge is another one', async () => {
    const owner = await passkeys.withPasskey()
    const { visitor, page, landed } = await signInWith(owner, {}, { isForged: true })
    expect([landed.status, isIn(landed)]).toEqual([422, false])
    const stale = await visitor.press(landed, 'passkey', { credential: owner.held.use(passkeys.asked(page)) })
    expect([stale.status, isIn(stale)]).toEqual([422, false])
    const right = await visitor.press(stale, 'passkey', { credential: owner.held.use(passkeys.asked(stale)) })
    expect(isIn(right)).toBe(true)
  })

  test('of another account, or of an organization that is gone, is as one that nobody knows', async () => {
    const account = await service.createAccount()
    const theirs = await service.client({ account })
    const { domain: org_domain } = await theirs.organizations.create({ name: 'Elsewhere' })
    const application = await service.given.application({ org_domain }, theirs)
    const owner = await passkeys.withPasskey()
    const stranger = given.flows.visitorOf()
    const url = given.authorizeUrl({ org_domain: '', application }, { organization: undefined })
    const page = await stranger.visit(url.replace(given.path, `/a/${account.domain}`))
    const credential = owner.held.use(passkeys.asked(page))
    const foreign = { visitor: stranger, landed: await stranger.press(page, 'passkey', { credential }) }
    const gone = await passkeys.withPasskey()
    await client.organizations.delete({ org_domain: gone.scene.org_domain })

    const answers = [
      { ...foreign, scene: owner.scene },
      { ...(await signInWith(gone)), scene: gone.scene },
    ]

    for (const { landed, visitor, scene } of answers) {
      expect([landed.status, visitor.sessionSecret()]).toEqual([422, undefined])
      expect(landed.html).not.toContain(scene.org_domain)
    }
  })

  test('is asked for by the organization, as anything else, where it does not sign in there', async () => {
    const owner = await passkeys.withPasskey()
    const { org_domain } = owner.scene
    await client.passkeys.updateConnection({ org_domain, first_factor: false })
    const { landed } = await signInWith(owner)
    expect([isIn(landed), landed.url.includes(`/t/${org_domain}/sign-in/`)]).toEqual([false, true])
  })

  test('leads to the identity provider of the address of its user', async () => {
    const owner = await passkeys.withPasskey()
    const { org_domain, user } = owner.scene
    const { id: organization_id } = await client.organizations.get({ org_domain })
    const email_domains = [user.email.split('@')[1] ?? '']
    await client.ssoConnections.create({ organization_id, provider_type: 'test', email_domains })
    const { landed, visitor } = await signInWith(owner)
    expect(landed.html).toContain('/identity-provider')
    expect(visitor.sessionSecret()).toBeUndefined()
  })

  test('is asked for as soon as the page is there where the application wants it', async () => {
    await passkeys.withPasskey()
    const page = await given.begin(await given.application(), given.flows.visitorOf(), {
      idp_hint: 'passkey',
    })
    expect(page.html).toContain('data-asked')
  })
})
