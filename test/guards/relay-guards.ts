import { contractTest, guard, guardTest, routeTests, without } from './guard.js'

const relays = 'server/src/sign-in/relays/relays.ts'
const partner = 'server/src/sign-in/relays/partner.ts'
const request = 'server/src/sign-in/relays/request.ts'
const consume = 'server/src/sign-in/relays/consume.ts'
const accessToken = 'server/src/tokens/access-token.ts'
const rotate = 'server/src/tokens/signing-keys/rotate.ts'
const signingInUser = 'server/src/directory/users/signing-in-user.ts'
const organizationId = 'server/src/platform/db/organization-id.ts'
const onlyLooking = 'server/src/pages/frame/only-looking.ts'

const [create, get, update, remove, ask] = [
  routeTests('relays.create'),
  routeTests('relays.get'),
  routeTests('relays.update'),
  routeTests('relays.delete'),
  routeTests('relays.request'),
] as const

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

/** The predicate of a change of relays, without one of its columns. */
function inChange(column: 'account_id' | 'environment', next: '$if' | 'returning') {
  const after = `.where('id', '=', id) .where(isOfVersion(versions)) .${next}`
  return { file: relays, ...without(column, 'ofEnvironment(caller)', after) }
}

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
    name: 'account: relay that is read',
    file: relays,
    ...without('account_id', "ofEnvironment({ accountId, environment }, 'relays')"),
    red: get.hidesForeign,
    green: get.succeeds,
  }),
  guard({
    name: 'environment: relay that is read',
    file: relays,
    ...without('environment', "ofEnvironment({ accountId, environment }, 'relays')"),
    red: get.hidesForeign,
    green: get.succeeds,
  }),
  guard({
    ...inChange('account_id', '$if'),
    name: 'account: relay that is changed',
    red: update.hidesForeign,
    green: update.succeeds,
  }),
  guard({
    ...inChange('environment', '$if'),
    name: 'environment: relay that is changed',
    red: update.hidesForeign,
    green: update.succeeds,
  }),
  guard({
    ...inChange('account_id', 'returning'),
    name: 'account: relay that is deleted',
    red: remove.hidesForeign,
    green: remove.succeeds,
  }),
  guard({
    ...inChange('environment', 'returning'),
    name: 'environment: relay that is deleted',
    red: remove.hidesForeign,
    green: remove.succeeds,
  }),
  guard({
    name: 'partner open: relay that is created',
    file: relays,
    find: '${isPartnerOpen(destination)} and ',
    replace: '',
    red: create.refuses('partner_not_open'),
    green: create.succeeds,
  }),
  guard({
    name: 'redirect: relay that is created',
    file: relays,
    find: '${receivingApplication(destination)} is not null',
    replace: 'true',
    red: relay(
      '422: a redirect URI that no application of the partner allows, when it is created and when it changes',
    ),
    green: create.succeeds,
  }),
  guard({
    name: 'redirect: relay that is changed',
    file: relays,
    find: '.$if(redirectUri !== undefined, (update) => update.where(carriesTo(destination)))',
    replace: '',
    red: relay(
      '422: a redirect URI that no application of the partner allows, when it is created and when it changes',
    ),
    green: update.succeeds,
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
    name: 'PKCE: application of a relay',
    file: partner,
    find: "and applications.code_exchange <> 'pkce'",
    replace: '',
    red: relay('422: a redirect URI of an application that demands PKCE, which no relay has a challenge for'),
    green: create.succeeds,
  }),
  guard({
    name: 'active relay: asking for an address of a relay',
    file: request,
    find: ".where('relays.active', '=', true)",
    replace: '',
    red: ask.refuses('relay_inactive'),
    green: isTaken,
  }),
  guard({
    name: 'partner open: asking for an address of a relay',
    file: request,
    find: '.where(isPartnerOpen(destination))',
    replace: '',
    red: ask.refuses('partner_not_open'),
    green: isTaken,
  }),
  guard({
    name: 'redirect: asking for an address of a relay',
    file: request,
    find: '.where(sql<boolean>`${receivingApplication(destination)} is not null`)',
    replace: '',
    red: guardTest(
      'relay',
      'a request to carry a user is refused where no application of the partner allows the redirect URI any more',
    ),
    green: isTaken,
  }),
  guard({
    name: 'signature: access token of a relay',
    file: accessToken,
    find: '|| !isJwtSignatureValid(decoded, key.algorithm, key.publicKey)',
    replace: '',
    red: token('is refused without the signature of its organization'),
    green: isTaken,
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
    name: 'ended session: asking for an address of a relay',
    red: token('is refused when its session was ended'),
    green: isTaken,
  }),
  guard({
    name: 'expiry: session of an access token of a relay',
    file: request,
    find: ".where('sessions.expires_at', '>', attempt.at)",
    replace: '',
    red: token('is refused when its session is over before it is'),
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
    name: 'chain of a relay',
    file: request,
    find: ".where(sql<boolean>`'relay' <> all(sessions.amr)`)",
    replace: '',
    red: token('is refused where its user has come by a relay'),
    green: isTaken,
  }),
  guard({
    name: 'used_at: of the address of a relay',
    file: consume,
    find: ".where('request.used_at', 'is', null)",
    replace: '',
    red: address('works once, however many open it together'),
    green: signsIn,
  }),
  guard({
    name: 'expiry: of the address of a relay',
    file: consume,
    find: ".where('request.expires_at', '>', at)",
    replace: '',
    red: address('works for a minute'),
    green: signsIn,
  }),
  guard({
    name: 'HEAD of the address of a relay',
    file: onlyLooking,
    find: "method === 'HEAD' || ",
    replace: '',
    red: address('is not spent by a HEAD'),
    green: signsIn,
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
    name: 'active relay: opening the address of a relay',
    file: consume,
    find: "if (!consumedRelay.is_relay_active) return 'relay_inactive'",
    replace: '',
    red: address('is dead while its relay is switched off'),
    green: signsIn,
  }),
  guard({
    name: 'partner open: opening the address of a relay',
    file: consume,
    find: "if (!consumedRelay.is_partner_open) return 'partner_not_open'",
    replace: '',
    red: address('is dead where the partner limits e-mail domains by now'),
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
    name: 'redirect: opening the address of a relay',
    file: partner,
    find: 'and ${redirectUri} = any(applications.allowed_redirect_urls)',
    replace: '',
    red: address('is dead where no application of the partner allows the redirect URI any more'),
    green: signsIn,
  }),
  guard({
    ...sessionAtOrigin,
    name: 'ended session: opening the address of a relay',
    red: address('is dead when the session of its user has ended'),
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
  guard({
    name: 'identity: of a relay, its subject',
    file: signingInUser,
    find: ".where('identity.subject', '=', identity.subject)",
    replace: '',
    red: address('signs two users of one organization in as two users'),
    green: signsIn,
  }),
]
