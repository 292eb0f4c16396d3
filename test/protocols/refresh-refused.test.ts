import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { whileHeld } from '../given/waiting.js'
import { codeGivenOf, exchange, type Scene } from './code-given.js'
import { refreshGivenOf, refusedRefresh } from './refresh-given.js'

const service = await startService()
const client = await service.client()
const codes = codeGivenOf(service, client)
const given = refreshGivenOf(service, codes)

describe('a refresh that is not right is refused with one text, its reason is logged, and the token stays good', () => {
  interface Attempt {
    readonly parameters?: Record<string, string>
    readonly headers?: Record<string, string>
    readonly path?: string
  }
  const cases: [string, (scene: Scene) => Attempt | Promise<Attempt>][] = [
    ['client_id_mismatch', () => ({ parameters: { client_id: 'another' } })],
    [
      'client_id_mismatch',
      async ({ org_domain }) => {
        const other = await service.given.application({ org_domain, organization_domain_scope: org_domain })
        return { parameters: { client_id: other.client_id } }
      },
    ],
    ['origin_not_allowed', () => ({ headers: { origin: 'https://evil.example' } })],
    ['origin_not_allowed', () => ({ headers: { origin: 'null' } })],
    [
      'wrong_organization',
      async () => ({ path: `/t/${(await service.given.organization()).domain}/oauth/token` }),
    ],
    ['wrong_organization', () => ({ path: '/t/no-such-organization/oauth/token' })],
  ]

  test.each(cases)('400: %s (%#)', async (reason, arrange) => {
    const { scene, refreshToken } = await given.tokens()
    const { parameters, ...how } = await arrange(scene)

    const { status, body } = await given.refresh(scene, refreshToken, parameters, how)

    expect([status, body]).toEqual([400, refusedRefresh])
    expect((await given.logged(scene.org_domain))[0]).toEqual(['TOKEN_REFRESH_FAILED', reason])
    expect((await given.refresh(scene, refreshToken)).status).toBe(200)
  })

  test('200: from a page of an origin that the application allows', async () => {
    const origin = 'https://store.example'
    const scene = await codes.scene({ allowed_origins_cors: [origin] })
    const { refreshToken } = await given.tokens(scene)

    const { status } = await given.refresh(scene, refreshToken, {}, { headers: { origin } })

    expect(status).toBe(200)
  })

  test('400: without client_id, without a token, and with one that never was', async () => {
    const { scene, refreshToken } = await given.tokens()
    const grant_type = 'refresh_token'

    const nobody = await exchange(service, { grant_type, refresh_token: refreshToken })
    const nothing = await exchange(service, { grant_type, client_id: scene.application.client_id })
    const before = await given.logged(scene.org_domain)
    const unknown = await given.refresh(scene, `${'h'.repeat(22)}.${'s'.repeat(43)}`)

    expect([nobody.body.error, nothing.body.error]).toEqual(['invalid_request', 'invalid_request'])
    expect([unknown.status, unknown.body]).toEqual([400, refusedRefresh])
    expect(await given.logged(scene.org_domain)).toEqual(before)
  })

  test('400: another kind of token in its place', async () => {
    const { scene, refreshToken, accessToken, idToken } = await given.tokens()
    const code = await codes.code(scene)
    const sample = await client.tokenCustomization.sample({ org_domain: scene.org_domain })
    const others = [accessToken, idToken, code, await service.token(), sample.access_token_jwt]

    for (const other of others) expect((await given.refresh(scene, other)).body).toEqual(refusedRefresh)
    expect((await exchange(service, { code: refreshToken })).status).toBe(400)
    const [handle = '', secret = ''] = refreshToken.split('.')
    for (const part of [handle, secret, `${secret}.${handle}`, `${refreshToken}.`, `.${refreshToken}`])
      expect((await given.refresh(scene, part)).body).toEqual(refusedRefresh)
    expect((await given.refresh(scene, refreshToken)).status).toBe(200)
  })
})

describe('no refresh is good any more', () => {
  const cases: [string, string, (scene: Scene) => Promise<unknown>][] = [
    [
      'of a user who was deactivated',
      'session_ended',
      ({ org_domain, user }) => client.users.update({ org_domain, user_id: user.id, active: false }),
    ],
    [
      'of a user who was deactivated while the sign-in was on its way',
      'user_inactive',
      ({ user }) => service.query('update users set active = false where id = $1', [user.id]),
    ],
    [
      'of a user who was deleted',
      'session_ended',
      ({ org_domain, user }) => client.users.delete({ org_domain, user_id: user.id }),
    ],
    [
      'of a user who was deleted while the sign-in was on its way',
      'user_inactive',
      ({ user }) => service.query('update users set deleted_at = inserted_at where id = $1', [user.id]),
    ],
    [
      'of an organization that was deleted',
      'organization_deleted',
      ({ org_domain }) => client.organizations.delete({ org_domain }),
    ],
    [
      'of an application that was deleted',
      'session_ended',
      ({ org_domain, application }) =>
        client.applications.delete({ org_domain, client_id: application.client_id }),
    ],
    [
      'of an application that was deleted after a session of another one of the same user',
      'application_not_usable',
      ({ application }) =>
        service.query('update applications set deleted_at = inserted_at where id = $1', [application.id]),
    ],
    [
      'where the organization allows the domain of the address no more',
      'email_domain_not_allowed',
      ({ org_domain }) =>
        client.organizations.update({ org_domain, allowed_email_domains: ['corp.example'] }),
    ],
    [
      'of a session that was ended',
      'session_ended',
      ({ user }) => service.query('update sessions set ended_at = now() where user_id = $1', [user.id]),
    ],
  ]

  test.each(cases)('400: %s', async (_, reason, arrange) => {
    const { scene, refreshToken } = await given.tokens()
    await arrange(scene)

    const { status, body } = await given.refresh(scene, refreshToken)

    expect([status, body]).toEqual([400, refusedRefresh])
    expect((await given.logged(scene.org_domain))[0]).toEqual(['TOKEN_REFRESH_FAILED', reason])
  })
})

test('a refresh is refused whose session ends while it is exchanged', async () => {
  const { scene, refreshToken } = await given.tokens()

  const { status, body } = await whileHeld(
    service,
    ['update sessions set ended_at = now() where user_id = $1', scene.user.id],
    () => given.refresh(scene, refreshToken),
  )

  expect([status, body]).toEqual([400, refusedRefresh])
  expect((await given.logged(scene.org_domain))[0]).toEqual(['TOKEN_REFRESH_FAILED', 'session_ended'])
})

describe('failures of codes and refresh tokens', () => {
  test('429: sixty in a minute from one address are answered, and then nothing more until it ends; successes are not counted', async () => {
    const limited = await startService({ variables: { FAILED_GRANTS_PER_MINUTE: '' } })
    const ownCodes = codeGivenOf(limited, await limited.client())
    const own = refreshGivenOf(limited, ownCodes)
    const scene = await ownCodes.scene()
    let { refreshToken } = await own.tokens(scene)
    const statuses: number[] = []
    for (let count = 0; count < 60; count += 1) {
      const bad = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'y' }
      statuses.push((await exchange(limited, count % 2 === 0 ? { code: 'x' } : bad)).status)
      if (count % 10 === 0) ({ refreshToken } = await own.refresh(scene, refreshToken))
    }

    const refused = await exchange(limited, { code: 'x' })
    const good = await own.refresh(scene, refreshToken)
    await limited.clock.advance(61)
    const later = await own.refresh(scene, refreshToken)

    expect(new Set(statuses)).toEqual(new Set([400]))
    expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect([good.status, later.status]).toEqual([429, 200])
  })
})
