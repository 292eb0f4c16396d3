import { contractTest, guard, guardTest, routeTests, without } from './guard.js'
const partner = 'server/src/sign-in/relays/partner.ts'
const request = 'server/src/sign-in/relays/request.ts'
const consume = 'server/src/sign-in/relays/consume.ts'
const accessToken = 'server/src/tokens/access-token.ts'
const rotate = 'server/src/tokens/signing-keys/rotate.ts'
const organizationId = 'server/src/platform/db/organization-id.ts'
const onlyLooking = 'server/src/pages/frame/only-looking.ts'

const create = routeTests('relays.create')

const relay = (title: string) => contractTest('relays', `a relay ${title}`)
const address = (title: string) => guardTest('relay', `the address of a relay ${title}`)
const token = (title: string) => guardTest('relay', `the access token of a request to carry a user ${title}`)

const signsIn = address('signs its user in at the partner')
const isTaken = token('is taken while its user is signed in')

const sessionAtOrigin = {
  file: consume,
  find: "if (!consumedRelay.is_session_open) return 'session_ended'",
  replace: '',
}
const sessionOfToken = { file: request, find: ".where('sessions.ended_at', 'is', null)", replace: '' }

/** The database itself would not store who is carried under another tenant than that of their session. */
const sessionKey = {
  file: 'server/src/platform/db/migrations/0009-relays.ts',
  find: `, constraint relay_requests_session_fkey foreign key (account_id, environment, organization_id, session_id)
    references sessions (account_id, environment, organization_id, id) on delete cascade`,
  replace: '',
}

const signingKeys = "ofEnvironment({ accountId, environment }, 'signing_keys')"
const ofUser =
  "ofOwner({ accountId: caller.accountId, environment: caller.environment, organizationId: user.organizationId }, 'sessions')"

/** Where relays may lead, whom they carry, and as whom these arrive. */
export const relayGuards = [
  guard({
    name: 'a claimed address: who came by a relay, once the owner of the address has shown up',
    file: 'server/src/directory/users/change-user.ts',
    find: 'await forgetIdentities(trx, tenant, id) await forgetPassword(deps, trx, tenant, id) await endSessionsOf(deps, trx, tenant, id)',
    replace: 'await forgetPassword(deps, trx, tenant, id)',
    red: guardTest(
      'relay',
      'the address of a relay signs nobody in as the user whose address they have only claimed, once its owner has shown up',
    ),
    green: guardTest('relay', 'the address of a relay signs its user in at the partner'),
  }),
  guard({
    name: 'organization: application of a relay',
    file: partner,
    find: '${isUsableBy(organizationId)}',
    replace: 'applications.deleted_at is null',
    red: relay(
      '422: a redirect URI that no application of the partner allows, when it is created and when it changes',
    ),
    green: create.succeeds,
  }),
  guard({
    name: 'use: access token of a relay',
    file: accessToken,
    find: "if (jtt !== 'access_token') throw refusedToken('It is not an access token.')",
    replace: '',
    also: [{ file: accessToken, find: "decoded?.header.typ !== 'at+jwt'", replace: 'decoded === undefined' }],
    red: token('is refused where an ID token is sent in its place'),
    green: isTaken,
  }),
  guard({
    name: 'environment: access token of a relay, with the key of its session',
    file: rotate,
    ...without('environment', signingKeys),
    also: [
      { file: accessToken, find: 'if (dbs !== caller.environment)', replace: 'if (dbs === undefined)' },
      { file: request, ...without('environment', ofUser) },
      sessionKey,
    ],
    red: token('is refused where it is of the other environment'),
    green: isTaken,
  }),
  guard({
    name: 'account: access token of a relay, with the key of its session',
    file: rotate,
    ...without('account_id', signingKeys),
    also: [{ file: request, ...without('account_id', ofUser) }, sessionKey],
    red: token('is refused where it is of an organization of another account'),
    green: isTaken,
  }),
  guard({
    name: 'issuer: access token of a relay',
    file: accessToken,
    find: 'if (iss !== issuerOf(deps.config.baseUrl, key.organizationDomain))',
    replace: 'if (iss === undefined)',
    red: token('is refused where it was issued under another address of the service'),
    green: isTaken,
  }),
  guard({
    name: 'expiry: access token of a relay',
    file: accessToken,
    find: 'if (fault !== undefined) throw',
    replace: 'if (fault === undefined && leftSeconds < 0) throw',
    red: token('is refused once it has expired'),
    green: isTaken,
  }),
  guard({
    name: 'expiry: access token of a relay, half a minute before',
    file: accessToken,
    find: 'deps.now().getTime() / 1000 + leftSeconds',
    replace: 'deps.now().getTime() / 1000',
    red: token('is refused in its last half minute'),
    green: isTaken,
  }),
  guard({
    ...sessionOfToken,
    name: 'active user: asking for an address of a relay, with the session',
    also: [{ file: request, find: ".where('users.active', '=', true)", replace: '' }],
    red: token('is refused where its user is not active'),
    green: isTaken,
  }),
  guard({
    name: 'prefetch of the address of a relay',
    file: onlyLooking,
    find: " || purposes.some((purpose) => /^\\s*(prefetch|preview)\\b/i.test(purpose ?? ''))",
    replace: ' && purposes.length > 0',
    red: address('is not spent by what a browser loads ahead'),
    green: signsIn,
  }),
  guard({
    name: 'deleted_at: partner of a relay, with organizationIdOf',
    file: partner,
    find: 'and organizations.deleted_at is null',
    replace: '',
    also: [{ file: organizationId, find: 'and deleted_at is null', replace: '' }],
    red: address('is dead when the partner was deleted'),
    green: signsIn,
  }),
  guard({
    ...sessionAtOrigin,
    name: 'active user: opening the address of a relay, with the session',
    also: [
      {
        file: consume,
        find: "return consumedRelay.is_carried_user_active ? undefined : 'user_inactive_at_origin'",
        replace: 'return undefined',
      },
    ],
    red: address('is dead for a user who is not active where they come from'),
    green: signsIn,
  }),
  guard({
    name: 'active user: of the partner of a relay',
    file: consume,
    find: 'if (user?.active !== true) {',
    replace: 'if (user === undefined) {',
    red: address('signs nobody in whom the partner has switched off'),
    green: signsIn,
  }),
  guard({
    name: 'identity: of a relay, no user of the same address',
    file: consume,
    find: 'return createSigningInUser(deps, trx, ofUser(tenant, id), user)',
    replace:
      'return (await createSigningInUser(deps, trx, ofUser(tenant, id), user)) ?? findUser(trx, tenant, spent.email)',
    also: [{ file: consume, find: '  findUserByIdentity,', replace: '  findUser,\n  findUserByIdentity,' }],
    red: address('signs nobody in as the partner’s user with the same e-mail address'),
    green: signsIn,
  }),
]
