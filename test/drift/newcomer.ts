import type { Edit } from '../guards/repository-copy.js'

/** The complete edits of a newcomer for `job_title` on User, which callers may write and clear. */
export const newField: readonly Edit[] = [
  {
    file: 'contract/src/resources/users.ts',
    find: 'avatar_hexa_color: z.string()',
    replace: 'job_title: personal(z.string().nullable()),\n    avatar_hexa_color: z.string()',
  },
  {
    file: 'contract/src/resources/users.ts',
    find: "avatar_hexa_color: '#6d28d9',",
    replace: "job_title: 'Analyst',\n    avatar_hexa_color: '#6d28d9',",
  },
  {
    file: 'contract/src/resources/user-input.ts',
    find: 'active: flag().optional(),',
    replace: 'active: flag().optional(),\n  job_title: personal(text(100)).nullish(),',
  },
  {
    file: 'server/src/directory/users/record.ts',
    find: "'users.avatar_hexa_color',",
    replace: "'users.avatar_hexa_color',\n  'users.job_title',",
  },
  {
    file: 'server/src/directory/users/record.ts',
    find: 'avatar_hexa_color: row.avatar_hexa_color,',
    replace: 'avatar_hexa_color: row.avatar_hexa_color,\n    job_title: row.job_title,',
  },
  {
    file: 'server/src/directory/users/record.ts',
    find: 'active: true,',
    replace: 'active: true, job_title: null,',
  },
  {
    file: 'server/src/directory/users/record.ts',
    find: 'email = current.email }',
    replace: 'email = current.email, job_title = current.job_title }',
  },
  {
    file: 'server/src/directory/users/record.ts',
    find: 'phone_numbers: JSON.stringify(phoneNumbers),',
    replace: 'phone_numbers: JSON.stringify(phoneNumbers),\n    job_title,',
  },
]

export const newMigration = {
  file: 'server/src/platform/db/migrations/0999-user-job-title.ts',
  content: `import { sql, type Kysely } from 'kysely'

/** What a user does in the organization. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql\`alter table users add column job_title text\`.execute(db)
}
`,
}

/** A test of the new field through the API, as a newcomer would write it. */
export const newTest = {
  file: 'test/api/job-title.test.ts',
  title: 'a user has a job title',
  content: `import { beforeAll, expect, test } from 'vitest'
import { startService, type Service } from '../given/harness.js'

let service: Service

beforeAll(async () => {
  service = await startService()
})

test('a user has a job title', async () => {
  const { domain: org_domain } = await service.given.organization()
  expect((await service.given.user({ org_domain })).job_title).toBeNull()
  const created = await service.given.user({ org_domain, job_title: 'Countess' })
  expect(created.job_title).toBe('Countess')

  const client = await service.client()
  const named = { org_domain, user_id: created.id }
  expect(await client.users.get(named)).toMatchObject({ job_title: 'Countess' })
  expect((await client.users.list({ org_domain })).data[0]?.job_title).toBe('Countess')
  expect((await client.users.update({ ...named, active: false })).job_title).toBe('Countess')
  expect((await client.users.update({ ...named, job_title: 'Analyst' })).job_title).toBe('Analyst')
  expect((await client.users.update({ ...named, job_title: null })).job_title).toBeNull()
})
`,
}

/** An existing test that covers the new field without changes. */
export const roundTrip = {
  file: 'test/api/users.test.ts',
  title: 'round trip writing what the example shows and reading it back gives the example’s values',
}
