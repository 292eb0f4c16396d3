/** Why a rule was not added. */
export const roleRuleFaults = ['noGroup', 'noAttribute', 'noValue', 'noRole', 'manyRoles'] as const
export type RoleRuleFault = (typeof roleRuleFaults)[number]

/** Why a form about the rules did nothing. */
export const roleRuleNotices = ['changed', 'notAssignable', 'full'] as const
export type RoleRuleNotice = (typeof roleRuleNotices)[number]

/** The words of the rules by which a directory or a connection gives roles. */
export const roleRules = {
  roleRules: {
    /** By what the rules are of. */
    of: {
      directory: {
        heading: 'Roles by group',
        sentence: 'Members of a group get the roles of its rules in the application.',
        authoritative: 'People in your directory have these roles only: no others count.',
        noRoles: 'The people who invited you have not chosen any roles that you can give.',
      },
      connection: {
        heading: 'Roles by attribute',
        sentence:
          'When people sign in, they get the roles of the rules that fit what your identity provider says about them.',
        authoritative: 'People who sign in this way have these roles only: no others count.',
        noRoles: 'The people who invited you have not chosen any roles that you can give.',
      },
    },
    /** From the page of a connection. */
    link: 'Map roles',
    back: 'Back to the connection',
    none: 'There are no rules yet.',
    /** A rule without a group. */
    ofAttribute: (attribute: string, value: string) => `${attribute} is “${value}”`,
    unmatched: 'Your provider has sent no group with this name.',
    kept: 'Only the people who invited you can change this rule.',
    remove: 'Remove',
    /** After the button, for screen readers. */
    removeWhat: (subject: string) => `the rule for ${subject}`,
    add: 'Add a rule',
    addButton: 'Add rule',
    fields: { group: 'Group', attribute: 'Attribute', value: 'Value' },
    hints: {
      group: 'The whole name, as in your directory. Capital letters make no difference.',
      attribute: 'Its name, as your identity provider sends it, such as groups.',
      value: 'The whole value. Capital letters make no difference.',
    },
    roles: 'Roles',
    rolesHint: (most: number) => `Choose up to ${most}.`,
    groups: 'Groups that your provider has sent',
    moreGroups: 'There are more. You can enter the name of any group.',
    faults: {
      noGroup: 'Enter the name of a group, of up to 400 characters.',
      noAttribute: 'Enter the name of an attribute, of up to 400 characters.',
      noValue: 'Enter a value, of up to 400 characters.',
      noRole: 'Choose a role.',
      manyRoles: 'Choose up to five roles. For more, add another rule.',
    } satisfies Record<RoleRuleFault, string>,
    notices: {
      changed: 'Something has changed since you opened this page. Review it below, and try again if needed.',
      notAssignable: 'Nothing was changed: you cannot give or take away this role.',
      full: 'Nothing was changed: there is no room for more rules. Remove one first.',
    } satisfies Record<RoleRuleNotice, string>,
  },
}

export type RoleRulesTexts = typeof roleRules
