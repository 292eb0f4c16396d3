import { z } from 'zod/v4'
import { list, text } from '../core/fields.js'
import { record } from '../core/record.js'

/** The most rules of a directory or connection, the most roles of one of them, and the most characters of what it compares. */
export const maxRoleRules = { rules: 200, rolesOfRule: 5, characters: 400 } as const

export const roleMappingModes = ['add', 'authoritative'] as const
export type RoleMappingMode = (typeof roleMappingModes)[number]

const mode = z
  .enum(roleMappingModes)
  .describe(
    'add: beside other roles of a user; authoritative: the only roles of the users that the mapping reaches',
  )

/** A rule that gives roles to the users of a group, or to those of whom a value is said. */
export const RoleRule = record(
  'RoleRule',
  {
    group: z.string().optional().describe('Display name of a group of the directory'),
    attribute: z
      .string()
      .optional()
      .describe(
        'roles, entitlements, or a path in attribute_mapping of a directory; name of a SAML attribute or claim',
      ),
    value: z.string().optional().describe('The value of the attribute, or one of its values'),
    roles: z.array(z.string()).describe('Names of roles'),
    matched: z
      .boolean()
      .optional()
      .describe('Whether the directory has a group of this name; of rules with a group'),
  },
  { group: 'Finance', roles: ['billing_admin'], matched: true },
)
export type RoleRule = z.output<typeof RoleRule>

/** The roles that a directory or connection gives, and whether it is the only one that does. */
export const RoleMapping = record(
  'RoleMapping',
  { mode, rules: z.array(RoleRule) },
  { mode: 'add', rules: [{ group: 'Finance', roles: ['billing_admin'], matched: true }] },
)
export type RoleMapping = z.output<typeof RoleMapping>

/** A value of a rule; names of groups are as long as this at most. */
function compared() {
  return text(maxRoleRules.characters, 1)
}

const roles = list(text(32, 1), maxRoleRules.rolesOfRule, 1).describe(
  'Names of roles of the account or of the organization, 1 to 5',
)

/** The input of `role_mapping` of a directory. */
export function directoryRoleMapping() {
  const rule = z.strictObject({
    group: compared()
      .optional()
      .describe('Display name of a group, compared as a whole and in any case; not with attribute'),
    attribute: compared()
      .optional()
      .describe('roles, entitlements, or a path that attribute_mapping names; with value'),
    value: compared().optional().describe('Compared as a whole and in any case'),
    roles,
  })
  return input(rule)
}

/** The input of `role_mapping` of an SSO connection. */
export function ssoRoleMapping() {
  const rule = z.strictObject({
    attribute: compared().describe('Name of a SAML attribute or claim, in any case'),
    value: compared().describe('Compared with each value as a whole and in any case'),
    roles,
  })
  return input(rule)
}

function input<Rule extends z.ZodType>(rule: Rule) {
  return z
    .strictObject({ mode, rules: list(rule, maxRoleRules.rules) })
    .optional()
    .describe('Replaces the mapping; needs the scope write:roles as well')
}
