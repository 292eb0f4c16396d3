import { describe, expect, test } from 'vitest'
import { isIn } from '../given/flow-given.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { ada, oidcGivenOf, type OidcScene } from '../given/oidc-given.js'
import { longTest, sampled } from '../sampled.js'
import type { Seen } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = oidcGivenOf(service, client)

async function refusal(scene: OidcScene, landed: Seen) {
  expect(landed.status).toBe(403)
  return (await given.lastTrace(scene)).failed_check
}

function userOf({ org_domain }: OidcScene, user_email: string) {
  return client.users.getByEmail({ org_domain, user_email })
}

/** Sets a provider type that does not match the issuer, because the test provider is none of the products. */
function setKind({ connection }: OidcScene, kind: string): Promise<object[]> {
  return service.query('update sso_connections set provider_type = $1 where idp_id = $2', [
    kind,
    connection.idp_id,
  ])
}

describe('a user who is there already', () => {
  test('is linked by their address where the connection may speak for it and the provider has verified it', async () => {
    const scene = await given.scene()
    const { id, email } = await service.given.user({ org_domain: scene.org_domain })

    const { landed } = await given.signIn(scene, { sub: 's-1', email, email_verified: true })

    expect(isIn(landed)).toBe(true)
    expect(await userOf(scene, email)).toMatchObject({
      id,
      email_verified: true,
      identities: [{ provider: 'oidc.custom_oidc', data: { sub: 's-1' } }],
    })
  })

  test.each(sampled([false, 'false', undefined, 0, null, 'yes'], 3))(
    'is not linked where email_verified is %s',
    async (email_verified) => {
      const scene = await given.scene()
      const { email } = await service.given.user({ org_domain: scene.org_domain })
      const { landed } = await given.signIn(scene, { sub: 's-1', email, email_verified })
      expect(await refusal(scene, landed)).toBe('linking')
      expect((await userOf(scene, email)).identities).toEqual([])
    },
  )

  test('is not linked to another subject of their issuer that says their address (nOAuth)', async () => {
    const scene = await given.scene()
    expect(isIn((await given.signIn(scene, ada)).landed)).toBe(true)
    const before = await userOf(scene, 'ada@awesome.example')

    for (const email_verified of [true, false]) {
      const { landed, visitor } = await given.signIn(scene, { ...ada, sub: 'mallory-1', email_verified })
      expect(await refusal(scene, landed)).toBe('linking')
      expect(visitor.sessionSecret()).toBeUndefined()
    }

    expect((await userOf(scene, 'ada@awesome.example')).identities).toEqual(before.identities)
  })

  test('is not linked by a connection whose domains are others, nor made by it', async () => {
    const scene = await given.scene(
      { email_domains: ['one.example'] },
      { allowed_email_domains: ['one.example', 'two.example'] },
    )
    await given.connect(scene, { email_domains: ['two.example'] })
    const { email } = await service.given.user({
      org_domain: scene.org_domain,
      email: `${anything()}@two.example`,
    })
    for (const address of [email, `${anything()}@two.example`]) {
      const { landed } = await given.signIn(scene, { sub: anything(), email: address, email_verified: true })
      expect(await refusal(scene, landed)).toBe('linking')
    }
  })

  test('is another one in another organization, also by the same issuer and subject', async () => {
    const one = await given.scene()
    const other = await given.scene()
    const two = { ...other, ...(await given.connect(other, { email_domains: ['awesome.example'] }, one.idp)) }
    expect(isIn((await given.signIn(one, ada)).landed)).toBe(true)
    expect(isIn((await given.signIn(two, ada)).landed)).toBe(true)
    const [first, second] = await Promise.all([one, two].map((of) => userOf(of, 'ada@awesome.example')))
    expect(first?.id).not.toBe(second?.id)
    expect(second?.identities).toMatchObject([{ idp_id: two.connection.idp_id }])
  })

  test('is the same one by another connection to the same issuer, which is said of them then', async () => {
    const scene = await given.scene()
    expect(isIn((await given.signIn(scene, ada)).landed)).toBe(true)
    const second = { ...scene, ...(await given.connect(scene, {}, scene.idp)) }
    expect(isIn((await given.signIn(second, ada)).landed)).toBe(true)
    expect((await userOf(scene, 'ada@awesome.example')).identities).toMatchObject([
      { idp_id: second.connection.idp_id },
    ])
  })

  test('is refused while inactive, and known or not', async () => {
    const scene = await given.scene()
    const { id, email } = await service.given.user({ org_domain: scene.org_domain })
    const claims = { sub: 's-1', email, email_verified: true }
    expect(isIn((await given.signIn(scene, claims)).landed)).toBe(true)
    await client.users.update({ org_domain: scene.org_domain, user_id: id, active: false })
    expect(await refusal(scene, (await given.signIn(scene, claims)).landed)).toBe('user_active')
  })
})

describe('a new user', () => {
  test('is made, and their address is verified only where the provider says so', async () => {
    const scene = await given.scene()
    for (const [email_verified, isVerified] of [
      [true, true],
      [false, false],
    ]) {
      const email = anyEmail()
      expect(isIn((await given.signIn(scene, { sub: email, email, email_verified })).landed)).toBe(true)
      expect(await userOf(scene, email)).toMatchObject({ email_verified: isVerified })
    }
  })

  test('needs an address, of a domain of the organization', async () => {
    const scene = await given.scene({}, { allowed_email_domains: ['awesome.example'] })
    for (const email of [undefined, 'ada', 7, ['ada@awesome.example'], 'ada@awesome.example\0'])
      expect(await refusal(scene, (await given.signIn(scene, { sub: 's', email })).landed)).toBe('email')
    const foreign = await given.signIn(scene, { sub: 's', email: 'ada@evil.example', email_verified: true })
    expect(await refusal(scene, foreign.landed)).toBe('email_domain')
  })

  test('is refused by the policies that want them in the directory', async () => {
    const scene = await given.scene({ user_security_type: 'user_registered' })
    expect(await refusal(scene, (await given.signIn(scene, ada)).landed)).toBe('user_policy')
    await service.given.user({ org_domain: scene.org_domain, email: 'ada@awesome.example' })
    expect(isIn((await given.signIn(scene, ada)).landed)).toBe(true)
  })

  longTest('is one, of many sign-ins by one subject at the same moment', async () => {
    const scene = await given.scene()
    const doors = await Promise.all(Array.from({ length: 8 }, () => given.atProvider(scene)))
    const landed = await Promise.all(
      doors.map(({ visitor, address }) => visitor.visit(scene.idp.approve(address, ada))),
    )
    expect(landed.filter(isIn)).toHaveLength(8)
    expect((await client.users.list({ org_domain: scene.org_domain })).total).toBe(1)
  })

  longTest('finds a seat, or not: of 20 at once 3 come in where there are 3', async () => {
    const scene = await given.scene({ seats_limit: 3 })
    const doors = await Promise.all(Array.from({ length: 20 }, () => given.atProvider(scene)))
    const landed = await Promise.all(
      doors.map(({ visitor, address }) => {
        const email = anyEmail()
        return visitor.visit(scene.idp.approve(address, { sub: email, email, email_verified: true }))
      }),
    )
    expect(landed.filter(isIn)).toHaveLength(3)
    expect((await client.users.list({ org_domain: scene.org_domain })).total).toBe(3)
    expect((await given.lastTrace(scene)).failed_check).toMatch(/seats/)
  })
})

describe('Entra', () => {
  test('is believed an address whose domain it has proved, and nothing else', async () => {
    const scene = await given.scene({ provider_type: 'entra_id', protocol: 'oidc' })
    const { email } = await service.given.user({ org_domain: scene.org_domain })
    const victim = await given.signIn(scene, { sub: 's-1', email, email_verified: true, xms_edov: false })
    expect(await refusal(scene, victim.landed)).toBe('linking')
    const { landed } = await given.signIn(scene, { sub: 's-1', email, xms_edov: true })
    expect(isIn(landed)).toBe(true)
    expect(await userOf(scene, email)).toMatchObject({ identities: [{ provider: 'oidc.entra_id' }] })
  })
})

describe('Google', () => {
  test('is believed of the accounts of a Workspace whose domain is the organization’s', async () => {
    const scene = await given.scene({ email_domains: ['awesome.example'] })
    await setKind(scene, 'google_workspace')
    for (const hd of [undefined, 'evil.example', ['awesome.example'], ''])
      expect(await refusal(scene, (await given.signIn(scene, { ...ada, hd })).landed)).toBe(
        'oidc_hosted_domain',
      )
    expect(isIn((await given.signIn(scene, { ...ada, hd: 'Awesome.example' })).landed)).toBe(true)
  })

  test('is believed nothing where the organization has named no domain', async () => {
    const scene = await given.scene()
    await setKind(scene, 'google_workspace')
    const { landed } = await given.signIn(scene, { ...ada, hd: 'awesome.example' })
    expect(await refusal(scene, landed)).toBe('oidc_hosted_domain')
  })
})

describe('a client', () => {
  test('that was replaced while somebody was at the provider signs them in no more', async () => {
    const scene = await given.scene()
    const { idp_id } = scene.connection
    const { visitor, address } = await given.atProvider(scene)
    await client.ssoConnections.update({ idp_id, oidc_client_secret: 'other' })

    const landed = await visitor.visit(scene.idp.approve(address, ada))

    expect(await refusal(scene, landed)).toBe('oidc_token')
    await client.ssoConnections.useOidcClient({ idp_id, version: 1 })
    expect(isIn((await given.signIn(scene, ada)).landed)).toBe(true)
  })

  test('with a wrong secret signs nobody in, and the trace says what the provider said', async () => {
    const scene = await given.scene()
    const { idp_id } = scene.connection
    await client.ssoConnections.update({ idp_id, oidc_client_secret: 'wrong' })
    const { landed } = await given.signIn(scene, ada)
    expect(await refusal(scene, landed)).toBe('oidc_token')
    const { checks } = await given.lastTrace(scene)
    expect(checks.at(-1)).toMatchObject({ name: 'oidc_token', received: 'invalid_client' })
  })
})
