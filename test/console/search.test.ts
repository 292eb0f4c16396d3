import type { FoundRecords } from '@portico/contract/found-records'
import { openCall } from '@portico/server/call'
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { anyEmail, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { staffOf } from './staff-given.js'

const service = await startService()
const client = await service.client()
const call = openCall(service.deps)

async function find(id: string, caller = staffOf(service.account)): Promise<FoundRecords['data']> {
  const { status, body } = await call(caller, { route: 'records.find', query: { id } })
  expect(status).toBe(200)
  return (body as FoundRecords).data
}

/** An organization with a user, an application of its own, and one of the whole account. */
async function made(by = client) {
  const given = givenOf(by)
  const organization = await given.organization()
  const { domain: org_domain } = organization
  const user = await by.users.create({ org_domain, email: anyEmail() })
  const own = await given.application({ org_domain, organization_domain_scope: org_domain })
  const shared = await given.application({ org_domain })
  return { org_domain, organization, user, own, shared }
}

test('an id leads to its organization, user or application, however it is written', async () => {
  const { org_domain, organization, user, own, shared } = await made()
  const { visitor, account } = await consoleGivenOf(service).owner(service.account)
  const home = `/console/${account.domain}/sandbox`
  const to = async (q: string) =>
    (await visitor.request(`${home}/search?${new URLSearchParams({ q }).toString()}`)).location
  const at = `${home}/organizations/${org_domain}`

  expect(await to(` ${organization.id} `)).toBe(at)
  expect(await to(user.id.toUpperCase())).toBe(`${at}/users/${user.id}`)
  for (const { client_id } of [own, shared])
    expect(await to(client_id)).toBe(`${at}/applications/${client_id}`)
  expect((await visitor.request(`${at}/applications/${shared.client_id}`)).status).toBe(200)
  const nothing = randomUUID()
  expect(await to(nothing)).toBe(`${home}/organizations?filter=${nothing}`)
})

test('an id of another account, of the other environment, or of what is deleted leads nowhere', async () => {
  const foreign = await made(await service.client({ account: await service.createAccount() }))
  const inProduction = await service.client({ environment: 'production' })
  const production = await made(inProduction)
  const { org_domain, user, own } = await made()
  await client.users.delete({ org_domain, user_id: user.id })
  await client.applications.delete({ org_domain, client_id: own.client_id })
  const gone = await made()
  await inProduction.organizations.delete({ org_domain: gone.org_domain })

  const ids = [
    ...[foreign.organization.id, foreign.user.id, foreign.own.client_id, foreign.shared.client_id],
    ...[production.user.id, production.own.client_id, production.shared.client_id],
    ...[user.id, own.client_id, gone.organization.id, gone.user.id, gone.own.client_id],
  ]
  expect(await Promise.all(ids.map((id) => find(id)))).toEqual(ids.map(() => []))
})

test('who may not read users finds none', async () => {
  const { org_domain, organization, user } = await made()
  const viewer = staffOf(service.account, { scopes: ['read:organizations'] })

  expect(await find(user.id)).toMatchObject([{ kind: 'user', org_domain }])
  expect(await find(user.id, viewer)).toEqual([])
  expect(await find(organization.id, viewer)).toMatchObject([{ kind: 'organization', org_domain }])
})
