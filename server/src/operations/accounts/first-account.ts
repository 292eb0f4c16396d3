import type { Environment } from '@portico/contract/fields'
import { issueApiKey, type ApiKeyCredentials } from '../../tokens/api-keys/api-keys.js'
import type { Deps } from '../../delivery/deps.js'
import { consoleAccountDomain } from '../../platform/console-account.js'
import type { Cause } from '../../platform/tenant.js'
import { insertAccount, prepareAccount } from './accounts.js'

const firstAccountDomain = 'acme'

export type FirstCredentials = Record<Environment, ApiKeyCredentials>

interface FirstAccount {
  readonly domain: string
  readonly isNew: boolean
}

/**
 * Makes an account to begin with, and a key for each of its environments, when the service has no account yet. Of
 * several processes that try at once, one makes it and the others wait for that.
 *
 * @param keep Receives the secrets before the account is visible to others: when it fails, nothing has been made.
 */
export async function createFirstAccount(
  deps: Pick<Deps, 'db' | 'now' | 'keys'>,
  cause: Cause,
  keep: (domain: string, credentials: FirstCredentials) => Promise<void>,
): Promise<FirstAccount> {
  const prepared = await prepareAccount()
  return deps.db.transaction().execute(async (trx) => {
    const known = await trx
      .selectFrom('accounts')
      .where('domain', '<>', consoleAccountDomain)
      .select('domain')
      .orderBy('inserted_at')
      .limit(1)
      .executeTakeFirst()
    if (known !== undefined) return { domain: known.domain, isNew: false }
    const taken = await trx
      .insertInto('slugs')
      .values({ slug: firstAccountDomain, inserted_at: deps.now() })
      // Waits for a transaction that inserts the same, and for its outcome.
      .onConflict((conflict) => conflict.doNothing())
      .returning('slug')
      .executeTakeFirst()
    if (taken === undefined) return { domain: firstAccountDomain, isNew: false }

    const unlimited = { domain: firstAccountDomain, plan: 'unlimited' } as const
    const { id: accountId } = await insertAccount(deps, trx, prepared, unlimited)
    const issue = async (environment: Environment) => {
      const key = { accountId, environment, name: 'First key' }
      return (await issueApiKey(deps, trx, key, cause)).credentials
    }
    const credentials = { sandbox: await issue('sandbox'), production: await issue('production') }
    await keep(firstAccountDomain, credentials)
    return { domain: firstAccountDomain, isNew: true }
  })
}
