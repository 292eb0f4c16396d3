import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Portico } from '@portico/sdk/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { portico as run, porticoProcess } from '../../cli/portico.js'
import { longTest, sampled } from '../../sampled.js'
import { givenEmulator } from './emulator.js'
import { expectTold, faultsForTheService, organization, type SeedFault } from './seed-faults.js'

const folder = mkdtempSync(join(tmpdir(), 'portico-seeds-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A seed with one object of every kind that has an id, and two accounts with similar names. */
const whole = `
accounts:
  - name: Acme
    api_keys:
      - { name: Back end, environment: sandbox }
      - { name: Back end, environment: production }
      - { name: Reader, environment: sandbox, scopes: [read:users], organizations: [awesome-company] }
    webhooks:
      - { name: Events, environment: sandbox, target_url: "http://localhost:4000/events", event_codes: [all] }
    permissions:
      - { environment: sandbox, name: "invoices:read" }
    roles:
      - { environment: sandbox, name: viewer, display_name: Viewer, permissions: ["invoices:read"] }
    organizations:
      - name: Awesome company
        color: green
        meta_keys:
          - { name: team, type: string }
        sandbox:
          applications:
            - name: Storefront
              application_type: react
              token_signing_alg: RS256
              allowed_redirect_urls: [http://localhost:5173/callback]
              allowed_origins_cors: [http://localhost:5173]
              allowed_logout_urls: [http://localhost:5173/]
          magic_link_connection: { active: true, find_or_create_user: true }
          password_connection: { plain_text_min_length: 10 }
          totp_connection: { active: true }
          roles: [{ name: auditor, display_name: Auditor }]
          sso_connections:
            - { name: Built in, provider_type: test, application: Storefront, active: true }
          users:
            - email: ada@awesome.example
              password: engine-of-1843-analytical
              metadata: [{ key: team, value: engines }]
              phone_number: "+33612345678"
              roles: [viewer, auditor]
USERS
  - name: A
    organizations: [{ name: B/sandbox }]
    api_keys: [{ name: K, environment: sandbox }]
  - name: A/B
    organizations: [{ name: sandbox }]
    api_keys: [{ name: K, environment: sandbox }]
`

const seedOf = (users: string) => {
  const path = join(folder, `${users.length}.yaml`)
  writeFileSync(path, whole.replace('USERS\n', users).replace('color: green', ''))
  return path
}

const twoMore = `            - { email: aaron@awesome.example }
            - { email: zoe@awesome.example }
`

let one: Promise<Portico> | undefined
/** Shared by all tests; the first one resets it. */
const givenOne = () => (one ??= givenEmulator({ seed: seedOf('') }))

type World = Awaited<ReturnType<typeof worldOf>>

/** Variants of the seed, with expectations about the differences of the resulting objects. */
const others: [users: string, expectSame: (world: World, other: World) => void][] = [
  ['', (world, same) => expect(same).toEqual(world)],
  // The whole seed with two additional users, which do not affect the other entries.
  [
    twoMore,
    (world, changed) => {
      expect(changed.users).toHaveLength(3)
      expect(changed.users).toEqual(expect.arrayContaining(world.users))
      const { users: _, events: _events, ...rest } = changed
      expect(world).toMatchObject(rest)
    },
  ],
]

/** All values that a test could rely on. */
async function worldOf(portico: Portico) {
  const client = portico.client({ name: 'Back end' })
  const org_domain = 'awesome-company'
  const users = (await client.users.list({ org_domain })).data.map((user) => {
    if ('deleted' in user) throw new Error('nobody was deleted')
    const { id, email, avatar_hexa_color, identities, metadata, phone_numbers } = user
    return {
      id,
      email,
      avatar_hexa_color,
      identities,
      metadata: metadata.map(({ key, value }) => [key, value]),
      phone_numbers,
    }
  })
  const [application] = (await client.applications.list({ org_domain })).data
  return {
    accounts: portico.accounts,
    organizations: (await client.organizations.list({})).data.map((each) => each.id),
    users,
    application: [application?.id, application?.client_id],
    meta_keys: (await client.tokenCustomization.listMetaKeys({ org_domain })).data.map((key) => key.id),
    webhooks: (await client.webhooks.list({})).data.map((hook) => [hook.id, hook.signature_key]),
    connections: (await client.ssoConnections.list({})).data.map(({ id, idp_id, active }) => [
      id,
      idp_id,
      active,
    ]),
    password: (await client.password.getConnection({ org_domain })).id,
    totp: (await client.totp.getConnection({ org_domain })).active,
    signing_keys: (await client.oidc.keySet({ org_domain })).keys.map(({ kid, alg }) => [kid, alg]).sort(),
    events: (await client.events.list({})).data.map(({ id }) => id).length,
  }
}

describe('the same seed', () => {
  longTest(
    'makes the same ids, keys, secrets and colors, in two emulators at once and after a reset',
    async () => {
      const seeds = sampled(others, 1)
      const [portico, ...beside] = await Promise.all([
        givenOne(),
        ...seeds.map(([users]) => givenEmulator({ seed: seedOf(users) })),
      ])

      const world = await worldOf(portico)
      expect(world.signing_keys.map(([, alg]) => alg)).toContain('RS256')
      expect(world.users[0]).toMatchObject({ metadata: [[{ name: 'team' }, 'engines']] })
      for (const [index, [, expectSame]] of seeds.entries()) {
        const other = beside[index]
        if (other === undefined) expect.unreachable('an emulator of each seed was started')
        expectSame(world, await worldOf(other))
        // The emulators are independent.
        expect(portico.baseUrl).not.toBe(other.baseUrl)
      }

      await portico
        .client({ name: 'Back end' })
        .users.create({ org_domain: 'awesome-company', email: 'eve@awesome.example', metadata: [] })
      await portico.reset()
      expect(await worldOf(portico)).toEqual(world)
    },
  )

  longTest('makes these ids on every machine', async () => {
    const portico = await givenOne()

    const { users, accounts } = {
      users: (await portico.client().users.list({ org_domain: 'awesome-company' })).data,
      accounts: portico.accounts,
    }

    expect(users.map(({ id }) => id)).toEqual(['019b76da-a800-72d6-ae17-f1b01c577a93'])
    expect(accounts.map(({ domain }) => domain)).toEqual(['acme', 'a-2', 'a-b'])
    expect(accounts.slice(0, 1)).toEqual([
      {
        id: '019b76da-a800-7261-ae2b-b563333fee40',
        domain: 'acme',
        api_keys: [
          {
            name: 'Back end',
            environment: 'sandbox',
            client_id: '019b76da-a800-7695-8b65-9949a5963883',
            client_secret: 'keysandbox_29uwAPycWsVRyNG6vn7TFa96Okxdx8DGJrCKbbpmHNt1q0mXI',
          },
          {
            name: 'Back end',
            environment: 'production',
            client_id: '019b76da-a800-761e-aacd-4cfde42815a9',
            client_secret: 'keyproduction_APrmH5dCCw54ssTMZxeK9T5xFA8CAtahiPDFgCUiS2shr7wJF',
          },
          {
            name: 'Reader',
            environment: 'sandbox',
            client_id: '019b76da-a800-76e4-8e61-9764e2246d81',
            client_secret: 'keysandbox_4qLX1AX9FUxKNQLxDfBkWKitd9emjVStW7c2Ru98TYxuGpGL6',
          },
        ],
      },
    ])
  })

  test('takes names with a slash for one name', async () => {
    const portico = await givenOne()

    const idsOf = async ({ domain }: { domain: string }) =>
      (await portico.client({ account: domain }).organizations.list({})).data.map(({ id }) => id)
    const ids = (await Promise.all(portico.accounts.slice(1).map(idsOf))).flat()

    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(2)
  })

  test('gives its users the roles that they name', async () => {
    const client = (await givenOne()).client({ name: 'Back end' })

    const { data } = await client.users.list({
      org_domain: 'awesome-company',
      preload_associations: ['roles'],
    })

    expect(data).toMatchObject([{ roles: ['auditor', 'viewer'] }])
  })

  test('lets its users sign in with their passwords', async () => {
    const portico = await givenOne()

    const challenge = await portico.client().password.createChallenge({
      org_domain: 'awesome-company',
      user_email: 'ada@awesome.example',
      plain_text: 'engine-of-1843-analytical',
    })

    expect(challenge).toMatchObject({ 'valid?': true, renew_password: null })
  })
})

const faultsOfTheText: SeedFault[] = [
  [
    'a member that nothing has',
    `accounts:\n  - name: Acme\n    plan: free\n    colour: red`,
    /:4:5 accounts\[0\]\.colour is no member/,
  ],
  [
    'a value of the contract',
    organization('          users:\n            - email: ada'),
    /:7:15 accounts\[0\]\.organizations\[0\]\.sandbox\.users\[0\]\.email must be an e-mail address/,
  ],
  [
    'a member of the contract that is missing',
    organization('          applications:\n            - name: X'),
    /:7:15 .*applications\[0\]\.application_type/,
  ],
  [
    'an unknown member of a record',
    organization('          users:\n            - email: a@b.example\n              mail: x'),
    /:8:15 .*users\[0\]\.mail is no member/,
  ],
  [
    'an address that stands there twice',
    organization('          users:\n            - email: a@b.example\n            - email: A@b.example'),
    /:8:15 .*users\[1\]\.email is that of an entry above it/,
  ],
  ['what is no YAML', 'accounts: [', /:1:\d+ /],
  ['nothing', '', /:1:1 the seed must be an object/],
  [
    'half of credentials',
    `accounts:\n  - name: Acme\n    api_keys:\n      - { name: X, environment: sandbox, client_id: 0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4 }`,
    /:4:9 accounts\[0\]\.api_keys\[0\] has client_id or client_secret/,
  ],
  [
    'a secret that Portico never made',
    `accounts:\n  - name: Acme\n    api_keys:\n      - { name: X, environment: sandbox, client_secret: x }`,
    /:4:42 accounts\[0\]\.api_keys\[0\]\.client_secret must be a secret that Portico made/,
  ],
]

describe('a fault of a seed', () => {
  test.each(faultsOfTheText)('%s is told with file, line and path', async (_, text, message) => {
    await expectTold(run, folder, text, message)
  })

  // The first case; the others are in seed.long.test.ts.
  test.each(faultsForTheService.slice(0, 1))(
    '%s is told with file, line and path',
    async (_, text, message) => {
      await expectTold(porticoProcess, folder, text, message)
    },
  )

  test('that is not there at all is told', async () => {
    const { code, stderr } = await run(['emulate', '--seed', join(folder, 'lost.yaml')], {})

    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/lost\.yaml cannot be read: give --seed a YAML file/),
    ])
  })
})
