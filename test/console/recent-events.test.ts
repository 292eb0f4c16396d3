import { openCall } from '@portico/server/call'
import { expect, test } from 'vitest'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { staffOf } from './staff-given.js'

const service = await startService()
const call = openCall(service.deps)

interface Page {
  readonly data: readonly { readonly code: string; readonly data: { readonly email?: string } }[]
  readonly next_cursor: string | null
}

async function read(query: Record<string, unknown>, caller = staffOf(service.account)): Promise<Page> {
  const { status, body } = await call(caller, { route: 'recentEvents.list', query })
  expect(status).toBe(200)
  return body as Page
}

test('events are read from the newest back, page by page, and by code', async () => {
  const client = await service.client()
  const { domain: org_domain } = await service.given.organization()
  const emails = [anyEmail(), anyEmail(), anyEmail()]
  for (const email of emails) await client.users.create({ org_domain, email })

  const first = await read({ code: 'user.user.create.success', per_page: 2 })
  const second = await read({ code: 'user.user.create.success', per_page: 2, after: first.next_cursor })

  expect([...first.data, ...second.data].map(({ data }) => data.email)).toEqual(emails.toReversed())
  expect(second.next_cursor).toBeNull()
  const all = await read({})
  expect(all.data.slice(0, 3).map(({ code }) => code)).toEqual(Array(3).fill('user.user.create.success'))
})

test('neither another account nor the other environment has them, and a foreign cursor is refused', async () => {
  const { domain: org_domain } = await service.given.organization()
  await (await service.client()).users.create({ org_domain, email: anyEmail() })

  expect((await read({}, staffOf(await service.createAccount()))).data).toEqual([])
  expect((await read({}, staffOf(service.account, { environment: 'production' }))).data).toEqual([])
  const { status } = await call(staffOf(service.account), {
    route: 'recentEvents.list',
    query: { after: 'nonsense' },
  })
  expect(status).toBe(422)
})
