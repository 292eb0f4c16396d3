/** The roles of staff. What each may do is decided where it is asked. */
export const staffRoles = ['owner', 'developer', 'support', 'viewer'] as const
export type StaffRole = (typeof staffRoles)[number]
