import { expect, test } from 'vitest'
import { callback } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { accountSignInGivenOf } from '../protocols/account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)

test('the first page of an account reads few pages of the passkey settings of its 2,000 organizations', async () => {
  const org_domain = await service.given.domain()
  const application = await service.given.application({ org_domain, allowed_redirect_urls: [callback] })
  await client.passkeys.updateConnection({ org_domain, active: true, first_factor: false })
  // Copies of what the service has made, because the service would take a minute for as many.
  await service.query(
    `insert into organizations select copy.* from organizations original, generate_series(1, 2000) n,
       jsonb_populate_record(original, jsonb_build_object('id', gen_random_uuid(), 'domain', n || original.domain)) copy
     where original.domain = $1`,
    [org_domain],
  )
  await service.query(
    `insert into passkey_connections select copy.* from passkey_connections original, organizations,
       jsonb_populate_record(original, jsonb_build_object('organization_id', organizations.id)) copy
     on conflict do nothing`,
  )
  // What the copies have read is told before the page is asked for.
  await service.query('select pg_stat_force_next_flush()')

  const before = await pagesRead()
  const page = await given.begin(application, given.flows.visitorOf())
  const after = await pagesRead()

  expect(page.status).toBe(200)
  expect(page.html).not.toContain('Sign in with a passkey')
  expect(after - before).toBeLessThanOrEqual(10)
})

/** The pages of the settings of passkeys and their indexes. A connection tells what it has read when it ends. */
async function pagesRead(): Promise<number> {
  await service.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where application_name = 'portico' and datname = current_database()`,
  )
  const [row] = await service.query<{ pages: string }>(
    `select heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read as pages
     from pg_statio_user_tables where relname = 'passkey_connections'`,
  )
  return Number(row?.pages)
}
