import { guard, protocolTest } from './guard.js'

const rulesFile = 'server/src/sso/onboarding/role-rules.ts'
const assignableFile = 'server/src/directory/roles/assignable.ts'

const maps = (title: string) =>
  protocolTest('onboarding-role-rules', `an administrator maps the groups of the directory to roles ${title}`)
const gives = maps(
  'by a rule for a group, which gives its members the role, and an event tells who has made it',
)
const givesNone = maps('with no role that is closed, of another organization, or not there')

/** Guards of the rules by which administrators give roles. */
export const roleRulesGuards = [
  guard({
    name: 'role rules: a role that administrators may not give',
    file: assignableFile,
    find: "    .where('assignable_by_admins', '=', true)\n",
    replace: '',
    red: givesNone,
    green: gives,
  }),
  guard({
    name: 'role rules: a rule of a role that administrators may not give is not removed',
    file: rulesFile,
    find: 'rules: others, roles: removed.roles })',
    replace: 'rules: others, roles: [] })',
    red: maps('and removes no rule of another role, which is shown'),
    green: gives,
  }),
  guard({
    name: 'role rules: the rules that the page has shown',
    file: rulesFile,
    find: '  if (shownVersion !== version) return ',
    replace: '  if (shownVersion > 1_000_000_000) return ',
    red: maps('as the page showed them: what has changed since, or is sent again, changes nothing'),
    green: gives,
  }),
  guard({
    name: 'role rules: the reach of the invitation',
    file: 'server/src/sso/onboarding/reached-tenant.ts',
    find: 'return connection === null ? reachOf[environment] : []',
    replace: 'return connection === null ? reachOf[environment] : [connection.environment]',
    red: maps('in environments that the invitation reaches, with an invitation to the organization'),
    green: gives,
  }),
]
