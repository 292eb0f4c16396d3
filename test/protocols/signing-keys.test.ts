import { openMagicLink } from '@portico/sdk'
import { rotateSigningKeys } from '@portico/server/rotate-signing-keys'
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import * as openid from 'openid-client'
import { afterEach, expect, test, vi } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'

const service = await startService()
const minuteMs = 60_000

afterEach(() => void vi.useRealTimers())

async function givenOrganization() {
  const client = await service.client()
  const { domain: org_domain } = await service.given.organization()
  const [{ id: organizationId } = { id: '' }] = await service.query<{ id: string }>(
    'select id from organizations where domain = $1',
    [org_domain],
  )
  return { client, org_domain, organizationId, issuer: `${service.baseUrl}/t/${org_domain}` }
}

type Place = Awaited<ReturnType<typeof givenOrganization>>

async function signIn({ client, org_domain }: Place, application_id: string) {
  const user = await service.given.user({ org_domain })
  const { magic_link } = await client.magicLink.createChallenge({
    org_domain,
    user_email: user.email,
    application_id,
    send_email: false,
  })
  const { code } = await openMagicLink(magic_link ?? '')
  return client.oauth.organizationToken({ org_domain, grant_type: 'authorization_code', code })
}

const keySetOf = async ({ issuer }: Place) =>
  (await (await fetch(`${issuer}/.well-known/jwks.json`)).json()) as JSONWebKeySet

/** How many keys of an algorithm an organization has, by environment and state. */
const keysOf = (organizationId: string, algorithm: string) =>
  service.query<{ environment: string; state: string; count: number }>(
    `select environment, state, count(*)::integer from signing_keys
     where organization_id = $1 and algorithm = $2 group by 1, 2 order by 1, 2`,
    [organizationId, algorithm],
  )

const oneOfEach = (environment: string) => [
  { environment, state: 'active', count: 1 },
  { environment, state: 'next', count: 1 },
]

longTest(
  'twenty rotations, each as soon as it may be, are noticed by no verifier that caches the key set',
  async () => {
    const place = await givenOrganization()
    const { client_id } = await service.given.application({ org_domain: place.org_domain })
    // What jose and openid-client take for the time is the service's.
    vi.useFakeTimers({ toFake: ['Date'], now: service.clock.now() })
    const keys = createRemoteJWKSet(new URL(`${place.issuer}/.well-known/jwks.json`))
    const configuration = await openid.discovery(new URL(place.issuer), client_id, undefined, openid.None(), {
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    })
    const [{ account_id: accountId } = { account_id: '' }] = await service.query<{ account_id: string }>(
      'select account_id from organizations where id = $1',
      [place.organizationId],
    )
    const owner = { accountId, environment: 'sandbox', organizationId: place.organizationId }
    const kids = new Set<string | undefined>()

    for (let rotation = 0; rotation < 20; rotation++) {
      const { magic_link } = await place.client.magicLink.createChallenge({
        org_domain: place.org_domain,
        user_email: (await service.given.user({ org_domain: place.org_domain })).email,
        send_email: false,
      })
      const { redirectedTo } = await openMagicLink(magic_link ?? '')
      vi.setSystemTime(service.clock.now().getTime() + 1_000)
      const tokens = await openid.authorizationCodeGrant(configuration, redirectedTo, {
        idTokenExpected: true,
      })
      const { protectedHeader } = await jwtVerify(tokens.id_token ?? '', keys, { issuer: place.issuer })
      kids.add(protectedHeader.kid)

      const early = await rotateSigningKeys(service.deps, owner, 'ES256', { publishedForMs: 20 * minuteMs })
      expect(early).toEqual({ waitsUntil: expect.any(Date) })
      await service.clock.advance(21 * 60)
      const rotated = await rotateSigningKeys(service.deps, owner, 'ES256', { publishedForMs: 20 * minuteMs })
      expect(rotated).toEqual({ activated: expect.any(String) })
    }
    expect(kids.size).toBe(20)
  },
)

test('the first RS256 token of an organization verifies with a key set of before the sign-in', async () => {
  const place = await givenOrganization()
  const { client_id } = await service.given.application({
    org_domain: place.org_domain,
    organization_domain_scope: place.org_domain,
    token_signing_alg: 'RS256',
  })
  expect(await keysOf(place.organizationId, 'RS256')).toEqual(oneOfEach('sandbox'))
  const keySet = await keySetOf(place)
  const tokens = await signIn(place, client_id)

  const { protectedHeader } = await jwtVerify(tokens.id_token, createLocalJWKSet(keySet), {
    currentDate: new Date(service.clock.now().getTime() + 1_000),
  })
  expect(protectedHeader.alg).toBe('RS256')
})

longTest(
  'an application of the whole account has every organization get its keys by a job, also one that is created later',
  async () => {
    const other = await givenOrganization()
    const place = await givenOrganization()
    const { client_id } = await service.given.application({ org_domain: place.org_domain })
    await place.client.applications.update({
      org_domain: place.org_domain,
      client_id,
      token_signing_alg: 'RS256',
    })
    expect(await keysOf(place.organizationId, 'RS256')).toEqual(oneOfEach('sandbox'))
    expect(await keysOf(other.organizationId, 'RS256')).toEqual([])

    await service.runJobs()
    expect(await keysOf(other.organizationId, 'RS256')).toEqual(oneOfEach('sandbox'))
    const later = await givenOrganization()
    await service.runJobs()
    expect(await keysOf(later.organizationId, 'RS256')).toEqual(oneOfEach('sandbox'))
    await place.client.applications.delete({ org_domain: place.org_domain, client_id })
    const last = await givenOrganization()
    await service.runJobs()
    expect(await keysOf(last.organizationId, 'RS256')).toEqual([])
  },
)

longTest(
  'an application of one organization has that one get its keys, by whichever path it is created or changed',
  async () => {
    const [path, scope, other] = [
      await givenOrganization(),
      await givenOrganization(),
      await givenOrganization(),
    ]
    const { client_id } = await service.given.application({
      org_domain: path.org_domain,
      organization_domain_scope: scope.org_domain,
      token_signing_alg: 'RS256',
    })
    expect(await keysOf(scope.organizationId, 'RS256')).toEqual(oneOfEach('sandbox'))
    await scope.client.applications.update({
      org_domain: scope.org_domain,
      client_id,
      organization_domain_scope: other.org_domain,
    })
    expect(await keysOf(other.organizationId, 'RS256')).toEqual(oneOfEach('sandbox'))
    expect(await keysOf(path.organizationId, 'RS256')).toEqual([])
  },
)

longTest(
  'keys that have signed for 90 days, and a day more at most, are rotated by themselves; earlier ones are not',
  async () => {
    const place = await givenOrganization()
    const kidOf = async (state: string) => {
      const [{ kid } = { kid: '' }] = await service.query<{ kid: string }>(
        `select kid from signing_keys where organization_id = $1 and environment = 'sandbox' and state = $2`,
        [place.organizationId, state],
      )
      return kid
    }
    const [active, next] = [await kidOf('active'), await kidOf('next')]

    await service.clock.advance(90 * 86_400 - 60)
    await service.runJobs()
    expect([await kidOf('active'), await kidOf('next')]).toEqual([active, next])

    await service.clock.advance(86_400 + 120)
    await service.runJobs()
    expect([await kidOf('active'), await kidOf('retired')]).toEqual([next, active])
    expect(await kidOf('next')).not.toBe('')
  },
)

test('keys of before next keys were published ahead get theirs by a job', async () => {
  const place = await givenOrganization()
  await service.query(`delete from signing_keys where organization_id = $1 and state = 'next'`, [
    place.organizationId,
  ])
  await service.query(
    `insert into jobs (name, payload, key, run_at, inserted_at)
     values ('publish_next_keys', '{"afterKid": ""}', 'all', 'epoch', 'epoch')`,
  )

  await service.runJobs()

  expect(await keysOf(place.organizationId, 'ES256')).toEqual([
    ...oneOfEach('production'),
    ...oneOfEach('sandbox'),
  ])
})

test('an organization that was deleted gets no keys, and its own are rotated no more', async () => {
  const place = await givenOrganization()
  await service.query(`delete from signing_keys where organization_id = $1 and state = 'next'`, [
    place.organizationId,
  ])
  await place.client.organizations.delete({ org_domain: place.org_domain })
  const before = await keysOf(place.organizationId, 'ES256')
  await service.query(
    `insert into jobs (name, payload, key, run_at, inserted_at)
     values ('publish_next_keys', '{"afterKid": ""}', 'all', 'epoch', 'epoch')`,
  )

  await service.runJobs()
  await service.clock.advance(20 * 86_400)
  await service.runJobs()

  expect(await keysOf(place.organizationId, 'ES256')).toEqual(before)
})
