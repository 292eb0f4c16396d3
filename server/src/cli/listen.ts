import { text as textOf } from 'node:stream/consumers'
import { eventSelectors } from '@portico/contract/event-catalog'
import { isSignatureKey, newSignatureKey } from '@portico/contract/webhook-signature'
import { createClient, type ClientOptions, type ListenOptions } from '@portico/sdk'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { credentialsPath, readCredentials } from '../operations/accounts/credentials-file.js'
import { readClientSecret, readConfig } from '../platform/config/config.js'
import { isTargetAllowed } from '../platform/outbound/target.js'
import { forwardEvents, forwardOutboundRules, type Forwarded } from './forward-events.js'
import { print, type OutputOptions } from './output.js'
import type { Terminal } from './terminal.js'
import { closeOnSignal } from './until-signal.js'

interface CommandOptions extends OutputOptions {
  readonly forward?: string
  readonly forwardTo?: string
  readonly after: string
  readonly code?: ListenOptions['code']
  readonly key?: string
  readonly baseUrl?: string
  readonly domain?: string
  readonly clientId?: string
}

/** portico listen */
export function define(command: Command): void {
  command
    .option('--forward <url>', 'where each event is posted to, signed as a webhook is; required', toTarget)
    .addOption(
      new Option('--forward-to <url>', 'another name of --forward').argParser(toTarget).conflicts('forward'),
    )
    .option('--code <code>', 'events of this code or family alone, such as user.all', toSelector)
    .option('--after <cursor>', 'go on behind this event instead of with what comes', 'latest')
    .option('--key <key>', 'sign with this key; a new one when not given', toKey)
    .option('--base-url <url>', 'the service; as in credentials.json of DATA_DIR when not given')
    .option('--domain <domain>', 'the account')
    .option('--client-id <id>', 'a sandbox key; its secret is PORTICO_CLIENT_SECRET, or comes on stdin')
    .option('--json', 'a line of JSON for the start and for each event')
    .action((options: CommandOptions) => {
      const forward = options.forward ?? options.forwardTo
      return forward === undefined
        ? command.error("error: required option '--forward <url>' not specified")
        : listen(options, forward)
    })
}

async function listen(options: CommandOptions, forward: string): Promise<void> {
  const say = (line: string) => options.terminal.tell(`${line}\n`)
  const client = createClient(await connectionOf(options))
  const { code, after } = options
  const key = options.key ?? newSignatureKey()
  const stop = new AbortController()
  const running = forwardEvents({
    client,
    request: { forward, key, code, after },
    signal: stop.signal,
    say,
    onStart: (cursor) =>
      print(options, { forward, signature_key: key, after: cursor }, () => [
        `Forwards  ${code ?? 'every event'} of the sandbox to ${forward}`,
        `Key       ${key}`,
      ]),
    onEvent: (forwarded) => print(options, forwarded, () => [lineOf(forwarded)]),
  })
  const ended = closeOnSignal(async () => {
    stop.abort()
    const last = await running
    if (last !== undefined) say(`To go on from here: --after ${last}`)
  }, options.terminal.tell)
  await Promise.race([ended, running.then(() => ended)])
}

function lineOf({ issued_at, code, outcome, status, ms }: Forwarded): string {
  return `${issued_at.slice(11, 19)}  ${code}  ${status ?? outcome.replaceAll('_', ' ')}  ${ms} ms`
}

/** The connection of the options, and otherwise of the account that was made for evaluation. */
async function connectionOf(options: CommandOptions): Promise<ClientOptions> {
  const { baseUrl, domain, clientId, terminal } = options
  if (baseUrl !== undefined && domain !== undefined && clientId !== undefined)
    return { baseUrl, domain, clientId, clientSecret: checkedSecret(await givenSecret(terminal)) }
  if (clientId !== undefined)
    throw new Error('A key is of one service and account: name these too, with --base-url and --domain.')
  const { dataDir } = readConfig(terminal.variables)
  const found = await readCredentials(dataDir)
  if (found === undefined)
    throw new Error(
      `${credentialsPath(dataDir)} is not there: name a sandbox key with --base-url, --domain and --client-id, ` +
        'or set DATA_DIR to the directory of the service.',
    )
  const { client_id, client_secret } = found.sandbox
  return {
    baseUrl: baseUrl ?? found.base_url,
    domain: domain ?? found.domain,
    clientId: client_id,
    clientSecret: checkedSecret(client_secret),
  }
}

async function givenSecret(terminal: Terminal): Promise<string> {
  const secret =
    readClientSecret(terminal.variables) ?? (process.stdin.isTTY ? '' : await readStdin(terminal))
  if (secret === '') throw new Error('The secret of the key is missing: set PORTICO_CLIENT_SECRET to it.')
  return secret
}

async function readStdin({ tell }: Terminal): Promise<string> {
  tell('Reading the secret of the key from stdin.\n')
  return (await textOf(process.stdin)).trim()
}

/** Events of production must not reach a program under development. */
function checkedSecret(secret: string): string {
  if (secret.startsWith('keyproduction_'))
    throw new Error('This is a key of production, whose events are of real people: use one of the sandbox.')
  return secret
}

function toTarget(text: string): string {
  if (!isTargetAllowed(text, forwardOutboundRules))
    throw new InvalidArgumentError(
      'It is an address such as http://localhost:3001/events, without user name, password or fragment.',
    )
  return text
}

function toSelector(text: string): ListenOptions['code'] {
  if (!eventSelectors.includes(text))
    throw new InvalidArgumentError(
      'It is a code such as user.user.create.success, or a family such as user.all.',
    )
  // The SDK's type is written from this list.
  return text as ListenOptions['code']
}

function toKey(text: string): string {
  if (!isSignatureKey(text))
    throw new InvalidArgumentError('It is whsec_ and 32 bytes in base64, as an earlier start has shown it.')
  return text
}
