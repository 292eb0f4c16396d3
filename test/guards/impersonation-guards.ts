import { contractTest, guard, protocolTest, routeTests } from './guard.js'

const start = 'server/src/sign-in/impersonation/start.ts'
const address = 'server/src/sign-in/impersonation/address.ts'
const permission = 'server/src/sign-in/impersonation/permission.ts'
const impersonations = 'server/src/sign-in/impersonation/impersonations.ts'
const organizations = 'server/src/directory/organizations/organizations.ts'

const page = (title: string) => protocolTest('impersonation', `the page of an impersonation ${title}`)
const running = (title: string) => protocolTest('impersonation', `an impersonation ${title}`)
const handle = (title: string) =>
  protocolTest('impersonation-handle', `the handle of an impersonation ${title}`)
const once = (cause: string) => handle(`starts nothing, nor does the page, once ${cause}`)
const call = (title: string) => contractTest('impersonations', title)

const tokensAt = (issuer: string) =>
  running(`at the issuer of ${issuer}, its tokens name who acts and end with it`)
const signsIn = tokensAt('the account')
const isCreated = call(
  'POST impersonations 201: answers with the address, which neither the list nor the event contains',
)
const elsewhere = handle(
  'is worth nothing at another organization or application, in the other environment or another account',
)
const deadPage = page('404: at another organization, after five minutes, and for a token of nobody')
const ending = call(
  'DELETE impersonations 404: one that has ended, is over, or is of another user; of 50 requests at once one ends it',
)

/** A line that is taken away. */
const line = (find: string) => ({ find, replace: '' })

/** Guards of impersonations, from the permission of a key to the end of the tokens. */
export const impersonationGuards = [
  guard({
    name: 'impersonation: handle, its browser',
    file: start,
    ...line(".where('impersonations.browser_hash', '=', key.browserHash)"),
    red: handle('is worth nothing in another browser, and stays good in its own'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: handle, once',
    file: start,
    ...line(".where('impersonations.started_at', 'is', null)"),
    red: handle('works once, also of 50 requests at once'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: handle, of one that was ended',
    file: start,
    ...line(".where('impersonations.ended_at', 'is', null)"),
    red: once('it was ended'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: handle, expiry',
    file: start,
    ...line(".where('impersonations.expires_at', '>', key.at)"),
    red: handle('works for a minute'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: handle, its application',
    file: start,
    ...line(".where('impersonations.application_id', '=', key.applicationId)"),
    red: elsewhere,
    green: signsIn,
  }),
  guard({
    name: 'impersonation: handle, its organization',
    file: start,
    find: '(${key.organizationDomain}::text is null or organizations.domain = ${key.organizationDomain})',
    replace: '(${key.organizationDomain}::text is null or true)',
    red: elsewhere,
    green: signsIn,
  }),
  guard({
    name: 'impersonation: handle, the expected user',
    file: start,
    find: '(${key.expectedUserIds}::uuid[] is null or users.id = any(${key.expectedUserIds}::uuid[]))',
    replace: '(${key.expectedUserIds}::uuid[] is null or true)',
    red: handle('is worth nothing for a request that expects another user'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: handle, a second factor that is demanded',
    file: 'server/src/protocols/oauth/impersonated-code.ts',
    ...line(' || isTwo'),
    red: handle(
      'at the issuer of the account, is refused with acr_values that demand a second factor, and not spent',
    ),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: handle, no consent in the name of the user',
    file: 'server/src/protocols/oauth/impersonated-code.ts',
    ...line("if (request.prompt?.includes('consent')) return { fault: noConsent }"),
    red: handle('gives no consent in the name of the user, and is not spent by a request that demands it'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: no offline access',
    file: start,
    find: 'withoutOfflineAccess(binding.scope)',
    replace: 'binding.scope',
    red: tokensAt('its organization'),
    green: page('has the words of the language that the browser asks for'),
  }),
  guard({
    name: 'impersonation: its session ends with it',
    file: 'server/src/directory/sessions/complete-sign-in.ts',
    find: 'const ends_at = signIn.impersonation?.expiresAt\n',
    replace: 'const ends_at = undefined as Date | undefined\n',
    red: tokensAt('its organization'),
    green: page('has the words of the language that the browser asks for'),
  }),
  guard({
    name: 'impersonation: its tokens end with it',
    file: 'server/src/protocols/oauth/user-tokens.ts',
    find: 'if (end === null) return seconds',
    replace: 'if (end !== undefined) return seconds',
    red: tokensAt('its organization'),
    green: running('is not carried on by a relay'),
  }),
  guard({
    name: 'impersonation: no relay',
    file: 'server/src/sign-in/relays/request.ts',
    ...line(".where('sessions.impersonation_id', 'is', null)"),
    red: running('is not carried on by a relay'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: permission, the organization’s',
    file: permission,
    ...line("and organizations.impersonation = 'allowed'"),
    red: once('the organization refuses it'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: permission, an organization that is there',
    file: permission,
    find: 'organizations.deleted_at is null',
    replace: 'true',
    red: once('the organization is deleted'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: permission, an active user',
    file: permission,
    ...line('and users.active'),
    red: once('the user is inactive'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: permission, a user who is there',
    file: permission,
    ...line('and users.deleted_at is null'),
    red: once('the user is deleted'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: permission, the address of the user',
    file: permission,
    ...line("and ${isAddressAllowed(sql.ref('users.email_normalized'))}"),
    red: once('the organization does not allow the address any more'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: permission, a usable application',
    file: permission,
    ...line("and ${isUsableBy(sql.ref('organizations.id'))}"),
    red: once('the application is for another organization'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: permission, an application that begins sign-ins',
    file: permission,
    ...line('and applications.initiate_login_uri is not null'),
    red: routeTests('impersonations.create').refuses('initiate_login_uri_required'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: address, once',
    file: address,
    find: ".where('impersonations.url_hash', '=', key.urlHash)\n    .where('impersonations.handle_hash', 'is', null)\n    .where('impersonations.ended_at', 'is', null)\n    .where('impersonations.expires_at', '>', key.at)\n    .where(isO",
    replace:
      ".where('impersonations.url_hash', '=', key.urlHash)\n    .where('impersonations.ended_at', 'is', null)\n    .where('impersonations.expires_at', '>', key.at)\n    .where(isO",
    red: page('50 presses of one button at once call the application once'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: address, expiry',
    file: address,
    find: ".where('impersonations.expires_at', '>', key.at)\n    .where(isO",
    replace: '.where(isO',
    red: deadPage,
    green: signsIn,
  }),
  guard({
    name: 'impersonation: address, its organization',
    file: address,
    find: ".where('organizations.domain', '=', key.organizationDomain)\n    .where(sameTenant",
    replace: '.where(sameTenant',
    red: deadPage,
    green: signsIn,
  }),
  guard({
    name: 'impersonation: address, a form of our own',
    file: 'server/src/pages/impersonation/router.ts',
    find: 'secretOfOurForm(req, site, token)',
    replace: "secretOfOurForm(req, site, token) ?? 'x'",
    red: page('403: a form that was sent by another site starts nothing'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: scope of keys without a list',
    file: 'contract/src/core/access.ts',
    find: "scopes.filter((scope) => scope !== 'write:impersonations')",
    replace: 'scopes',
    red: call(
      'POST impersonations 403: a key without a list of scopes may read impersonations, and create and end none',
    ),
    green: isCreated,
  }),
  guard({
    name: 'impersonation: scope of keys that exchange codes',
    file: 'server/src/protocols/oauth/key-client.ts',
    find: "['impersonation', 'write:impersonations']",
    replace: "['impersonation', 'write:magic_links']",
    red: handle('a key that exchanges codes for its application needs the scope'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: running ones of an organization that refuses it',
    file: organizations,
    find: "if (impersonation === 'refused')",
    replace: "if (impersonation === 'refused' && row.id === '')",
    red: running('ends where the organization refuses it from then on, and the user’s own sessions stay'),
    green: signsIn,
  }),
  guard({
    name: 'impersonation: production, of a sandbox key',
    file: organizations,
    ...line(' || impersonation !== undefined'),
    red: call('409: a sandbox key cannot change whether production allows it'),
    green: isCreated,
  }),
  guard({
    name: 'impersonation: end, its user',
    file: impersonations,
    find: ".where('impersonations.user_id', '=', userId)\n      .where('impersonations.id'",
    replace: ".where('impersonations.id'",
    red: ending,
    green: isCreated,
  }),
  guard({
    name: 'impersonation: end, once',
    file: impersonations,
    ...line(".where('impersonations.ended_at', 'is', null)"),
    red: ending,
    green: isCreated,
  }),
  guard({
    name: 'impersonation: end, expiry',
    file: impersonations,
    ...line(".where('impersonations.expires_at', '>', at)"),
    red: ending,
    green: isCreated,
  }),
  guard({
    name: 'impersonation: end, told once',
    file: 'server/src/sign-in/impersonation/over.ts',
    ...line(".where('impersonations.ended_at', 'is', null)"),
    red: running('has events and log events from its creation to its end'),
    green: signsIn,
  }),
]
