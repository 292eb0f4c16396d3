import type { Environment } from '@portico/contract/fields'
import type { Command } from 'commander'
import type { PersonQuery } from '../operations/purge/find-person.js'
import type { OutputOptions } from './output.js'
import { toEnvironment, toId } from './values.js'

/** The options by which a command names one person. */
export interface PersonOptions extends OutputOptions {
  readonly account: string
  readonly environment: Environment
  readonly organization: string
  readonly id?: string
  readonly email?: string
}

/** Adds the options that name one person. */
export function personOptions(command: Command): Command {
  return command
    .requiredOption('--account <domain>', 'the account')
    .requiredOption('--environment <environment>', 'sandbox or production', toEnvironment)
    .requiredOption('--organization <domain>', 'the organization, deleted or not')
    .option('--id <id>', 'the user, deleted or not', toId)
    .option('--email <address>', 'or the address of the user')
    .option('--json', 'answer as JSON')
}

/** @throws Error a sentence unless the options name the person by one of id and address. */
export function toPersonQuery({ account, environment, organization, id, email }: PersonOptions): PersonQuery {
  const scope = { account, environment, organization }
  if (id !== undefined && email === undefined) return { ...scope, id }
  if (email !== undefined && id === undefined) return { ...scope, email }
  throw new Error('Say who: either --id <id> or --email <address>.')
}
