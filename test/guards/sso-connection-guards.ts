import { contractTest, guard } from './guard.js'

const whole = 'server/src/sso/connections/whole-connection.ts'
const insertConnection = 'server/src/sso/connections/insert-connection.ts'
const redirections = 'server/src/sso/connections/default-redirection.ts'
const provider = 'server/src/sso/connections/provider.ts'
const links = 'server/src/sso/invitations/links.ts'
const eraseAdmin = 'server/src/sso/admins/erase-admin.ts'
const testIdp = 'server/src/sso/test-idp/test-idp.ts'

const connection = (title: string) => contractTest('sso-connections', title)
const invitation = (title: string) => contractTest('sso-onboarding-api', title)
const administrator = (title: string) => contractTest('admins', `an administrator ${title}`)
const atTestIdp = (title: string) => ({
  file: 'test/protocols/test-idp.test.ts',
  title: `the built-in identity provider ${title}`,
})

const isHidden = connection(
  'changing a connection 404: what is another account’s, another environment’s or of a deleted organization is not there',
)
const isChanged = connection('changing a connection changes what is sent, and keeps what is not')
const isNew = connection(
  'a new connection is active and waits for its administrator, with an entity ID and an ACS URL of its own',
)
const isChosenAgain = connection(
  'default redirections the newest is the default, the earlier ones are kept, and each can be chosen again',
)
const isMailed = invitation(
  'inviting the administrator of an onboarding mails a link to the connection, which is in nothing but the mail',
)
const isRemoved = administrator('is removed with links and sessions, by their address in any case')
const others = administrator(
  'is removed, and what the same address was sent as that of a user stays, and what others are told',
)
const signsIn = atTestIdp('signs in an address that is typed, and one of those that it offers')
const noneOfOurs = atTestIdp('404: a request that is none of ours, or is answered too late')
const neverElsewhere = atTestIdp('404: never in production, and never for a connection of another type')

/** Whose connections are seen and changed, where they may lead, and whom the built-in identity provider answers. */
export const ssoConnectionGuards = [
  guard({
    name: 'sso connection: organizations of a limited key',
    file: whole,
    find: '(${organizationIds}::uuid[] is null or sso_connections.organization_id = any(${organizationIds}::uuid[]))',
    replace: '${organizationIds}::uuid[] is not distinct from ${organizationIds}::uuid[]',
    red: isHidden,
    green: isChanged,
  }),
  guard({
    name: 'sso connection: organizations of a limited key, in a warning',
    file: whole,
    find: 'and (${organizationIds}::uuid[] is null or other.organization_id = any(${organizationIds}::uuid[]))',
    replace: 'and ${organizationIds}::uuid[] is not distinct from ${organizationIds}::uuid[]',
    red: contractTest(
      'sso-metadata',
      'the warnings of metadata tell that another connection is with the same identity provider, unless the key may not know',
    ),
    green: contractTest(
      'sso-metadata',
      'the warnings of metadata tell of certificates and metadata that end soon or have ended, by the clock',
    ),
  }),
  guard({
    name: 'sso connection: organization of a new one',
    file: insertConnection,
    find: 'and (${organizationIds}::uuid[] is null or id = any(${organizationIds}::uuid[]))',
    replace: 'and ${organizationIds}::uuid[] is not distinct from ${organizationIds}::uuid[]',
    red: connection(
      'a new connection 404: for an organization of another account, a deleted one, and one that is closed to the key',
    ),
    green: isNew,
  }),
  guard({
    name: 'sso connection: provider type test in production',
    file: provider,
    find: "if (providerType !== 'test' || environment === 'sandbox') return",
    replace: "if (providerType !== 'test' || environment !== 'sandbox') return",
    red: connection(
      'a new connection 422: the built-in identity provider in production, by each way in which it could be chosen',
    ),
    green: isNew,
  }),
  guard({
    name: 'sso connection: bounds of seats',
    file: 'contract/src/resources/sso-connections.ts',
    find: 'seats_limit: integer({ min: 0, max: 1_000_000 }).optional(),',
    replace: 'seats_limit: z.number().optional(),',
    red: connection('a new connection 422: 1000001 seats'),
    green: isNew,
  }),
  guard({
    name: 'sso connection: PKCE of a default redirection',
    file: redirections,
    find: "if (application.code_exchange === 'pkce') {",
    replace: "if (application.code_exchange === 'nothing') {",
    red: connection(
      'default redirections 422: an application that demands PKCE, as nobody has a verifier for such a sign-in',
    ),
    green: isChosenAgain,
  }),
  guard({
    name: 'sso connection: URI of a default redirection',
    file: redirections,
    find: 'if (uri !== undefined && !allowed.includes(uri))',
    replace: 'if (uri === key.connectionId)',
    red: connection('default redirections 422: a URI that the application does not allow'),
    green: isChosenAgain,
  }),
  guard({
    name: 'sso connection: links to another one',
    file: links,
    find: ' and links.connection_id = ${connectionId}',
    replace: ' and ${connectionId}::text is not null',
    red: invitation(
      'inviting the administrator of an onboarding leaves the links of other connections alone',
    ),
    green: isMailed,
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
    name: 'sso admin: organization of the events that are erased',
    file: eraseAdmin,
    find: 'const carries = sql`account_id = ${accountId} and organization_id = ${organizationId}',
    replace: 'const carries = sql`account_id = ${accountId} and ${organizationId}::text is not null',
    red: others,
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
    name: 'test identity provider: sandbox',
    file: testIdp,
    find: "connection?.environment === 'sandbox' && connection.providerType === 'test'",
    replace: "connection?.providerType === 'test'",
    red: neverElsewhere,
    green: signsIn,
  }),
  guard({
    name: 'test identity provider: expiry of a request',
    file: testIdp,
    find: 'isAwaited({ id: requestId, at: now() })',
    replace: 'isAwaited({ id: requestId, at: new Date(now().getTime() * 0) })',
    red: noneOfOurs,
    green: signsIn,
  }),
  guard({
    name: 'test identity provider: the form of another browser',
    file: 'server/src/pages/test-idp/router.ts',
    find: 'if (secretOfOurForm(req, site, visit.connection.idpId) === undefined) {',
    replace: "if (secretOfOurForm(req, site, visit.connection.idpId) === 'nobody') {",
    red: atTestIdp('shows the page again for what is no address, and answers no form of another browser'),
    green: signsIn,
  }),
]
