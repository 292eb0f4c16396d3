import { routes } from '@portico/contract/walk'
import { migrateDatabase } from '@portico/server/migrate'
import { openMagicLink } from '@portico/sdk'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { anything, givenOf } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { bodyFor, send } from '../given/request-of.js'
import { createWorldFor, freshMembers } from '../given/world.js'
import { portico } from '../cli/portico.js'
import { createDatabase15, postgres15, startPostgres15, type DebianPostgres } from './debian-postgres.js'

// The locale provider of a database determines collation and case folding; the service must depend on neither.
const kinds = [
  ['in the order of code points', "locale 'C.UTF-8'"],
  ['in the order of English', "locale 'C.UTF-8' locale_provider icu icu_locale 'en-US'"],
] as const

describe.skipIf(postgres15 === undefined)('Postgres 15', () => {
  let postgres: DebianPostgres
  beforeAll(async () => {
    postgres = await startPostgres15()
  }, 60_000)

  describe.each(kinds)('with a database %s', (_kind, options) => {
    let service: Service
    beforeAll(async () => {
      const url = await createDatabase15(postgres, options)
      const applied = await migrateDatabase(url)
      expect(applied.length).toBeGreaterThan(0)
      service = await startService({ databaseUrl: url })
    }, 60_000)

    test('every operation answers its success', async () => {
      const token = await service.token()
      for (const route of routes().filter(({ access }) => access.auth === 'api_key')) {
        const references = await createWorldFor(route, service)
        const sample = bodyFor(route, references)
        const body = sample && { ...sample, ...freshMembers(route.name) }
        const answer = await send(route, { baseUrl: service.baseUrl, token, references, body })
        expect([route.name, answer.status, answer.text]).toMatchObject([
          route.name,
          route.successStatus,
          expect.any(String),
        ])
      }
    })

    test('a user signs in with a mailed link', async () => {
      const client = await service.client()
      const { domain: org_domain } = await service.given.organization()
      await service.given.application({ org_domain })
      const { email: user_email } = await service.given.user({ org_domain })
      await client.magicLink.createChallenge({ org_domain, user_email })
      await service.runJobs()
      const { data } = await client.outbox.list({ to: user_email })
      const [link = ''] = /http:\S+/.exec(data[0]?.text ?? '') ?? []
      const { code } = await openMagicLink(link)
      const tokens = await client.oauth.token({ grant_type: 'authorization_code', code })
      expect(tokens).toMatchObject({ token_type: 'Bearer' })
    })

    test('a list sorted by text is in one order, and complete by pages and by cursor', async () => {
      const client = await service.client({ account: await service.createAccount() })
      const names = ['b', 'A', 'a', 'B', 'é', 'ab', 'a b', 'a-b', 'Z', 'z', '10', '9', '_', 'ä']
      for (const name of names) await givenOf(client).organization({ name })
      for (const sort of ['name', '-name', 'domain', '-domain']) {
        const { data } = await client.organizations.list({ sort, per_page: 100 })
        const whole = data.map((organization) => organization.name)
        expect([...whole].sort()).toEqual([...names].sort())

        const walked: string[] = []
        for await (const { name } of client.organizations.list.all({ sort, per_page: 2 })) {
          walked.push(name)
          if (walked.length > names.length) break
        }
        const paged: string[] = []
        for (let page = 1; page <= names.length / 2; page++) {
          const part = await client.organizations.list({ sort, page, per_page: 2 })
          paged.push(...part.data.map((organization) => organization.name))
        }
        expect.soft([sort, walked]).toEqual([sort, whole])
        expect.soft([sort, paged]).toEqual([sort, whole])
      }
    })

    test('a person is erased, and the log is kept by month and goes with it', async () => {
      const { domain: org_domain } = await service.given.organization()
      const { id: user_id } = await service.given.user({ org_domain })
      const client = await service.client()
      await client.users.delete({ org_domain, user_id })
      const placesOf = async () =>
        (
          await service.query<{ place: string }>(
            'select distinct tableoid::regclass::text as place from log_events',
          )
        ).map(({ place }) => place)

      await service.clock.advance(31 * 24 * 60 * 60)
      await service.runJobs()
      await service.token()

      expect(await service.query('select from users where id = $1', [user_id])).toEqual([])
      const { data } = await client.events.list({ code: 'user.user.erase.success' })
      const erased = {
        code: 'user.user.erase.success',
        data: expect.objectContaining({ id: user_id }) as unknown,
      }
      expect(data).toContainEqual(expect.objectContaining(erased))
      const places = await placesOf()
      expect(places).toContainEqual(expect.stringMatching(/^log_events_\d{4}_\d\d$/))

      await service.clock.advance(400 * 24 * 60 * 60)
      await service.runJobs()
      // Jobs of that day write log events in a later month.
      expect((await placesOf()).filter((place) => places.includes(place))).toEqual([])
      await service.clock.advance(-431 * 24 * 60 * 60)
      await service.token()
      expect(await placesOf()).toContain('log_events_before')
    })

    test('portico doctor knows the schema, and foreign keys that a superuser has switched off', async () => {
      await service.given.organization()
      const client = new pg.Client({ connectionString: service.databaseUrl })
      await client.connect()
      const reader = new URL(service.databaseUrl)
      reader.username = `reader_of_${reader.pathname.slice(1)}`
      const faults = async () => {
        const variables = { DATABASE_URL: reader.href, MASTER_KEYS: service.masterKeys }
        const { stdout } = await portico(['doctor', '--json'], variables)
        // The test asserts the form of the output.
        const findings = JSON.parse(stdout) as { check: string; ok: boolean; detail: string; sql?: string }[]
        const checks = ['Missing parents', 'Schema', 'Counts', 'Master keys']
        return findings.filter(({ check, ok }) => !ok && checks.includes(check))
      }
      try {
        await client.query(`
          create role ${reader.username} login;
          grant select on all tables in schema public to ${reader.username}`)
        expect(await faults()).toEqual([])

        await client.query(`
          alter table user_metadata disable trigger all;
          insert into meta_keys select account_id, id, gen_random_uuid(), 'x', 'string', false, 'epoch'
          from organizations limit 1;
          alter table meta_keys disable trigger all;
          update meta_keys set organization_id = gen_random_uuid() where name = 'x'`)
        const found = await faults()
        expect(found.map(({ check, detail }) => `${check}: ${detail}`)).toEqual(
          expect.arrayContaining([
            expect.stringMatching(/^Missing parents: 1 row of meta_keys .*meta_keys_organization_fkey/),
            'Schema: the foreign key meta_keys_organization_fkey on meta_keys is disabled',
          ]),
        )
        // For rows without a parent, the SQL selects them; deletion is the operator's decision.
        for (const { sql = '' } of found) await client.query(sql.replace(/^select \*/, 'delete'))
        expect(await faults()).toEqual([])
      } finally {
        await client.end()
      }
    })

    test('a filter finds text in any case', async () => {
      const { domain } = await service.given.organization({ name: `École ${anything()}` })
      const found = await (await service.client()).organizations.list({ filter: 'éCOLE' })
      expect(found.data.map((organization) => organization.domain)).toContain(domain)
    })
  })
})
