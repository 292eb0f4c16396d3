import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'

const service = await startService()
const usersWithOne = 300

test('a session is found by its id where most users have one, since another may have thousands', async () => {
  const { domain: org_domain } = await service.given.organization()
  const { id } = await service.given.user({ org_domain })
  const application = await service.given.application({ org_domain })
  // Copies of what the service has made: the service would take a minute for as many sign-ins.
  await service.query(
    `insert into users select copy.* from users original, generate_series(1, ${usersWithOne}) n,
       jsonb_populate_record(original, jsonb_build_object(
         'id', gen_random_uuid(), 'email', n || email, 'email_normalized', n || email_normalized
       )) copy
     where original.id = $1`,
    [id],
  )
  await service.query(
    `insert into sessions (
       account_id, environment, organization_id, id, user_id, application_id, amr, authenticated_at, expires_at, last_used_at
     )
     select account_id, environment, organization_id, gen_random_uuid(), id, $1, '{email}', now(), now() + interval '8 hours', now()
     from users`,
    [application.id],
  )
  await service.query('analyze users')
  await service.query('analyze sessions')

  const plan = await service.query<{ 'QUERY PLAN': string }>(
    `explain (generic_plan) select from sessions
     where account_id = $1 and environment = $2 and organization_id = $3 and id = $4 and user_id = $5`,
  )

  const lines = plan.map((row) => row['QUERY PLAN']).filter((line) => /\bon sessions\b/.test(line))
  expect(lines).toEqual([expect.stringContaining('using sessions_pkey')])
})
