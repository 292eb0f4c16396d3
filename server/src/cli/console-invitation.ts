import { email as emailAddress } from '@portico/contract/fields'
import type { StaffRole } from '@portico/contract/staff'
import { InvalidArgumentError } from 'commander'
import type { Deps } from '../delivery/deps.js'
import { inviteStaff, makeStaffLink } from '../operations/staff/staff-invitations.js'
import type { Caller } from '../platform/tenant.js'

/** What an operator is told of an invitation: the link, where they hand it over themselves. */
export interface Invited {
  readonly invitation_url?: string
}

/** Invites an address to the console of an account, by a mail or by a link that is printed. */
export async function invite(
  deps: Deps,
  caller: Caller,
  {
    printLink,
    ...invited
  }: { readonly email: string; readonly roles: StaffRole[]; readonly printLink: boolean },
): Promise<Invited> {
  if (printLink) return { invitation_url: await makeStaffLink(deps, caller, invited) }
  await inviteStaff(deps, caller, invited)
  return {}
}

export function toInvitedLines({
  email,
  invitation_url: url,
}: Invited & { readonly email: string }): string[] {
  if (url === undefined) return [`Invited ${email}: a mail with the link is sent when a worker runs.`]
  return [`Invited ${email}. Hand over this link, which works once, for 7 days:`, `  ${url}`]
}

export function toEmail(text: string): string {
  const { data } = emailAddress().safeParse(text.trim())
  if (data === undefined) throw new InvalidArgumentError('It is an address such as ada@example.com.')
  return data
}
