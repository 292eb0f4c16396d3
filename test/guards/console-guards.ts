import { guard, without } from './guard.js'

const changeKey = 'server/src/tokens/api-keys/change-key.ts'
const accountKeys = 'server/src/tokens/api-keys/account-keys.ts'

const ofKeys = (title: string) => ({ file: 'test/console/api-keys.test.ts', title })
const hidesForeign = (where: string) => ofKeys(`404: a key of ${where}`)
const callsTheApi = ofKeys('a new key calls the API with the secret that its creation alone shows')
const doesNoMore = ofKeys('a new key can do no more than its maker')
const isRevokedOnce = ofKeys('a revoked key gets no token, and is neither rotated nor revoked again')

const inAudit = (title: string) => ({ file: 'test/console/audit.test.ts', title })
const ofAChange = inAudit(
  'a change by a member of staff is in the audit of the account: by whom, what, why and on what',
)
const ofOneAccount = inAudit('the audit of an account has nothing of another one')
const ofManyChanges = inAudit(
  'a change by a member of staff has one entry, of the last change, where a request makes several',
)

const health = 'server/src/operations/health/health.ts'
const attention = (title: string) => ({
  file: 'test/console/health.test.ts',
  title: `what may need attention ${title}`,
})
/** Reads figures without a word about their number, which a removal changes for every account of the file. */
const isReadAgain = attention('is read again after 30 seconds, and for another account at once')
const isNothing = attention('is nothing in a new account, said of each code')
const ofWebhooks = attention('counts webhooks that fail, and what they have lost in the last day')
const ofJobs = attention('counts jobs that are late')

const places = 'server/src/operations/people/places-of-address.ts'
const lookUp = (title: string) => ({
  file: 'test/console/people.test.ts',
  title: `a look-up of an address ${title}`,
})
const ofOneEnvironment = lookUp('tells nothing of the other environment of the same organization')
const ofAllOrganizations = lookUp('finds its users in all organizations, however the address is written')

const search = 'server/src/operations/search/search.ts'
const found = (title: string) => ({ file: 'test/console/search.test.ts', title })
const leadsNowhere = found(
  'an id of another account, of the other environment, or of what is deleted leads nowhere',
)
const leadsThere = found('an id leads to its organization, user or application, however it is written')
const ofReaders = found('who may not read users finds none')

/** Guards of what the console alone calls. */
export const consoleGuards = [
  ...(['users', 'applications'] as const).flatMap((table) =>
    (['account_id', 'environment'] as const).map((column) =>
      guard({
        name: `search: ${table} by id, of the ${column}`,
        file: search,
        ...without(column, `ofEnvironment(sought, '${table}')`),
        red: leadsNowhere,
        green: leadsThere,
      }),
    ),
  ),
  guard({
    name: 'search: organizations by id, of the account',
    file: search,
    find: ".where('organizations.account_id', '=', sought.accountId)",
    replace: ".where('organizations.account_id', '=', (eb) => eb.ref('organizations.account_id'))",
    red: leadsNowhere,
    green: leadsThere,
  }),
  guard({
    name: 'search: users for their readers alone',
    file: search,
    find: "scopes.includes('read:users') ? selectUser(db, sought) : Promise.resolve([])",
    replace: 'selectUser(db, sought)',
    red: ofReaders,
    green: leadsThere,
  }),
  guard({
    name: 'API keys: a change, of the account',
    file: changeKey,
    ...without('account_id', 'ofEnvironment(owner)'),
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
    ...without('account_id', "ofEnvironment(owner, 'api_keys')"),
    red: hidesForeign('another account'),
    green: callsTheApi,
  }),
  guard({
    name: 'API keys: a read, of the environment',
    file: changeKey,
    ...without('environment', "ofEnvironment(owner, 'api_keys')"),
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
    replace: "\n    .where('account_id', '=', (eb) => eb.ref('account_id'))",
    red: ofKeys(
      'a new key sees the organizations of the account that it is limited to, and none of another account',
    ),
    green: callsTheApi,
  }),
  guard({
    name: 'audit: a change of several statements',
    file: 'server/src/delivery/events/change.ts',
    find: 'if (cause.audit !== undefined) await auditChange(',
    replace: 'if (cause.audit === null) await auditChange(',
    red: ofManyChanges,
    green: ofOneAccount,
  }),
  guard({
    name: 'audit: a record that is created by one statement',
    file: 'server/src/delivery/events/create.ts',
    find: ' || audit !== undefined',
    replace: '',
    red: ofAChange,
    green: ofManyChanges,
  }),
  guard({
    name: 'audit: what was done stays done',
    file: 'server/src/delivery/audit/audit.ts',
    find: "when audit_entries.outcome = 'done' then 'done'",
    replace: "when false then 'done'",
    red: ofManyChanges,
    green: ofAChange,
  }),
  guard({
    name: 'audit: a list, of the account',
    file: 'server/src/delivery/audit/list-audit.ts',
    find: ".where('audit_entries.account_id', '=', accountId)",
    replace: ".where('audit_entries.account_id', '=', (eb) => eb.ref('audit_entries.account_id'))",
    red: ofOneAccount,
    green: inAudit('a change by a member of staff shows no secret'),
  }),
  guard({
    name: 'health: what needs attention, of the account',
    file: health,
    find: 'const own = (table: keyof DB) => ofEnvironment(owner, table)',
    replace:
      'const own = (table: keyof DB) => ofEnvironment({ ...owner, accountId: sql`${sql.ref(`${table}.account_id`)}` }, table)',
    red: ofWebhooks,
    green: isReadAgain,
  }),
  guard({
    name: 'health: what needs attention, of the environment',
    file: health,
    find: 'const own = (table: keyof DB) => ofEnvironment(owner, table)',
    replace:
      'const own = (table: keyof DB) => ofEnvironment({ ...owner, environment: sql`${sql.ref(`${table}.environment`)}` }, table)',
    red: ofWebhooks,
    green: ofJobs,
  }),
  guard({
    name: 'health: jobs of the account',
    file: health,
    find: 'where account_id = ${accountId} and coalesce',
    replace: 'where coalesce(account_id, ${accountId}) is not null and coalesce',
    red: ofJobs,
    green: isReadAgain,
  }),
  guard({
    name: 'health: figures are kept for one account',
    file: health,
    find: 'const key = `${caller.accountId} ${caller.environment}`',
    replace: 'const key = caller.environment',
    red: isReadAgain,
    green: isNothing,
  }),
  guard({
    name: 'statistics: sign-ins of the account',
    file: 'server/src/operations/health/statistics.ts',
    ...without('account_id', "ofEnvironment(caller, 'log_event_counts')"),
    red: {
      file: 'test/console/health.test.ts',
      title: 'sign-ins by day are those that passed and failed, as they were last counted',
    },
    green: isNothing,
  }),
  guard({
    name: 'people: mails that the outbox has kept, of the environment',
    file: places,
    ...without('environment', "ofEnvironment({ accountId, environment }, 'outbox_messages')"),
    red: ofOneEnvironment,
    green: ofAllOrganizations,
  }),
  guard({
    name: 'people: applications of the environment',
    file: places,
    find: "where ${ofEnvironment({ accountId, environment }, 'applications')}",
    replace: 'where applications.account_id = ${accountId}',
    red: ofOneEnvironment,
    green: ofAllOrganizations,
  }),
]
