import { staffRoles, type StaffMember, type StaffRole } from '@portico/contract/staff'
import { InvalidArgumentError, type Command } from 'commander'
import type { Deps, OpenDeps } from '../delivery/deps.js'
import { getAccount } from '../operations/accounts/list-accounts.js'
import { getStaffByEmail, hasActiveOwnerOf, listAllStaff } from '../operations/staff/staff-of-account.js'
import { removeStaffAsOperator } from '../operations/staff/staff.js'
import { operatorCaller, type Caller, type Cause } from '../platform/tenant.js'
import { invite, toEmail, toInvitedLines } from './console-invitation.js'
import { print, table, type OutputOptions } from './output.js'
import { withDeps } from './with-deps.js'

interface StaffOptions extends OutputOptions {
  readonly account: string
}

/** portico console invite, list and remove */
export function define(command: Command): void {
  command
    .command('invite')
    .description('invite somebody to the staff of an account')
    .requiredOption('--account <domain>', 'whose console it is')
    .requiredOption('--email <address>', 'whom to invite', toEmail)
    .requiredOption('--role <role>', staffRoles.join(', '), toRole)
    .option('--print-link', 'print the link instead of mailing it')
    .option('--json', 'answer as JSON')
    .action(inviteOne)
  command
    .command('list')
    .description('list the staff of an account, and who is invited')
    .requiredOption('--account <domain>', 'whose console it is')
    .option('--json', 'answer as JSON')
    .action(list)
  command
    .command('remove')
    .description('remove somebody from the staff of an account, the last owner too; sessions end')
    .requiredOption('--account <domain>', 'whose console it is')
    .requiredOption('--email <address>', 'whom to remove', toEmail)
    .option('--json', 'answer as JSON')
    .action(remove)
}

interface InviteOptions extends StaffOptions {
  readonly email: string
  readonly role: StaffRole
  readonly printLink?: boolean
}

async function inviteOne(options: InviteOptions): Promise<void> {
  const { email, role, printLink = false } = options
  const invited = await withCaller(options, (deps, caller) =>
    invite(deps, caller, { email, roles: [role], printLink }),
  )
  print(options, { email, role, ...invited }, () => toInvitedLines({ email, ...invited }))
}

async function list(options: StaffOptions): Promise<void> {
  const { members, invitations } = await withCaller(options, listAllStaff)
  print(options, { members, invitations }, () =>
    members.length + invitations.length === 0
      ? ['There is nobody: portico console invite invites somebody.']
      : table(
          ['ADDRESS', 'ROLES', 'STATE', 'LAST SEEN'],
          [
            ...members.map((member) => [
              member.email,
              member.roles.join(', '),
              stateOf(member),
              member.last_seen_at ?? 'never',
            ]),
            ...invitations.map(({ email, roles, expires_at }) => [
              email,
              roles.join(', '),
              `invited until ${expires_at}`,
              'never',
            ]),
          ],
        ),
  )
}

function stateOf({ active, factors }: StaffMember): string {
  return active ? ['active', ...factors].join(', ') : 'deactivated'
}

async function remove(options: StaffOptions & { email: string }): Promise<void> {
  const { member, hasOwner } = await withCaller(options, async (deps, caller) => {
    const { id } = await getStaffByEmail(deps, caller, options.email)
    const { record } = await removeStaffAsOperator(deps, caller, id)
    return { member: record, hasOwner: await hasActiveOwnerOf(deps, caller) }
  })
  print(options, member, () => [
    `Removed ${member.email} from the staff of ${options.account}.`,
    ...(hasOwner
      ? []
      : [`It has no owner now: portico console invite --account ${options.account} makes one.`]),
  ])
}

function withCaller<Result>(
  options: StaffOptions,
  work: (deps: Deps, caller: Caller) => Promise<Result>,
): Promise<Result> {
  return withDeps(options, async (deps: OpenDeps, cause: Cause) => {
    const account = await getAccount(deps, options.account)
    return work(deps, operatorCaller(account, 'production', cause))
  })
}

function toRole(text: string): StaffRole {
  const role = staffRoles.find((known) => known === text)
  if (role === undefined) throw new InvalidArgumentError(`It is one of ${staffRoles.join(', ')}.`)
  return role
}
