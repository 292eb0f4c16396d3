import { expect, test } from 'vitest'
import { longTest } from '../../sampled.js'
import { startService } from '../../given/harness.js'
import type { ScimResponse } from '../../given/scim-given.js'
import { untilWaiting, whileEventWaits } from '../../given/waiting.js'
import { groupsOf } from './group-given.js'
import { replacing, scimUsersGivenOf, userBody } from './user-given.js'

const service = await startService()
const client = await service.client()
const given = scimUsersGivenOf(client)

const statusesOf = (answers: readonly ScimResponse[]) => answers.map(({ status }) => status)

longTest(
  'requests of one directory that take long leave connections to the database for all others',
  async () => {
    const { scim, org_domain } = await given.directory()
    const make = () => scim('POST', '/Users', { body: userBody() })
    const others: Promise<ScimResponse>[] = []

    const first = await whileEventWaits(service, 'user.user.create.success', make, async () => {
      // More than the number of connections.
      others.push(...Array.from({ length: 12 }, make))
      await untilWaiting(service, 2)
      // Long enough for all of them to arrive.
      for (let count = 0; count < 30; count++) {
        const answered = await client.organizations.get({ org_domain }).then(
          ({ domain }) => domain,
          (error: unknown) => error,
        )
        expect(answered).toBe(org_domain)
      }
    })

    expect(statusesOf([first, ...(await Promise.all(others))])).toEqual(Array(13).fill(201))
  },
)

test('401: whoever writes while the directory is being deleted', async () => {
  const { scim, org_domain } = await given.directory()
  const user = await given.user(scim)
  const writes: Promise<ScimResponse>[] = []

  await whileEventWaits(
    service,
    'dir_sync.directory.delete.success',
    () => client.directorySync.delete({ org_domain }),
    async () => {
      writes.push(
        scim('POST', '/Users', { body: userBody() }),
        scim('POST', '/Groups', { body: { displayName: 'Sales' } }),
      )
      await untilWaiting(service, 3)
      writes.push(scim('PATCH', `/Users/${user.id}`, { body: replacing('title', 'Countess') }))
    },
  )

  expect(statusesOf(await Promise.all(writes))).toEqual([401, 401, 401])
  expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({ active: true })
})

test('412: whoever names the version of a group that another is changing', async () => {
  const { scim } = await given.directory()
  const groups = groupsOf(scim)
  const { id } = await groups.make({ displayName: 'Sales' })
  const rename = (displayName: string) => groups.replace(id, { displayName }, { 'if-match': 'W/"1"' })
  const late: Promise<ScimResponse>[] = []

  const first = await whileEventWaits(
    service,
    'dir_sync.group.update.success',
    () => rename('First'),
    async () => {
      late.push(rename('Second'))
      await untilWaiting(service, 2)
    },
  )

  expect(statusesOf([first, ...(await Promise.all(late))])).toEqual([200, 412])
  expect((await groups.read(id)).displayName).toBe('First')
})

test('what a provider calls its members does not hide in events where it asked', async () => {
  const { scim, directory, org_domain } = await given.directory()

  await scim('POST', '/Users', { body: userBody({ directory_sync_id: 'another', path: '/Groups' }) })

  expect((await given.events(org_domain)).map(({ params }) => params)).toMatchObject([
    { directory_sync_id: directory.id, path: '/Users' },
    { directory_sync_id: directory.id, path: '/Users' },
  ])
})
