import { migrateDatabase } from '@portico/server/migrate'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { samlGivenOf, type SamlScene } from '../given/saml-given.js'
import { takeBackFrom } from '../given/taken-back.js'
import { portico } from './portico.js'
import { withPostgres } from './portico-given.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

/** A connection that has signed somebody in, and its identity provider. */
async function used(...of: Parameters<typeof given.scene>): Promise<SamlScene> {
  const scene = await given.scene(...of)
  await given.signIn(scene, { nameId: `ada@${own}` })
  return scene
}

const own = `${anything()}.example`

describe('an upgrade to domains', () => {
  let coming: string[]
  let alone: SamlScene
  let unnamed: SamlScene
  let unused: SamlScene
  let listed: SamlScene

  beforeAll(async () => {
    alone = await used({ email_domains: [own] })
    unnamed = await used()
    unused = await given.scene()
    listed = await used({}, { allowed_email_domains: [own, 'gmail.com'] })
    await withPostgres(service.databaseUrl, (db) => takeBackFrom(db, '0034-domains'))
    const variables = { DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys }
    const { stdout } = await portico(['doctor', '--json'], variables)
    // These tests assert the form of the output.
    const findings = JSON.parse(stdout) as { check: string; detail: string }[]
    coming = findings.filter(({ check }) => check.startsWith('Coming')).map(({ detail }) => detail)
    expect(await migrateDatabase(service.databaseUrl)).toContain('0034-domains')
  }, 120_000)

  test('is told by doctor before: who signs in fewer, who keeps every address, and what declares nothing', () => {
    expect(coming).toHaveLength(3)
    expect(coming[0]).toMatch(
      `${alone.connection.idp_id} (sandbox) of ${alone.org_domain} will sign in new users`,
    )
    expect(coming[0]).toContain(`of ${own} alone`)
    expect(coming[1]).toMatch(
      `${unnamed.connection.idp_id} (sandbox) of ${unnamed.org_domain} names no domain`,
    )
    expect(coming[2]).toMatch(`gmail.com is named for ${listed.org_domain} (sandbox)`)
  })

  test('leaves a connection without domains every address where it is used, and no other', async () => {
    const ruleOf = async ({ connection: { idp_id } }: SamlScene) =>
      (await client.ssoConnections.get({ idp_id })).other_domains
    expect(await Promise.all([alone, unnamed, unused, listed].map(ruleOf))).toEqual([
      null,
      'any_address',
      null,
      null,
    ])
  })

  test('declares what is named, in each environment, but for domains of mail providers', async () => {
    const production = await service.client({ environment: 'production' })
    const namesOf = async ({ org_domain }: SamlScene, as = client) =>
      (await as.domains.list({ org_domain })).data.map(({ domain, state }) => [domain, state])
    expect(await namesOf(alone)).toEqual([[own, 'declared']])
    expect(await namesOf(alone, production)).toEqual([])
    expect(await namesOf(listed)).toEqual([[own, 'declared']])
    expect(await namesOf(listed, production)).toEqual([[own, 'declared']])
    const { data } = await client.domains.list({ org_domain: listed.org_domain })
    expect(data[0]?.record.value).toMatch(/^token=[a-z2-7]{32}$/)
  })

  longTest('goes on signing in whom a connection has signed in, and closes the hole', async () => {
    for (const scene of [alone, unnamed, listed])
      expect(isIn((await given.signIn(scene, { nameId: `ada@${own}` })).landed)).toBe(true)
    const contractor = { nameId: `eve@contractor.example` }
    expect(isIn((await given.signIn(alone, contractor)).landed)).toBe(false)
    expect(isIn((await given.signIn(unnamed, contractor)).landed)).toBe(true)
  })
})
