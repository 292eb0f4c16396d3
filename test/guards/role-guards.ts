import { contractTest, guard, protocolTest } from './guard.js'

const folder = 'server/src/directory/roles'
const rolesFile = `${folder}/roles.ts`
const evaluationFile = `${folder}/evaluation.ts`
const permissionsFile = `${folder}/permissions.ts`
const heldFile = 'server/src/directory/users/roles-of-user.ts'

const roles = (title: string) => contractTest('roles', title)
const tokens = (title: string) => protocolTest('role-claims', title)
const isLimited = roles(
  'a key that is limited to organizations writes roles of these alone, and sees none of others',
)
const isDeclared = roles('a role has declared permissions, each once and in order, and keeps its name')
const areKnown = roles(
  'the roles of a user 422: are known ones, of the account or of the organization, at most twenty',
)
const areReplaced = roles(
  'the roles of a user are replaced, tell what they allow together, and are in the record for reads that ask',
)
const isEvaluated = roles('an evaluation says what the roles of the user allow now, and by which')
const areAnswered = roles('an evaluation answers up to fifty questions with common members, in their order')
const areCarried = tokens('tokens carry the roles and what they allow, as it is at each exchange and refresh')
const isOfEnvironment = tokens(
  'tokens carry no role of the other environment, and none that metadata pretend',
)
const breaking = (title: string) => ({ file: 'test/cli/config-breaking.long.test.ts', title })

/** Guards of roles: who writes them, and whom they are given to. */
export const roleGuards = [
  guard({
    name: 'roles: a limited key sees those of its organizations',
    file: rolesFile,
    find: '            and (${organizationIds}::uuid[] is null or scope.id = any(${organizationIds}::uuid[]))\n',
    replace: '            and (${organizationIds}::uuid[] is null or true)\n',
    red: isLimited,
    green: isDeclared,
  }),
  guard({
    name: 'roles: a limited key changes none of the account',
    file: rolesFile,
    find: '  if (row.organization_id === null) checkReach(caller)\n',
    replace: '',
    red: isLimited,
    green: isDeclared,
  }),
  guard({
    name: 'roles: a limited key creates none of the account',
    file: rolesFile,
    find: '    checkReach(caller)\n    return null\n',
    replace: '    return null\n',
    red: isLimited,
    green: isDeclared,
  }),
  guard({
    name: 'roles: a name of the account is none of an organization',
    file: rolesFile,
    find: ' or roles.organization_id is null or ${organizationId}::uuid is null)',
    replace: ')',
    red: roles('a role of an organization is listed with those of the account, and has none of their names'),
    green: isDeclared,
  }),
  guard({
    name: 'roles: changes of an account wait for each other',
    file: rolesFile,
    find: '    await lockAccount(trx, caller)\n    const organizationId',
    replace: '    const organizationId',
    red: roles(
      'a role is there once by its name, whether of the account or of an organization, of many requests at once',
    ),
    green: isDeclared,
  }),
  guard({
    name: 'roles: those of a user are of their organization',
    file: 'server/src/directory/role-ids.ts',
    find: '(organization_id is null or organization_id = ${organizationIdOf(tenant)})',
    replace: '(true or organization_id = ${organizationIdOf(tenant)})',
    red: areKnown,
    green: areReplaced,
  }),
  guard({
    name: 'roles: a permission that roles have is deleted where that is forced',
    file: permissionsFile,
    find: "row.roles_count !== '0' && !force",
    replace: "row.roles_count === '-1' && !force",
    red: roles('a permission 409: stays while roles have it, unless its deletion is forced'),
    green: isDeclared,
  }),
  guard({
    name: 'roles: one that users have is deleted where that is forced',
    file: rolesFile,
    find: "(row.users_count !== '0' || rules",
    replace: "(row.users_count === '-1' || rules",
    red: roles('a role 409: stays while users have it, unless its deletion is forced'),
    green: isDeclared,
  }),
  guard({
    name: 'environment: the default role',
    file: heldFile,
    find: "where ${sameEnvironment('roles', 'users')} and roles.is_default",
    replace: 'where roles.account_id = users.account_id and roles.is_default',
    also: [
      {
        file: heldFile,
        find: "where ${sameEnvironment('role', 'users')} and role.id = held.role_id",
        replace: 'where role.account_id = users.account_id and role.id = held.role_id',
      },
    ],
    red: isOfEnvironment,
    green: areCarried,
  }),
  guard({
    name: 'evaluation: an inactive user may nothing',
    file: evaluationFile,
    find: "  if (!user.active) return no('user_inactive')\n",
    replace: '',
    red: isEvaluated,
    green: areAnswered,
  }),
  guard({
    name: 'evaluation: which users there are is told to keys that read users',
    file: evaluationFile,
    find: "no(mayReadUsers(asker) ? 'user_not_found' : 'not_granted')",
    replace: "no('user_not_found')",
    red: isEvaluated,
    green: areAnswered,
  }),
  guard({
    name: 'evaluation: of another organization nothing is granted',
    file: evaluationFile,
    find: 'granting.length === 0 || isElsewhere',
    replace: 'granting.length === 0',
    red: isEvaluated,
    green: areAnswered,
  }),
  guard({
    name: 'tokens: permissions are those of the prefixes',
    file: 'server/src/tokens/role-claims.ts',
    find: 'prefixes === null || prefixes.some((prefix) => permission.startsWith(prefix))',
    replace: 'prefixes === null || prefixes.length >= 0 || permission.length > 0',
    red: tokens('tokens carry what the prefixes of their application name'),
    green: areCarried,
  }),
  guard({
    name: 'portico config: what breaks is allowed',
    file: 'server/src/cli/config.ts',
    find: 'carried.breaking.length > 0 && order.allowBreaking !== true',
    replace: 'carried.breaking.length > 0 && order.allowBreaking === false',
    red: breaking(
      'a plan says which roles and users lose something, and an apply is refused until that is allowed',
    ),
    green: breaking('a plan that is kept is of the roles that lose something, whoever has them'),
  }),
]
