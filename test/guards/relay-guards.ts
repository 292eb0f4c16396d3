import { guard, guardTest, without } from './guard.js'

const request = 'server/src/sign-in/relays/request.ts'
const consume = 'server/src/sign-in/relays/consume.ts'
const accessToken = 'server/src/tokens/access-token.ts'
const publishedKeys = 'server/src/tokens/signing-keys/published-keys.ts'
const address = (title: string) => guardTest('relay', `the address of a relay ${title}`)
const token = (title: string) => guardTest('relay', `the access token of a request to carry a user ${title}`)

const signsIn = address('signs its user in at the partner')
const isTaken = token('is taken while its user is signed in')

/** The foreign key that prevents storing a relayed user under a different tenant than that of the session. */
const sessionKey = {
  file: 'server/src/platform/db/migrations/0009-relays.ts',
  find: `, constraint relay_requests_session_fkey foreign key (account_id, environment, organization_id, session_id)
    references sessions (account_id, environment, organization_id, id) on delete cascade`,
  replace: '',
}

/** The join that finds the user of the stored request in the tenant of the caller. */
const storedUser = {
  file: request,
  find: "join.on(sameTenant('users', 'created')).onRef('users.id', '=', 'created.user_id')",
  replace: "join.onRef('users.id', '=', 'created.user_id')",
}

const signingKeys = "ofEnvironment({ accountId, environment }, 'signing_keys')"
const ofUser =
  "ofOwner({ accountId: caller.accountId, environment: caller.environment, organizationId: user.organizationId }, 'sessions')"

/** Guards of relays: targets, relayed users, and their identity at the partner. */
export const relayGuards = [
  guard({
    name: 'environment: access token of a relay, with the key of its session',
    file: publishedKeys,
    ...without('environment', signingKeys),
    also: [
      { file: accessToken, find: 'if (dbs !== caller.environment)', replace: 'if (dbs === undefined)' },
      { file: request, ...without('environment', ofUser) },
      sessionKey,
      storedUser,
    ],
    red: token('is refused where it is of the other environment'),
    green: isTaken,
  }),
  guard({
    name: 'account: access token of a relay, with the key of its session',
    file: publishedKeys,
    ...without('account_id', signingKeys),
    also: [{ file: request, ...without('account_id', ofUser) }, sessionKey, storedUser],
    red: token('is refused where it is of an organization of another account'),
    green: isTaken,
  }),
  guard({
    name: 'identity: of a relay, no user of the same address',
    file: consume,
    find: "return admit(deps, trx, ofUser(tenant, id), { via: 'relay', id, email, emailVerified, identity })",
    replace:
      "return (await admit(deps, trx, ofUser(tenant, id), { via: 'relay', id, email, emailVerified, identity })) ?? findUser(trx, tenant, spent.email)",
    also: [{ file: consume, find: '  findUserByIdentity,', replace: '  findUser,\n  findUserByIdentity,' }],
    red: address('signs nobody in as the partner’s user with the same e-mail address'),
    green: signsIn,
  }),
]
