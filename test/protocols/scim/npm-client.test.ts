import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { startService } from '../../given/harness.js'
import { scimGivenOf, type ScimResponse } from '../../given/scim-given.js'
import { enterpriseUser, userBody } from './user-given.js'

/** A resource parsed by the library. */
interface Resource {
  id(): string
  meta(): { readonly location: string }
  get(path: string): unknown
  set(path: string, value: unknown): void
  toJSON(): object
}

interface Operation {
  readonly op: string
}

interface Patches {
  patchRequest(...operations: readonly Operation[]): string
  addOperation(path: string, value: unknown): Operation
  replaceOperation(path: string | undefined, value: unknown): Operation
  removeOperation(path: string): Operation
}

// The library is CommonJS without types, so its interface is declared here.
const require = createRequire(import.meta.url)
const { Resource } = require('@braveulysses/scim2') as { readonly Resource: new (json: unknown) => Resource }
const Patch = require('@braveulysses/scim2/dist/Patch.js') as Patches

const service = await startService()
const client = await service.client()

test('a client library from npm provisions, changes and deprovisions a user', async () => {
  const { scim, org_domain } = await scimGivenOf(client).directory()
  const read = ({ body }: ScimResponse) => new Resource(body)

  const body = userBody({ [enterpriseUser]: { department: 'Engines' } })
  const made = read(await scim('POST', '/Users', { body }))
  const path = `/Users/${made.id()}`
  expect(made.meta().location).toMatch(new RegExp(`${path}$`))

  // Read, modified and replaced through the library.
  const user = read(await scim('GET', path))
  expect(user.get('emails[type eq "work"]')).toMatchObject({ value: body.userName })
  expect(user.get(`${enterpriseUser}:department`)).toBe('Engines')
  user.set('name.givenName', 'Augusta')
  user.set('phoneNumbers', [{ value: '+33612345678', type: 'mobile', primary: true }])
  const replaced = read(await scim('PUT', path, { body: user.toJSON() }))
  expect(replaced.get('name.givenName')).toBe('Augusta')

  const patch = Patch.patchRequest(
    Patch.addOperation('nickName', 'Ada'),
    Patch.replaceOperation('emails[type eq "work"].value', 'augusta@awesome.example'),
    Patch.removeOperation('phoneNumbers[type eq "mobile"]'),
    Patch.replaceOperation(`${enterpriseUser}:department`, 'Numbers'),
  )
  const patched = read(await scim('PATCH', path, { body: patch }))
  expect(patched.get('nickName')).toBe('Ada')
  expect(patched.get('phoneNumbers')).toBeUndefined()
  expect(await client.users.get({ org_domain, user_id: made.id() })).toMatchObject({
    email: 'augusta@awesome.example',
    phone_number: null,
    profile: { given_name: 'Augusta', nickname: 'Ada' },
  })

  const inactive = Patch.patchRequest(Patch.replaceOperation(undefined, { active: false }))
  expect(read(await scim('PATCH', path, { body: inactive })).get('active')).toBe(false)
  expect((await scim('DELETE', path)).status).toBe(204)
  expect((await scim('GET', path)).status).toBe(404)
})
