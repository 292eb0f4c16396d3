import { readFile } from 'node:fs/promises'
import type { Environment } from '@portico/contract/fields'
import {
  NewSocialProvider,
  SocialProviderChanges,
  SocialProviderQuery,
  type SocialProvider,
  type SocialProviderCheck,
} from '@portico/contract/social-providers'
import type { Command } from 'commander'
import type { OpenDeps } from '../delivery/deps.js'
import { getAccount } from '../operations/accounts/list-accounts.js'
import { operatorCaller, type Caller } from '../platform/tenant.js'
import { checkSocialProvider } from '../sso/social/check-provider.js'
import { createSocialProvider, listSocialProviders, updateSocialProvider } from '../sso/social/providers.js'
import { print, type OutputOptions } from './output.js'
import { toEnvironment } from './values.js'
import { withDeps } from './with-deps.js'

interface AddOptions extends OutputOptions {
  readonly account: string
  readonly environment: Environment
}

/** portico social add */
export function define(command: Command): void {
  command
    .command('add')
    .description('add a social provider: says what to register there, asks for its values, and tries them')
    .argument('<provider>', 'google, microsoft, github, apple, or a name of your own for an OpenID provider')
    .requiredOption('--account <domain>', 'the account whose organizations can use it')
    .requiredOption('--environment <environment>', 'sandbox or production', toEnvironment)
    .option('--json', 'answer as JSON')
    .action(add)
}

async function add(name: string, options: AddOptions): Promise<void> {
  const { terminal } = options
  if (!terminal.isInteractive)
    throw new Error('It asks for values: run it at a terminal, or add the provider by the API.')
  const { provider, check } = await withDeps(options, async (deps, cause) => {
    const account = await getAccount(deps, options.account)
    const caller = operatorCaller(account, options.environment, cause)
    const made = await findOrCreate(deps, caller, name)
    terminal.tell(`${registrationOf(made).join('\n')}\n\n`)
    const changes = toInput(SocialProviderChanges, await askFor(options, made))
    const { record } = await updateSocialProvider(deps, caller, made.id, changes, undefined)
    const checked = await checkSocialProvider(deps, caller, made.id)
    return { provider: record, check: checked.record }
  })
  if (!check.passed) terminal.exitCode = 1
  print(options, { provider, check }, () => toLines(provider, check))
}

/** The provider of a name: who has entered a wrong value runs the command again. */
async function findOrCreate(deps: OpenDeps, caller: Caller, name: string): Promise<SocialProvider> {
  const { data } = await listSocialProviders(deps, caller, SocialProviderQuery.parse({ name }))
  const [found] = data
  if (found !== undefined) return found
  const { record } = await createSocialProvider(deps, caller, toInput(NewSocialProvider, { name }))
  return record
}

/** Where the client of a provider is registered, and as what. */
const places: Partial<Record<SocialProvider['provider'], string>> = {
  google:
    'https://console.cloud.google.com, APIs & Services, Credentials, Create OAuth client ID, Web application: Authorized redirect URIs',
  microsoft: 'https://entra.microsoft.com, App registrations, New registration, platform Web: Redirect URI',
  github: 'https://github.com/settings/developers, OAuth Apps, New OAuth app: Authorization callback URL',
  apple:
    'https://developer.apple.com/account, Identifiers, Services IDs, Sign in with Apple, Configure: Return URLs',
}

function registrationOf({ provider, display_name: name, redirect_uri: uri }: SocialProvider): string[] {
  if (provider === 'test') return ['The built-in provider needs no client.']
  return [`Register a client at ${places[provider] ?? name}, with`, `  ${uri}`]
}

type Values = Readonly<Record<string, string | undefined>>

/** Asks for the values of a provider; an empty answer leaves one as it is. */
async function askFor({ terminal }: AddOptions, { provider }: SocialProvider): Promise<Values> {
  const ask = async (question: string, kind: 'plain' | 'secret' = 'plain') => {
    const answer = await terminal.ask(`${question}: `, kind)
    return answer === '' ? undefined : answer
  }
  if (provider === 'test') return {}
  if (provider === 'apple') {
    const client_id = await ask('Identifier of the Services ID')
    const team_id = await ask('Team ID')
    const key_id = await ask('Key ID')
    const file = await ask('File of the key, AuthKey_….p8')
    return { client_id, team_id, key_id, private_key: file && (await readFile(file, 'utf8')) }
  }
  const issuer = provider === 'custom_oidc' ? await ask('Issuer') : undefined
  const tenant =
    provider === 'microsoft' ? await ask('Tenant: common, organizations, consumers, or its id') : undefined
  const client_id = await ask('Client ID')
  const client_secret = await ask('Client secret, which is not shown', 'secret')
  const day = provider === 'microsoft' ? await ask('Last day of the secret, such as 2027-03-14') : undefined
  const secret_expires_at = day && `${day}T00:00:00Z`
  return { issuer, tenant, client_id, client_secret, secret_expires_at }
}

interface Schema<Input> {
  readonly safeParse: (value: unknown) => {
    readonly data?: Input | undefined
    readonly error?: {
      readonly issues: readonly { readonly path: PropertyKey[]; readonly message: string }[]
    }
  }
}

/** @throws Error a sentence about the first value that is wrong. */
function toInput<Input>(schema: Schema<Input>, values: Values): Input {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  const { data, error } = schema.safeParse(Object.fromEntries(given))
  if (data !== undefined) return data
  const [issue] = error?.issues ?? []
  throw new Error(`${issue?.path.join('.') ?? 'A value'}: ${issue?.message ?? 'is wrong'}`)
}

const marks = { passed: 'ok', failed: 'wrong', unknown: 'not known', skipped: '-' } as const

function toLines(provider: SocialProvider, { passed, checks }: SocialProviderCheck): string[] {
  return [
    ...checks.map(
      ({ name, outcome, message }) => `${marks[outcome].padEnd(9)}  ${name.padEnd(13)}  ${message}`,
    ),
    passed
      ? `${provider.display_name} is ready: switch it on for an organization by its social connection.`
      : 'Run the command again to enter other values; an empty answer keeps the one before.',
  ]
}
