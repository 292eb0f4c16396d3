import { guard, without } from './guard.js'

const changeKey = 'server/src/tokens/api-keys/change-key.ts'
const accountKeys = 'server/src/tokens/api-keys/account-keys.ts'

const ofKeys = (title: string) => ({ file: 'test/console/api-keys.test.ts', title })
const hidesForeign = (where: string) => ofKeys(`404: a key of ${where}`)
const callsTheApi = ofKeys('a new key calls the API with the secret that its creation alone shows')
const doesNoMore = ofKeys('a new key can do no more than its maker')
const isRevokedOnce = ofKeys('a revoked key gets no token, and is neither rotated nor revoked again')

/** Guards of what the console alone calls. */
export const consoleGuards = [
  guard({
    name: 'API keys: a change, of the account',
    file: changeKey,
    ...without('account', 'ofEnvironment(owner)'),
    red: hidesForeign('another account'),
    green: callsTheApi,
  }),
  guard({
    name: 'API keys: a change, of the environment',
    file: changeKey,
    ...without('environment', 'ofEnvironment(owner)'),
    red: hidesForeign('the other environment'),
    green: callsTheApi,
  }),
  guard({
    name: 'API keys: a read, of the account',
    file: changeKey,
    find: "ofEnvironment({ accountId, environment }, 'api_keys')",
    replace: 'sql<boolean>`${accountId} is not null and api_keys.environment = ${environment}`',
    red: hidesForeign('another account'),
    green: callsTheApi,
  }),
  guard({
    name: 'API keys: a read, of the environment',
    file: changeKey,
    find: "ofEnvironment({ accountId, environment }, 'api_keys')",
    replace: 'sql<boolean>`api_keys.account_id = ${accountId} and ${environment} is not null`',
    red: hidesForeign('the other environment'),
    green: callsTheApi,
  }),
  guard({
    name: 'API keys: a revoked one stays revoked',
    file: changeKey,
    find: "\n    .where('revoked_at', 'is', null)",
    replace: '',
    red: isRevokedOnce,
    green: callsTheApi,
  }),
  guard({
    name: 'API keys: no more than the maker can do',
    file: accountKeys,
    find: 'checkScopes(caller, scopes ?? unlistedScopes)\n  const key',
    replace: 'const key',
    red: doesNoMore,
    green: callsTheApi,
  }),
  guard({
    name: 'API keys: no secret of a key that can do more',
    file: accountKeys,
    find: 'await checkScopesOfKey(deps, caller, id)',
    replace: 'await Promise.resolve(checkScopesOfKey)',
    red: ofKeys('a rotation shows nobody the secret of a key that can do more than they'),
    green: callsTheApi,
  }),
  guard({
    name: 'API keys: organizations of the account alone',
    file: accountKeys,
    find: "\n    .where('account_id', '=', accountId)",
    replace: '\n    .where(sql<boolean>`${accountId} is not null`)',
    red: ofKeys(
      'a new key sees the organizations of the account that it is limited to, and none of another account',
    ),
    green: callsTheApi,
  }),
]
