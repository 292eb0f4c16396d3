import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@portico/sdk'
import { startEmbedded } from '@portico/server/embedded'
import type pg from 'pg'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { webhooksOf } from '../api/webhook-given.js'
import { startService, type Service } from '../given/harness.js'
import { longDescribe, longTest } from '../sampled.js'
import { startReceiver } from '../given/receiver.js'
import { ssoGivenOf } from '../given/sso-given.js'
import { givenFolder, portico } from './portico.js'
import { givenDataDir } from './serve-given.js'
import { given, withPostgres, type Variables } from './portico-given.js'

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  readonly remedy?: string
  readonly sql?: string
}

/** A damage, and the expected finding of doctor. */
interface Damage {
  readonly sql: string
  readonly check: string
  readonly detail: RegExp
  /** The repair, if the remedy is not SQL: the named command, the worker, or a function of the test. */
  readonly mended?: 'command' | 'worker' | ((service: Service, client: pg.Client) => Promise<unknown>)
}

const schema = (sql: string, detail: RegExp): Damage => ({ sql, detail, check: 'Schema' })

/** Flips a bit of a webhook's sealed key; running it again restores the key. */
const flipped = `update webhooks set signature_key_sealed = set_bit(signature_key_sealed, 300, 1 - get_bit(signature_key_sealed, 300))
  where name = 'Silent'`

/** All damages, made in one database one after the other. */
const damages: Readonly<Record<string, Damage>> = {
  'a dropped foreign key': schema(
    `alter table webhook_attempts drop constraint webhook_attempts_delivery_fkey;
     insert into webhook_attempts (account_id, environment, delivery_id, webhook_id, number, outcome, duration_ms, started_at)
     select id, 'sandbox', gen_random_uuid(), gen_random_uuid(), 1, 'x', 1, 'epoch' from accounts limit 1`,
    /foreign key webhook_attempts_delivery_fkey on webhook_attempts is missing/,
  ),
  'rows whose parent is gone with the key': {
    sql: '',
    check: 'Missing parents',
    detail: /^1 row of webhook_attempts refer.* webhook_deliveries .*\(webhook_attempts_delivery_fkey\)/,
  },
  'rows that stayed when their parent went, though the key is there': {
    sql: `create function keep() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger keep before delete on sso_metadata_versions for each row execute function keep();
      delete from sso_connections where id = (select id from sso_connections order by id desc limit 1);
      drop function keep() cascade`,
    check: 'Missing parents',
    detail:
      /^1 row of sso_metadata_versions refer.* sso_connections .*\(sso_metadata_versions_connection_fkey\)/,
  },
  'a foreign key that was added NOT VALID': schema(
    `alter table saml_requests drop constraint saml_requests_connection_fkey;
     alter table saml_requests add constraint saml_requests_connection_fkey
       foreign key (account_id, environment, organization_id, connection_id)
       references sso_connections (account_id, environment, organization_id, id) on delete cascade not valid`,
    /saml_requests_connection_fkey on saml_requests is NOT VALID/,
  ),
  'a foreign key with other consequences': schema(
    `alter table webhook_deliveries drop constraint webhook_deliveries_event_fkey;
     alter table webhook_deliveries add constraint webhook_deliveries_event_fkey
       foreign key (account_id, environment, id) references events (account_id, environment, id)`,
    /webhook_deliveries_event_fkey on webhook_deliveries is not as the migrations make it/,
  ),
  'a dropped primary key': schema(
    'alter table outbox_messages drop constraint outbox_messages_pkey',
    /constraint outbox_messages_pkey on outbox_messages is missing/,
  ),
  'a dropped unique constraint': schema(
    'alter table organizations drop constraint organizations_domain_key',
    /constraint organizations_domain_key on organizations is missing/,
  ),
  'a dropped check': schema(
    'alter table signing_keys drop constraint signing_keys_state_check',
    /constraint signing_keys_state_check on signing_keys is missing/,
  ),
  'a check that allows more': schema(
    `alter table accounts drop constraint accounts_plan_check,
       add constraint accounts_plan_check check (plan in ('free', 'unlimited', 'gold'))`,
    /constraint accounts_plan_check on accounts is not as the migrations make it: .*gold/,
  ),
  'a dropped index': schema(
    'drop index organizations_list',
    /index organizations_list on organizations is missing/,
  ),
  'an index on other columns': schema(
    'drop index webhooks_list; create index webhooks_list on webhooks (account_id, environment, id) where deleted_at is null',
    /index webhooks_list on webhooks is not as the migrations make it/,
  ),
  'an index whose making failed': schema(
    `drop index log_events_list;
     create index log_events_list on only log_events
       (account_id, environment, organization_id, inserted_at desc, id desc)`,
    /index log_events_list on log_events is invalid/,
  ),
  'a dropped trigger': schema(
    'drop trigger applications_count_update on applications',
    /trigger applications_count_update on applications is missing/,
  ),
  'a disabled trigger': schema(
    'alter table organizations disable trigger organizations_count_delete',
    /trigger organizations_count_delete on organizations is disabled/,
  ),
  'a trigger for fewer rows': schema(
    `drop trigger events_inserted on events;
     create trigger events_inserted after insert on events for each row
       when (new.position is null and new.subject_id is null) execute function events_inserted()`,
    /trigger events_inserted on events is not as the migrations make it/,
  ),
  'a function with another word behind a cast': schema(
    `do $do$ begin execute
       replace(pg_get_functiondef('organizations_count_insert'::regproc), '::uuid as organization_id', '::uuid as other');
     end $do$`,
    /function organizations_count_insert is not as the migrations make it/,
  ),
  'a function that does something else': schema(
    `create or replace function users_count_update() returns trigger language plpgsql as $$ begin return null; end $$`,
    /function users_count_update is not as the migrations make it/,
  ),
  'a dropped function': schema(
    'drop function events_keep_position() cascade',
    /function events_keep_position is missing/,
  ),
  'the trigger that went with it': schema('', /trigger events_keep_position on events is missing/),
  'a dropped column': schema(
    'alter table organizations drop column timezone',
    /column organizations.timezone is missing/,
  ),
  'a column without its default': schema(
    'alter table users alter column version drop default',
    /column users.version is not as the migrations make it: integer not null$/,
  ),
  'a column that takes null': schema(
    'alter table users alter column email drop not null',
    /column users.email is not as the migrations make it/,
  ),
  'a column of another type': schema(
    'alter table slugs alter column inserted_at type timestamptz(6)',
    /column slugs.inserted_at is not as the migrations make it/,
  ),
  'a column that no longer numbers its rows': schema(
    'alter table log_events alter column id drop identity',
    /column log_events.id is not as the migrations make it/,
  ),
  'a partition that is gone': schema(
    'drop table log_events_after',
    /log_events has no partition for what is since \d{4}-\d\d-01T00:00:00Z$/,
  ),
  'a total of users that drifted': {
    sql: `insert into record_counts (kind, account_id, environment, organization_id, delta)
      select 'users', account_id, 'sandbox', id, 5 from organizations limit 1`,
    check: 'Counts',
    detail: /^1 total of users is wrong, by 5 records/,
  },
  'totals of organizations that are gone': {
    sql: `delete from record_counts where kind = 'organizations'`,
    check: 'Counts',
    detail: /of organizations (is|are) wrong/,
  },
  'a total of applications that drifted': {
    sql: `update record_counts set delta = delta + 1 where kind = 'applications'`,
    check: 'Counts',
    detail: /^1 total of applications is wrong, by 1 records/,
  },
  'places of events that were given before': {
    sql: 'update event_sequencers set last_position = 1',
    check: 'Counts',
    detail: /the last place of 1 stream of events is behind/,
  },
  'ids of jobs that were given before': {
    sql: `select setval('jobs_id_seq', 1)`,
    check: 'Counts',
    detail: /jobs have ids up to \d+/,
  },
  'sealed values that were altered': {
    sql: flipped,
    check: 'Master keys',
    detail: /^1 value of webhooks.signature_key_sealed.* does not open.*id [0-9a-f-]{36}/,
    mended: (_service, client) => client.query(flipped),
  },
  'an organization without an active signing key': {
    sql: `delete from signing_keys where environment = 'production'
      and organization_id = (select id from organizations order by inserted_at limit 1)`,
    check: 'Signing keys',
    detail: /^organization-\S+ \(production\) has no active key for ES256/,
    mended: 'command',
  },
  'an account without an active signing key': {
    sql: `delete from signing_keys where environment = 'production' and organization_id = '00000000-0000-0000-0000-000000000000'
      and account_id = (select id from accounts order by inserted_at limit 1)`,
    check: 'Signing keys',
    detail: /^the API tokens of the account \S+ \(production\) have no active key/,
    mended: 'command',
  },
  'an account without an active signing key as an issuer': {
    sql: `delete from signing_keys where environment = 'production' and organization_id = account_id
      and account_id = (select id from accounts order by inserted_at limit 1)`,
    check: 'Signing keys',
    detail: /^the account \S+ as an issuer \(production\) has no active key for ES256/,
    mended: 'command',
  },
  'an API key that has expired': {
    sql: `update api_keys set expires_at = '2020-01-01' where name = 'old'`,
    check: 'API keys',
    detail: /^old of \S+ expired on 2020-01-01/,
    mended: 'command',
  },
  'the certificate of an identity provider that has expired': {
    sql: `update sso_metadata_versions set certificates = jsonb_set(certificates, '{0,not_after}', '"2020-01-01T00:00:00Z"')`,
    check: 'Certificates',
    detail: /SSO connection \S+ of \S+ \(sandbox\) has expired/,
    mended: (_service, client) => client.query('update sso_connections set active = false'),
  },
  'a job that nobody runs': {
    sql: `insert into jobs (id, name, payload, run_at, inserted_at) overriding system value
      values (1000001, 'fold_record_counts', '{}', 'epoch', 'epoch')`,
    check: 'Jobs',
    detail: /^1 are overdue: fold_record_counts/,
    mended: 'worker',
  },
  'a job that failed for good': {
    sql: `insert into jobs (id, name, payload, run_at, inserted_at) overriding system value
      values (1000002, 'fold_record_counts', '{}', 'infinity', 'epoch')`,
    check: 'Jobs',
    detail: /^1 failed for the last time/,
  },
  'deliveries that nobody sends': {
    sql: `update webhook_deliveries set run_at = 'epoch' where state = 'pending'`,
    check: 'Deliveries',
    detail: /^2 to the webhook Receiver of \S+ \(sandbox\) are overdue/,
    mended: 'worker',
  },
  'deliveries to a receiver that refuses them': {
    sql: `update webhooks set failing_since = '2020-01-01' where name = 'Broken'`,
    check: 'Deliveries',
    detail: /^2 to the webhook Broken of \S+ \(sandbox\), which refused the last one, are overdue/,
    mended: 'worker',
  },
  'an event that waits for its place': {
    sql: `update unnumbered_events set issued_at = '2020-01-01';
      update events set issued_at = '2020-01-01' from unnumbered_events where event_id = id`,
    check: 'Events',
    detail: /wait for minutes to get their place/,
    mended: 'worker',
  },
  'an event without a place': {
    sql: 'delete from event_positions where position = 2',
    check: 'Events',
    detail: /^1 of the newest have no place/,
  },
  'a domain that connections of two organizations claim': {
    sql: `create temp table another as select * from sso_connections limit 1;
      update another set id = gen_random_uuid(), idp_id = 'another', organization_id = (
        select organizations.id from organizations
        where organizations.account_id = another.account_id and organizations.id <> another.organization_id limit 1
      );
      insert into sso_connections select * from another;
      update sso_connections set active = true, email_domains = '{corp.example}'`,
    check: 'E-mail domains',
    detail:
      /^domain_claimed_twice: corp\.example \(sandbox\) is in email_domains of connections of organization-/,
    mended: (_service, client) =>
      client.query(
        `delete from sso_connections where idp_id = 'another'; update sso_connections set active = false`,
      ),
  },
  'users who lack what is required': {
    sql: `insert into meta_keys select account_id, id, gen_random_uuid(), 'staff', 'string', true, 'epoch' from organizations`,
    check: 'Metadata',
    detail: /users of organization-\S+ \(sandbox\) lack metadata/,
    mended: (_service, client) => client.query(`delete from meta_keys where name = 'staff'`),
  },
}

async function examined(
  variables: Variables,
  ...options: string[]
): Promise<{ code: number; findings: Finding[] }> {
  const { code, stdout } = await portico(['doctor', '--json', ...options], variables)
  // These tests assert the form of the output.
  return { code, findings: JSON.parse(stdout) as Finding[] }
}

function faultsIn(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ ok }) => !ok)
}

describe('portico doctor', () => {
  let service: Service
  let variables: Variables
  let healthy: { code: number; findings: Finding[] }
  let damaged: { code: number; findings: Finding[] }
  let beforeStart: { code: number; findings: Finding[] }
  let mended: { code: number; findings: Finding[] }

  beforeAll(async () => {
    service = await startService()
    variables = { DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys }
    await arrange(service)
    healthy = await examined(variables)
    await withPostgres(service.databaseUrl, async (client) => {
      for (const { sql } of Object.values(damages)) await client.query(sql)
      damaged = await examined(variables)
      beforeStart = await examined(variables, '--before-start')
      for (const { sql } of damaged.findings)
        if (sql !== undefined) await client.query(sql.replace(/^select \*/, 'delete'))
      for (const damage of Object.values(damages)) await mend(service, client, damage)
    })
    mended = await examined(variables)
  }, 120_000)

  async function mend(on: Service, client: pg.Client, damage: Damage): Promise<void> {
    if (damage.mended === undefined) return
    if (typeof damage.mended === 'function') await damage.mended(on, client)
    else if (damage.mended === 'worker') await runAllJobs(on)
    else {
      const [words] = /portico [\w -]+$/.exec(findingOf(damage)?.remedy ?? '') ?? []
      if (words === undefined) return
      const { code, stderr } = await portico(words.split(' ').slice(1), variables)
      expect([words, code, stderr]).toEqual([words, 0, expect.any(String)])
    }
  }

  function findingOf(damage: Damage, { findings } = damaged): Finding | undefined {
    return findings.find(
      ({ check, ok, detail }) => !ok && check === damage.check && damage.detail.test(detail),
    )
  }

  test('finds no fault in a database that is right', () => {
    expect(faultsIn(healthy.findings)).toEqual([])
    expect(healthy.code).toBe(0)
  })

  test('lists the applications whose sign-ins need neither PKCE nor a nonce, which is no fault', () => {
    expect(healthy.findings.filter(({ check }) => check === 'Applications')).toEqual([
      {
        check: 'Applications',
        ok: true,
        detail: `pkce is optional: sign-ins of Wiki of ${service.account.domain} (sandbox) need neither PKCE nor a nonce`,
      },
    ])
  })

  test('lists the connections from whose portals nobody reaches the application, which is no fault', () => {
    expect(healthy.findings.filter(({ check }) => check === 'Default redirections')).toEqual([
      {
        check: 'Default redirections',
        ok: true,
        detail: expect.stringMatching(
          /^sign-ins that begin at the identity provider of \S+ of \S+ \(sandbox\) end on a page: Wiki has no initiate_login_uri$/,
        ),
        remedy: 'set it to the address at which the application begins a sign-in',
      },
    ])
  })

  test('names the sender of mails that the relay of Apple has to know, which is no fault', () => {
    expect(healthy.findings.filter(({ check }) => check === 'Relay addresses')).toEqual([
      {
        check: 'Relay addresses',
        ok: true,
        detail: `users of Apple at ${service.account.domain} (production) can hide their addresses, and get mails from no-reply@localhost only where it is registered`,
        remedy:
          'register no-reply@localhost at Apple, under Services, Sign in with Apple for Email Communication',
      },
    ])
  })

  test.each(Object.entries(damages))('names %s, and what mends it', (_title, damage) => {
    const found = findingOf(damage)
    expect(found ?? faultsIn(damaged.findings)).toMatchObject({
      check: damage.check,
      remedy: expect.any(String),
    })
    if (damage.mended === undefined) expect(found?.sql).toMatch(/;$/)
    expect(findingOf(damage, mended)).toBeUndefined()
    expect(damaged.code).toBe(1)
  })

  test('finds no fault when everything was done that it said', () => {
    expect(faultsIn(mended.findings)).toEqual([])
    expect(mended.code).toBe(0)
  })

  test('makes no check that the table of the guide lacks', () => {
    const guide = readFileSync(new URL('../../docs/guides/operate.md', import.meta.url), 'utf8')
    const [, table = ''] = /^## Doctor\n.*?\n\n(\| check .*?)\n\n/ms.exec(guide) ?? []
    const listed = table.split('\n').flatMap((row) => row.split('|')[1]?.split(',') ?? [])

    const known = new Set(listed.map((name) => name.trim()))
    expect(mended.findings.map(({ check }) => check).filter((check) => !known.has(check))).toEqual([])
  })

  test('--before-start looks at what has to be right before a process starts, and at no record', () => {
    const checks = new Set(beforeStart.findings.map(({ check }) => check))
    expect([...checks]).toEqual([
      'Configuration',
      'Proxy',
      'Database',
      'Clock',
      'Migrations',
      'Schema',
      'Master keys',
    ])
    expect(new Set(faultsIn(beforeStart.findings).map(({ check }) => check))).toEqual(new Set(['Schema']))
    expect(beforeStart.code).toBe(1)
  })
})

/** Creates an object of every kind that can be damaged. */
async function arrange(service: Service): Promise<void> {
  const client = await service.client()
  await service.apiKey({ name: 'old' })
  const webhooks = webhooksOf(service, client)
  const receiver = await startReceiver()
  await webhooks.subscribed(receiver, {
    name: 'Silent',
    event_codes: ['application.application.create.success'],
  })
  const organization = await service.given.organization()
  await service.given.application({ org_domain: organization.domain })
  const wiki = await service.given.application({
    org_domain: organization.domain,
    name: 'Wiki',
    application_type: 'regular_web',
    client_authentication: 'secret',
    pkce: 'optional',
    token_signing_alg: 'ES256',
  })
  const { idp_id } = await ssoGivenOf(client).configured(organization.id)
  const redirection = { organization_id: organization.id, application_id: wiki.id }
  await client.ssoConnections.createDefaultRedirection({ idp_id, ...redirection })
  await ssoGivenOf(client).configured((await service.given.organization()).id)
  await addApple(await service.client({ environment: 'production' }))
  // Mails of this one stay here.
  await addApple(client)
  await runAllJobs(service)
  await webhooks.subscribed(receiver)
  await webhooks.subscribed(receiver, { name: 'Broken' })
  await webhooks.happen(2)
}

async function addApple(client: Client): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const developer = { team_id: 'ABCDE12345', key_id: 'KEY1234567', private_key }
  await client.socialProviders.create({ name: 'apple', client_id: 'com.awesome.web', ...developer })
}

/** Runs all jobs, including those due within minutes. */
async function runAllJobs(service: Service): Promise<void> {
  await service.clock.advance(120)
  await service.runJobs()
}

longDescribe('portico doctor, when much is gone', () => {
  test('goes on with the other checks when one cannot be made', async () => {
    const variables = await given.database({ template: inject('templateName') })
    await withPostgres(variables.DATABASE_URL, (client) =>
      client.query(
        `drop table api_keys cascade; alter table users drop column deleted_at cascade;
         drop table log_events_before, log_events_after;
         insert into jobs (name, payload, run_at, inserted_at) values ('y', '{}', 'epoch', 'epoch')`,
      ),
    )

    const faults = faultsIn((await examined(variables)).findings)

    const told = (check: string) =>
      faults.filter((fault) => fault.check === check).map(({ detail }) => detail)
    expect(told('Schema')).toEqual(
      expect.arrayContaining([
        'the table api_keys is missing',
        'the column users.deleted_at is missing',
        'the index users_list on users is missing',
      ]),
    )
    expect(told('Schema').join()).not.toContain('api_keys_id_key')
    expect(told('Counts')).toEqual([expect.stringContaining('cannot be told')])
    expect(told('API keys')).toEqual([expect.stringContaining('cannot be told')])
    expect(told('Jobs')).toEqual([expect.stringContaining('overdue')])

    await withPostgres(variables.DATABASE_URL, async (client) => {
      for (const { sql } of faults) if (sql !== undefined) await client.query(sql)
    })
    const left = faultsIn((await examined(variables)).findings).map(
      ({ check, detail }) => `${check}: ${detail}`,
    )
    expect(left).toEqual([
      'Schema: the table api_keys is missing',
      expect.stringMatching(/^API keys: it cannot be told/),
      expect.stringMatching(/^Jobs: 1 are overdue/),
    ])
  })

  test('says that the master keys are not those of the database, and nothing is sealed with them', async () => {
    const variables = await given.database({ template: inject('templateName') })
    const other = { ...variables, MASTER_KEYS: `v1:${Buffer.alloc(32, 7).toString('base64')}` }
    expect((await examined(variables, '--before-start')).code).toBe(0)
    const sealed = () =>
      withPostgres(
        variables.DATABASE_URL,
        async (client) => (await client.query('select from master_key_canary')).rowCount,
      )
    expect(await sealed()).toBe(0)
    await portico(['account', 'create', 'acme'], variables)
    expect(await sealed()).toBe(1)

    for (const options of [[], ['--before-start']]) {
      const { code, findings } = await examined(other, ...options)
      expect(faultsIn(findings).map(({ check, detail }) => [check, detail])).toEqual([
        ['Master keys', 'MASTER_KEYS are not the keys that this database was sealed with'],
      ])
      expect(code).toBe(1)
    }
  })
})

describe('portico doctor, on the embedded default', () => {
  test('makes nothing where there is nothing yet', async () => {
    const folder = givenFolder()

    const { code, findings } = await examined({ DATA_DIR: join(folder, 'data') }, '--before-start')

    expect(findings).toContainEqual({
      check: 'Database',
      ok: true,
      detail: expect.stringContaining('first start'),
    })
    expect([code, await readdir(folder)]).toEqual([0, []])
  })

  test('makes no master keys in place of those that are gone', async () => {
    const { DATABASE_URL, MASTER_KEYS = '' } = await given.database({ template: inject('templateName') })
    await portico(['account', 'create', 'acme'], { DATABASE_URL, MASTER_KEYS })
    const folder = givenFolder()

    const { findings } = await examined({ DATABASE_URL, DATA_DIR: join(folder, 'data') }, '--before-start')

    expect(faultsIn(findings)).toMatchObject([
      { check: 'Master keys', remedy: expect.stringContaining('the file master-keys in DATA_DIR') },
    ])
    expect(await readdir(folder)).toEqual([])
  })

  longTest(
    'starts it and migrates nothing',
    async () => {
      const dataDir = await givenDataDir()
      const migrationsAfter = async (change: string) => {
        const postgres = await startEmbedded({ dataDir })
        const found = await withPostgres(postgres.url, async (client) => {
          await client.query(change)
          return client.query<{ name: string }>('select name from kysely_migration order by name')
        })
        await postgres.stop()
        return found.rows
      }
      const one = await migrationsAfter(
        'delete from kysely_migration where name = (select max(name) from kysely_migration)',
      )

      const { code, findings } = await examined({ DATA_DIR: dataDir })

      expect(findings.at(-1)).toEqual({
        check: 'Migrations',
        ok: true,
        detail: 'the next start runs 1; nothing more is looked at before',
      })
      expect([code, await migrationsAfter('select')]).toEqual([0, one])
      expect(await readdir(dataDir)).not.toContain('master-keys')
    },
    60_000,
  )
})

test('portico doctor leaves the schema of a newer release to the doctor of that', async () => {
  const variables = await given.database({ template: inject('templateName') })
  await withPostgres(variables.DATABASE_URL, (client) =>
    client.query(
      `insert into kysely_migration (name, timestamp) values ('9999-newer', '2999-01-01');
       drop index users_list; alter table users add column newer text; drop table log_events_after`,
    ),
  )

  const { code, findings } = await examined(variables, '--before-start')

  expect(findings).toContainEqual({ check: 'Schema', ok: true, detail: expect.stringContaining('newer') })
  expect(code).toBe(0)
})

test('portico doctor of the version before opens what it knows of a newer database, whose seals are not all its own', async () => {
  const variables = await given.database({ template: inject('templateName') })
  await withPostgres(variables.DATABASE_URL, (client) =>
    client.query(
      `insert into kysely_migration (name, timestamp) values ('9999-newer', '2999-01-01');
       alter table users add column newer_sealed bytea`,
    ),
  )

  const { code, findings } = await examined(variables)

  expect(findings).toContainEqual({
    check: 'Master keys',
    ok: true,
    detail: 'they open what is sealed, as far as this release knows it; v1 is current',
  })
  expect(code).toBe(0)
  // What it does not know would stay behind, sealed with a key that is then removed.
  for (const command of ['rewrap', 'status'])
    expect((await portico(['keys', command], variables)).stderr).toContain(
      'This version does not know what users.newer_sealed seals',
    )
})

test('portico doctor names a DATABASE_DIRECT_URL of another database', async () => {
  const variables = await given.database({ template: inject('templateName') })
  const { DATABASE_URL: other } = await given.database({ template: inject('templateName') })
  const through = async (url: string) => {
    const { findings } = await examined({ ...variables, DATABASE_DIRECT_URL: url }, '--before-start')
    return findings.find(({ check }) => check === 'Direct')
  }
  // A way of its own to the same database, as past a pooler.
  const same = new URL(variables.DATABASE_URL)
  same.searchParams.set('application_name', 'direct')

  expect(await through(other)).toMatchObject({
    ok: false,
    detail: 'DATABASE_DIRECT_URL names another database than DATABASE_URL',
  })
  expect(await through(same.href)).toMatchObject({ ok: true })
})

longTest('what an operator adds to the schema is no fault', async () => {
  const variables = await given.database({ template: inject('templateName') })
  await withPostgres(variables.DATABASE_URL, (client) =>
    client.query(
      `create table notes (id integer primary key, organization_id uuid);
       create index users_of_ours on users (inserted_at);
       alter table users add column ours text;
       create function number_events() returns integer language sql as 'select 1';
       create view names as select name from organizations`,
    ),
  )

  expect(faultsIn((await examined(variables)).findings)).toEqual([])
})

longTest('portico doctor writes nothing, and finds sample data right', async () => {
  const variables = await given.database({ template: inject('templateName') })
  await portico(['account', 'create', 'acme'], variables)
  await portico(['sample-data', '--organizations', '3', '--users', '30', '--skew'], variables)
  const reader = new URL(variables.DATABASE_URL)
  reader.searchParams.set('options', '-c default_transaction_read_only=on')

  const { code, findings } = await examined({ ...variables, DATABASE_URL: reader.href })

  expect(faultsIn(findings)).toEqual([])
  expect(code).toBe(0)
})
