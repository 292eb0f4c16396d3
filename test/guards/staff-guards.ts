import { guard } from './guard.js'

const staff = 'server/src/operations/staff/staff.ts'
const start = 'server/src/operations/staff/console-start.ts'
const organization = 'server/src/operations/staff/staff-organization.ts'
const signIn = 'server/src/console/sign-in.ts'
const visitor = 'server/src/console/visitor.ts'

const ofStaff = (title: string) => ({ file: 'test/console/staff.test.ts', title })
const ofStart = (title: string) => ({ file: 'test/console/console-start.test.ts', title })
const ofSignIn = (title: string) => ({ file: 'test/console/console-sign-in.test.ts', title })
const ofOrganization = (title: string) => ({ file: 'test/console/staff-organization.test.ts', title })

const getsOtherRoles = ofStaff('staff get other roles, which count at once')
const makesTheOwner = ofStart('the link makes the first owner, who is at once in the console of the sandbox')
const comesBack = ofSignIn(
  'a page of the console sends to sign in, and the sign-in comes back to the same page',
)
const staysOnce = ofOrganization(
  'twelve that need the staff of an account at once make it once, with the account that holds all staff',
)
const ownSettings = ofOrganization(
  'staff sign in by links that create nobody, or long passwords, with an app, to sessions of 8 hours, idle for one',
)

/** Guards of who staff are, and how they get in. */
export const staffGuards = [
  guard({
    name: 'staff: of the last two owners one stays',
    file: staff,
    find: 'await lockStaff(trx, staff)\n    const tenant = staffTenant(staff, plain(caller.cause))\n    const hadOwner',
    replace: 'const tenant = staffTenant(staff, plain(caller.cause))\n    const hadOwner',
    red: ofStaff('the last active owner stays when two take the role from each other in the same moment'),
    green: getsOtherRoles,
  }),
  guard({
    name: 'staff: the last owner stays',
    file: staff,
    find: "if (hadOwner && !(await hasActiveOwner(trx, staff))) throw new ApiError('last_owner')",
    replace: 'await Promise.resolve(hadOwner)',
    red: ofStaff('the last active owner is neither removed nor given other roles'),
    green: getsOtherRoles,
  }),
  guard({
    name: 'staff: an owner who was deactivated is none',
    file: 'server/src/operations/staff/owners.ts',
    find: "\n    .where('users.active', '=', true)",
    replace: '',
    red: ofStaff('the last active owner is the one beside an owner who was deactivated'),
    green: getsOtherRoles,
  }),
  guard({
    name: 'staff: no API key of the account that holds them',
    file: 'server/src/tokens/api-keys/api-keys.ts',
    find: 'accounts.domain = ${consoleAccountDomain}',
    replace: 'accounts.domain = ${consoleAccountDomain} and false',
    red: ofOrganization(
      'no API key is of the account that holds all staff, and no key of another account finds a staff organization',
    ),
    green: ownSettings,
  }),
  guard({
    name: 'staff: no API key of that account in the database either',
    file: 'server/src/platform/db/migrations/0048-found-by-id.ts',
    find: "accounts.domain = 'console') then",
    replace: "accounts.domain = 'console' and false) then",
    red: ofOrganization(
      'the database itself refuses an API key of that account, new or taken from another one',
    ),
    green: ownSettings,
  }),
  guard({
    name: 'staff: one organization of an account',
    file: organization,
    find: ".select(['id', 'domain'])\n    .forNoKeyUpdate()",
    replace: ".select(['id', 'domain'])",
    red: staysOnce,
    green: ownSettings,
  }),
  guard({
    name: 'staff: no code of the console is exchanged',
    file: organization,
    find: "\n    code_exchange: 'api_key',",
    replace: '',
    red: ofSignIn('no code of the console is exchanged'),
    green: comesBack,
  }),
  guard({
    name: 'first owner: a link works once',
    file: start,
    find: ".set({ used_at: at })\n    .where('token_hash', '=', hashSecret(token))\n    .where('used_at', 'is', null)",
    replace: ".set({ used_at: at })\n    .where('token_hash', '=', hashSecret(token))",
    red: ofStart(
      'a link that was used makes no other owner, also when the first one may not sign in any more',
    ),
    green: makesTheOwner,
  }),
  guard({
    name: 'first owner: a link ends',
    file: start,
    find: "\n    .where('expires_at', '>', at)",
    replace: '',
    red: ofStart('the form of a link that was used, or is over, makes nobody'),
    green: makesTheOwner,
  }),
  guard({
    name: 'first owner: none beside another one',
    file: start,
    find: '(await hasActiveOwner(trx, staff)) ? undefined : staff',
    replace: '(await hasActiveOwner(trx, staff)) ? staff : staff',
    red: ofStart('a link that waits when an owner comes in otherwise makes no second one'),
    green: makesTheOwner,
  }),
  guard({
    name: 'first owner: no link where others reach the service',
    file: start,
    find: '\n  if (deps.config.isProduction) return undefined',
    replace: '',
    red: ofStart('a service that others reach has no link'),
    green: makesTheOwner,
  }),
  guard({
    name: 'console: the session of an account opens no other',
    file: visitor,
    find: "\n      .where('accounts.domain', '=', key.accountDomain)",
    replace: '\n      .where(sql<boolean>`${key.accountDomain}::text is not null`)',
    red: ofSignIn('the session of one account opens the console of no other'),
    green: comesBack,
  }),
  guard({
    name: 'console: a second factor where others reach the service',
    file: visitor,
    find: "if (config.isProduction && !row.amr.includes('mfa')) return undefined",
    replace: "if (config.isProduction && row.amr.includes('none')) return undefined",
    red: {
      file: 'test/console/console-second-factor.test.ts',
      title:
        'where others reach the service, a sign-in enrols a second factor, and no session without one opens the console',
    },
    green: comesBack,
  }),
  guard({
    name: 'console: a sign-in ends at a path of the console',
    file: signIn,
    find: "const to = toOwnPath(state) ?? '/console'",
    replace: 'const to = String(state)',
    red: ofSignIn('the page after a sign-in sends to no address but one of the console'),
    green: comesBack,
  }),
]
