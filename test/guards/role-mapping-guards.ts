import { guard, protocolTest } from './guard.js'

const mappingFile = 'server/src/directory/roles/role-mapping.ts'
const heldFile = 'server/src/directory/users/roles-of-user.ts'
const ssoFile = 'server/src/directory/roles/sso-roles.ts'
const groupsFile = 'server/src/protocols/scim/unmatched-rule.ts'

const mapped = (title: string) => protocolTest('role-mapping', title)
const byGroup = mapped(
  'a directory gives roles by its groups, in whatever case and form, from the next refresh on, and writes no user',
)
const byValue = mapped(
  'a directory gives roles by roles, entitlements and mapped paths, and none by a value without a rule',
)
const ofDirectory = mapped(
  'a directory that is authoritative overrides what the API has given, which stays and is shown',
)
const atSignIn = mapped(
  'an SSO connection gives roles at each sign-in in place of those of before, with an event where something changes',
)
const ofConnection = mapped(
  'an SSO connection that is authoritative is the only source of those who came by it last, until they come by another',
)
const ofTenant = mapped('rules are those of one organization and environment')
const renamed = mapped(
  'an SSO connection gives nothing any more by an identity whose name has changed, and by none that is forgotten',
)
const areChecked = mapped('rules 422: have a group, or an attribute with a value, and known roles, each once')

/** Guards of the roles that directories and connections give. */
export const roleMappingGuards = [
  guard({
    name: 'role mapping: keys that give roles have the scope for it',
    file: mappingFile,
    find: "cause.actor.type !== 'operator' && !scopes.includes('write:roles')",
    replace: "cause.actor.type === 'api_key' && scopes.length > 1000",
    red: mapped('rules 403: are written by keys that may write roles'),
    green: byGroup,
  }),
  guard({
    name: 'role mapping: a rule reads what the directory keeps for it',
    file: mappingFile,
    find: '  if (isKnown(attribute)) return []\n',
    replace: '  if (isKnown(attribute) || attribute.length > 0) return []\n',
    red: mapped('rules 422: a path that a rule reads stays mapped'),
    green: byValue,
  }),
  guard({
    name: 'role mapping: a rule names known roles',
    file: mappingFile,
    find: 'return ids.has(name) ? [] : [{ path: at, ...unknownRole }]',
    replace: 'return ids.has(name) || ids.size >= 0 ? [] : [{ path: at, ...unknownRole }]',
    red: areChecked,
    green: byGroup,
  }),
  guard({
    name: 'tenant: rules of roles are those of the directory of the user',
    file: heldFile,
    find: "    where ${sameTenant('rule', 'users')} and rule.source_id = mapped.id\n",
    replace: "    where ${sameEnvironment('rule', 'users')} and mapped.id is not null\n",
    red: ofTenant,
    green: byGroup,
  }),
  guard({
    name: 'role mapping: an authoritative one is the only source',
    file: heldFile,
    find: 'when authority.name <> given.source then authority.name',
    replace: 'when authority.name <> given.source then null',
    red: ofDirectory,
    green: byGroup,
  }),
  guard({
    name: 'role mapping: a connection is authoritative as long as it says so',
    file: heldFile,
    find: " and connection.role_mapping_mode = 'authoritative'",
    replace: ' and connection.role_mapping_mode is not null',
    red: ofConnection,
    green: renamed,
  }),
  guard({
    name: 'role mapping: what a sign-in does not say is taken',
    file: ssoFile,
    find: 'assignment.source_id = ${its.identityId} and assignment.role_id not in (select role_id from wanted)',
    replace: 'assignment.source_id = ${its.identityId} and false',
    red: atSignIn,
    green: renamed,
  }),
  guard({
    name: 'role mapping: other identities at the connection give nothing',
    file: ssoFile,
    find: 'and user_id = ${its.userId} and idp_id = ${its.idpId}',
    replace: 'and user_id = ${its.userId} and idp_id = ${its.idpId} and false',
    red: renamed,
    green: atSignIn,
  }),
  guard({
    name: 'role mapping: a sign-in by another connection ends the authority',
    file: 'server/src/sso/sign-in/sign-in-user.ts',
    find: '  if (roleAttributes === null && user?.roles_identity_id == null) return\n',
    replace: '  if (roleAttributes === null) return\n',
    red: ofConnection,
    green: atSignIn,
  }),
  guard({
    name: 'role mapping: roles of identities that are forgotten go',
    file: 'server/src/directory/users/identities.ts',
    find: '  await forgetRolesOfIdentities(trx, { ...tenant, id: userId })\n',
    replace: '',
    red: mapped(
      'an address that is proved takes the roles of identities that came before, and keeps those of the API',
    ),
    green: atSignIn,
  }),
  guard({
    name: 'role mapping: a role that rules name is deleted where that is forced',
    file: 'server/src/directory/roles/roles.ts',
    find: "|| rules !== '0' || policies",
    replace: '|| policies',
    red: mapped('rules 409: a role that rules name is deleted where that is forced, and goes from them'),
    green: byGroup,
  }),
  guard({
    name: 'role mapping: a rule is left without its group when the last one goes',
    file: groupsFile,
    find: 'named.display_name_normalized = ${normalizeEmail(formerName)}',
    replace: 'named.display_name_normalized = ${normalizeEmail(formerName)} and false',
    red: mapped('a directory tells of a rule that is left without its group, and says which rules have one'),
    green: byGroup,
  }),
  guard({
    name: 'role mapping: values are compared in one form',
    file: 'server/src/directory/roles/rule-key.ts',
    find: '${normalizeEmail(value)}',
    replace: '${value}',
    also: [
      {
        file: 'server/src/directory/roles/rule-key.ts',
        find: "import { normalizeEmail } from '../../platform/email.js'\n",
        replace: '',
      },
    ],
    red: byValue,
    green: ofConnection,
  }),
]
