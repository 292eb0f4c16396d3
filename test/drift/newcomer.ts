import type { Edit } from '../guards/repository-copy.js'

/** What a newcomer writes for `job_title` on User, which may be null: three files and a line, and nothing else. */
export const newField: readonly Edit[] = [
  {
    file: 'contract/src/users.ts',
    find: 'avatar_hexa_color: z.string()',
    replace: 'job_title: personal(z.string().nullable()),\n    avatar_hexa_color: z.string()',
  },
  {
    file: 'contract/src/users.ts',
    find: "avatar_hexa_color: '#6d28d9',",
    replace: "job_title: 'Analyst',\n    avatar_hexa_color: '#6d28d9',",
  },
  {
    file: 'server/src/db/migrate.ts',
    find: '/** Every migration by name.',
    replace:
      "import * as userJobTitle from './migrations/0999-user-job-title.js'\n\n/** Every migration by name.",
  },
  {
    file: 'server/src/db/migrate.ts',
    find: 'migrations: Record<string, Migration> = {',
    replace: "migrations: Record<string, Migration> = {\n  '0999-user-job-title': userJobTitle,",
  },
  {
    file: 'server/src/users/record.ts',
    find: "'users.avatar_hexa_color',",
    replace: "'users.avatar_hexa_color',\n  'users.job_title',",
  },
  {
    file: 'server/src/users/record.ts',
    find: "| 'avatar_hexa_color'",
    replace: "| 'avatar_hexa_color'\n  | 'job_title'",
  },
  {
    file: 'server/src/users/record.ts',
    find: 'avatar_hexa_color: row.avatar_hexa_color,',
    replace: 'avatar_hexa_color: row.avatar_hexa_color,\n    job_title: row.job_title,',
  },
]

export const newMigration = {
  file: 'server/src/db/migrations/0999-user-job-title.ts',
  content: `import { sql, type Kysely } from 'kysely'

/** What a user does in the organization. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql\`alter table users add column job_title text\`.execute(db)
}
`,
}

/** A test of the new field, as the newcomer would write it: through the front door. */
export const newTest = {
  file: 'test/contract/job-title.test.ts',
  title: 'a user has a job title',
  content: `import { beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../harness.js'

let service: Service

beforeAll(async () => {
  service = await startService()
})

test('a user has a job title', async () => {
  const { domain } = await service.given.organization()
  const created = await service.given.user({ org_domain: domain })
  expect(created.job_title).toBeNull()
  await service.query("update users set job_title = 'Countess' where id = $1", [created.id])

  const client = await service.client()
  const named = { org_domain: domain, user_id: created.id }
  expect((await client.users.get(named)).job_title).toBe('Countess')
  expect((await client.users.list({ org_domain: domain })).data[0]?.job_title).toBe('Countess')
  expect((await client.users.update({ ...named, active: false })).job_title).toBe('Countess')
})
`,
}
