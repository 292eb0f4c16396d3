import { contractTest, guard } from './guard.js'

const links = 'server/src/sso/invitations/links.ts'
const eraseAdmin = 'server/src/sso/admins/erase-admin.ts'
const testIdp = 'server/src/sso/test-idp/test-idp.ts'

const connection = (title: string) => contractTest('sso-connections', title)
const administrator = (title: string) => contractTest('admins', `an administrator ${title}`)
const atTestIdp = (title: string) => ({
  file: 'test/protocols/test-idp.test.ts',
  title: `the built-in identity provider ${title}`,
})
const isNew = connection(
  'a new connection is active and waits for its administrator, with an entity ID and an ACS URL of its own',
)
const isRemoved = administrator('is removed with links and sessions, by their address in any case')
const others = administrator(
  'is removed, and what the same address was sent as that of a user stays, and what others are told',
)
const signsIn = atTestIdp('signs in an address that is typed, and one of those that it offers')
const noneOfOurs = atTestIdp('404: a request that is none of ours, or is answered too late')

/** Guards of SSO connections: tenancy, redirect targets, and the built-in identity provider. */
export const ssoConnectionGuards = [
  guard({
    name: 'sso connection: bounds of seats',
    file: 'contract/src/resources/sso-connections.ts',
    find: 'seats_limit: integer({ min: 0, max: 1_000_000 }).optional(),',
    replace: 'seats_limit: z.number().optional(),',
    red: connection('a new connection 422: 1000001 seats'),
    green: isNew,
  }),
  guard({
    name: 'sso admin: earlier links to the organization',
    file: links,
    find: 'if (link.connectionId === null) await endAdminLinks(deps, trx, link) else await',
    replace: 'void endAdminLinks\n  if (link.connectionId !== null) await',
    red: administrator(
      'is one record of an address and organization, whose earlier link ends with another invitation',
    ),
    green: isRemoved,
  }),
  guard({
    name: 'sso admin: mails of a user who has the address',
    file: eraseAdmin,
    find: 'where ${isTheirs} and environment not in (',
    replace: 'where ${isTheirs} or ${isTheirs} and environment in (',
    red: others,
    green: isRemoved,
  }),
  guard({
    name: 'test identity provider: expiry of a request',
    file: testIdp,
    find: 'isAwaited({ id: requestId, at: now() })',
    replace: 'isAwaited({ id: requestId, at: new Date(now().getTime() * 0) })',
    red: noneOfOurs,
    green: signsIn,
  }),
]
