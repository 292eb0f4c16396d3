import { InvalidArgumentError, type Command } from 'commander'
import { AccountChanges, type Account } from '@portico/contract/account'
import { updateAccountRecord } from '../directory/account-record/account-record.js'
import type { OpenDeps } from '../delivery/deps.js'
import { createAccount, type Account as CreatedAccount, type Plan } from '../operations/accounts/accounts.js'
import { getAccount, listAccounts } from '../operations/accounts/list-accounts.js'
import { operatorCaller, type Cause } from '../platform/tenant.js'
import { toFieldErrors } from '../platform/field-errors.js'
import { invite, toEmail, toInvitedLines, type Invited } from './console-invitation.js'
import { grouped, print, table, type OutputOptions } from './output.js'
import { withDeps } from './with-deps.js'

/** portico account create, list and set */
export function define(command: Command): void {
  command
    .command('create')
    .description('create an account: a customer of this service, with its own keys and organizations')
    .argument('<name>', 'its name, from which its domain is made', toName)
    .option('--plan <plan>', 'free (one organization) or unlimited', toPlan, 'unlimited')
    .option('--owner <address>', 'whom to invite as the first owner of its console', toEmail)
    .option('--print-link', 'print the link of that invitation instead of mailing it')
    .option('--json', 'answer as JSON')
    .action(create)
  command.command('list').description('list every account').option('--json', 'answer as JSON').action(list)
  const set = command
    .command('set')
    .description('name the product of an account, and set its look and its links')
    .argument('<domain>', 'of the account')
  for (const { flag, tells } of settings) set.option(`--${flag} <value>`, `${tells}; '' takes it away`)
  set.option('--json', 'answer as JSON').action(setRecord)
}

type Setting = keyof AccountChanges

/** The options of portico account set, with the member that each sets. */
const settings: readonly { readonly flag: string; readonly member: Setting; readonly tells: string }[] = [
  { flag: 'product-name', member: 'product_name', tells: 'what pages and mails call the product' },
  { flag: 'color', member: 'color', tells: 'one of the palette, such as #0f766e' },
  { flag: 'icon-logo-url', member: 'icon_logo_url', tells: 'a square logo' },
  { flag: 'inline-logo-url', member: 'inline_logo_url', tells: 'a wide logo with the name in it' },
  { flag: 'support-url', member: 'support_url', tells: 'where users get help' },
  { flag: 'privacy-policy-url', member: 'privacy_policy_url', tells: 'the privacy policy' },
  { flag: 'terms-of-service-url', member: 'terms_of_service_url', tells: 'the terms of service' },
  { flag: 'locale', member: 'locale', tells: 'the language, such as en or fr-FR' },
]

interface CreateOptions extends OutputOptions {
  readonly plan: Plan
  readonly owner?: string
  readonly printLink?: boolean
}

async function create(name: string, options: CreateOptions): Promise<void> {
  const { plan, owner, printLink = false } = options
  if (owner === undefined && printLink) throw new Error('Say whom to invite, with --owner.')
  const made = await withDeps(options, async (deps, cause) => {
    const account = await createAccount(deps, { name, plan })
    const invited = owner === undefined ? {} : await inviteTo(deps, cause, account, { owner, printLink })
    return { ...account, ...invited }
  })
  print(options, made, () => [
    `Created the account ${made.domain} (${made.plan}).`,
    ...(owner === undefined ? [] : toInvitedLines({ email: owner, ...made })),
    `Next: portico api-key create --account ${made.domain} --environment sandbox${cellOption(options)}`,
  ])
}

/** Of several databases, the one that the next command has to name, too. */
function cellOption({ terminal }: OutputOptions): string {
  return terminal.cell === undefined ? '' : ` --cell ${terminal.cell.name}`
}

function inviteTo(
  deps: OpenDeps,
  cause: Cause,
  account: CreatedAccount,
  { owner, printLink }: { readonly owner: string; readonly printLink: boolean },
): Promise<Invited> {
  return invite(deps, operatorCaller(account, 'production', cause), {
    email: owner,
    roles: ['owner'],
    printLink,
  })
}

async function setRecord(domain: string, options: OutputOptions): Promise<void> {
  const changes = toChanges(options)
  const record = await withDeps(options, async (deps, cause) => {
    const account = await getAccount(deps, domain)
    // The record is of both environments; its event is in production, where it counts.
    const caller = operatorCaller(account, 'production', cause)
    return (await updateAccountRecord(deps, caller, changes, undefined)).record
  })
  print(options, record, () => [`Changed the account ${domain}.`, ...toSettingLines(record)])
}

/** @throws Error a sentence that names each option at fault. */
function toChanges(options: object): AccountChanges {
  const given = settings.flatMap(({ flag, member }): [Setting, string | null][] => {
    const name = flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const value: unknown = Object.entries(options).find(([option]) => option === name)?.[1]
    return typeof value === 'string' ? [[member, value === '' ? null : value]] : []
  })
  if (given.length === 0)
    throw new Error(`Say what to set: ${settings.map(({ flag }) => `--${flag}`).join(', ')}.`)
  const { data, error } = AccountChanges.safeParse(Object.fromEntries(given))
  if (data !== undefined) return data
  const faults = toFieldErrors(error.issues).map(({ path, message }) => {
    const setting = settings.find(({ member }) => member === path)
    return `--${setting?.flag ?? path} ${message}`
  })
  throw new Error(`${faults.join('; ')}.`)
}

function toSettingLines(record: Account): string[] {
  const width = Math.max(...settings.map(({ flag }) => flag.length))
  return settings.map(({ flag, member }) => `${flag.padEnd(width)}  ${record[member] ?? 'not set'}`)
}

async function list(options: OutputOptions): Promise<void> {
  const accounts = await withDeps(options, listAccounts)
  print(options, accounts, () =>
    accounts.length === 0
      ? ['There is no account yet: portico account create <name> makes one.']
      : table(
          ['DOMAIN', 'PLAN', 'ORGANIZATIONS', 'CREATED'],
          accounts.map(({ domain, plan, organizations, inserted_at }) => [
            domain,
            plan,
            grouped(organizations),
            inserted_at,
          ]),
        ),
  )
}

function toName(text: string): string {
  const name = text.trim()
  if (name.length < 1 || name.length > 100) throw new InvalidArgumentError('It has 1 to 100 characters.')
  return name
}

function toPlan(text: string): Plan {
  if (text !== 'free' && text !== 'unlimited') throw new InvalidArgumentError('It is free or unlimited.')
  return text
}
