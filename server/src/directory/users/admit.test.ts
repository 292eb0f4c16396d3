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

async function outcomeOf(
  tenant: Tenant,
  via: Exclude<Door, 'import' | 'directory'>,
  email = 'ada@corp.example',
  isAddressProven = false,
) {
  const { deps } = queue
  return deps.db.transaction().execute(async (trx) => {
    try {
      const user = await admit(deps, trx, tenant, {
        via,
        id: uuidv7(),
        email,
        emailVerified: false,
        isAddressProven,
      })
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

async function givenInvitation(tenant: Tenant, expiresAt: Date): Promise<void> {
  await sql`
    insert into invitations (account_id, environment, organization_id, id, email, email_normalized, state, is_url_returned,
      role_ids, profile, metadata, inviter_type, inviter_id, expires_at, sends, version, inserted_at, updated_at)
    values (${account}, 'sandbox', ${tenant.domain}, ${uuidv7()}, 'ada@corp.example', 'ada@corp.example', 'pending', false,
      '{}', '{}', '[]', 'api_key', 'x', ${expiresAt}, 1, 1, ${queue.now()}, ${queue.now()})`.execute(queue.db)
}

async function invitationOf(tenant: Tenant) {
  const { rows } = await sql<{ state: string; user_id: string | null }>`
    select state, user_id from invitations where organization_id = ${tenant.domain}`.execute(queue.db)
  return rows.map(({ state, user_id: userId }) => [state, userId !== null])
}

test.each([
  ['link', true, -1, 'accepted', true],
  ['link', true, 0, 'pending', false],
  ['link', true, 1, 'pending', false],
  ['link', false, -1, 'revoked', false],
  ['sso', true, -1, 'accepted', true],
  ['sso', false, -1, 'revoked', false],
  ['relay', false, -1, 'revoked', false],
  ['api', false, -1, 'revoked', false],
  ['invitation', true, -1, 'accepted', true],
] as const)(
  'a newcomer by %s, with the address proved: %s, %i ms after the end of its invitation leaves it %s',
  async (via, isProved, ms, state, hasUser) => {
    const tenant = await givenTenant()
    await givenInvitation(tenant, new Date(queue.now().getTime() - ms))
    expect(await outcomeOf(tenant, via, 'ADA@corp.example', isProved)).toBe('admitted')
    expect(await invitationOf(tenant)).toEqual([[state, hasUser]])
  },
)

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
