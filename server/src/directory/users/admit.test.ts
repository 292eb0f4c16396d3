import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeAll, expect, test } from 'vitest'
import { causeBy, type Tenant } from '../../platform/tenant.js'
import { startQueue, type Queue } from '../../delivery/jobs/run.given.js'
import { admit, AdmissionRefused, type Door } from './admit.js'

let queue: Queue
const account = uuidv7()

beforeAll(async () => {
  queue = await startQueue()
  await sql`
    insert into accounts (id, domain, plan, inserted_at)
    values (${account}, 'acme', 'unlimited', ${queue.now()})`.execute(queue.db)
}, 60_000)

/** An organization that allows some domains, and demands single sign-on of corp.example where that is asked for. */
async function givenTenant({ allowed = [] as string[], isSsoRequired = false } = {}): Promise<Tenant> {
  const id = uuidv7()
  const at = queue.now()
  await sql`
    insert into organizations (account_id, id, domain, name, color, allowed_email_domains, inserted_at, updated_at)
    values (${account}, ${id}, ${id}, 'x', 'x', ${allowed}::text[], ${at}, ${at})`.execute(queue.db)
  if (isSsoRequired) {
    await sql`
      insert into domains (account_id, environment, organization_id, id, domain, token, state, declared,
        include_subdomains, sso_required, inserted_at, updated_at)
      values (${account}, 'sandbox', ${id}, ${uuidv7()}, 'corp.example', 't', 'declared', true, false, true, ${at}, ${at})`.execute(
      queue.db,
    )
    await sql`
      insert into sso_connections (account_id, environment, organization_id, id, idp_id, provider_type, protocol, active,
        state, seats_limit, user_security_type, update_user_new_connection, email_domains, idp_initiated, allow_sha1,
        allow_cbc_unsigned_response, inserted_at, updated_at)
      values (${account}, 'sandbox', ${id}, ${uuidv7()}, ${id}, 'okta', 'saml', false, 'configured', 0, 'none', false,
        '{corp.example}', 'bounce', false, false, ${at}, ${at})`.execute(queue.db)
  }
  return {
    accountId: account,
    accountDomain: 'acme',
    environment: 'sandbox',
    domain: id,
    organizationIds: null,
    cause: causeBy('r', 'system', 'test'),
  }
}

async function outcomeOf(tenant: Tenant, via: 'api' | 'sso' | 'link' | 'relay', email = 'ada@corp.example') {
  const { deps } = queue
  return deps.db.transaction().execute(async (trx) => {
    try {
      const user = await admit(deps, trx, tenant, { via, id: uuidv7(), email, emailVerified: false })
      return user === undefined ? 'known' : 'admitted'
    } catch (error) {
      if (error instanceof AdmissionRefused) return error.code
      throw error
    }
  })
}

test.each([
  ['api', 'admitted', 'admitted'],
  ['sso', 'admitted', 'admitted'],
  ['relay', 'admitted', 'admitted'],
  ['link', 'email_domain_not_allowed', 'sso_required'],
] as const)('the insert by %s asks its rules itself', async (via, elsewhere, required) => {
  const allowing = await givenTenant({ allowed: ['other.example'] })
  expect(await outcomeOf(allowing, via)).toBe(elsewhere)
  expect(await outcomeOf(allowing, via, 'ada@other.example')).toBe('admitted')
  const demanding = await givenTenant({ isSsoRequired: true })
  expect(await outcomeOf(demanding, via)).toBe(required)
  expect(await outcomeOf(demanding, via, 'ada@else.example')).toBe('admitted')
})

test('a user who is there is not admitted again, and the event says the door', async () => {
  const tenant = await givenTenant()
  expect(await outcomeOf(tenant, 'relay')).toBe('admitted')
  expect(await outcomeOf(tenant, 'link', 'ADA@corp.example')).toBe('known')
  const { rows } = await sql<{ params: { via: Door } }>`
    select params from events where domain = ${tenant.domain} and code = 'user.user.create.success'`.execute(
    queue.db,
  )
  expect(rows.map(({ params }) => params.via)).toEqual(['relay'])
})

test('no other file of the service inserts users', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const files = (await readdir(root, { recursive: true })).filter((name) =>
    /(?<!\.test|\.given)\.tsx?$/.test(name),
  )
  const inserting: string[] = []
  for (const name of files) {
    const text = await readFile(join(root, name), 'utf8')
    if (/\binto users\b|insert(?:Into|Where|From|ion)\((?:\w+, )?'users'/.test(text)) inserting.push(name)
  }
  // The sample data are made by one statement, and no door of the service.
  expect(inserting.toSorted()).toEqual([
    join('cli', 'sample-data', 'sample-data.ts'),
    join('directory', 'users', 'admit.ts'),
  ])
})
