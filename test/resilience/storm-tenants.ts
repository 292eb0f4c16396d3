import { createAccount } from '@portico/server/accounts'
import { createApiKey } from '@portico/server/api-keys'
import { readConfig } from '@portico/server/config'
import { openDeps } from '@portico/server/deps'
import { createClient, type Client, type Webhook } from '@portico/sdk'
import { anything } from '../given/given.js'
import { startLedgerPage, type LedgerPage } from './ledger.js'
import type { Kind } from './storm-kinds.js'

/** The subscribed event code. */
export const eventCode = 'user.user.create.success'

/** An account and environment with an organization, and one webhook to a receiver of its kind. */
export interface Tenant {
  readonly kind: Kind
  readonly page: LedgerPage
  readonly accountId: string
  readonly environment: 'sandbox' | 'production'
  /** One client per process. */
  readonly clients: readonly Client[]
  readonly webhook: Webhook
  readonly org_domain: string
}

export interface TenantOptions {
  readonly databaseUrl: string
  readonly masterKeys: string
  /** Base URLs of the processes. */
  readonly baseUrls: readonly string[]
  readonly kinds: readonly Kind[]
  /** The clock of the senders. */
  readonly now: () => number
}

/** Creates a tenant of each kind. Accounts and keys are created in-process, like by an operator; the rest through the API. */
export async function createTenants(options: TenantOptions): Promise<Tenant[]> {
  const { databaseUrl, masterKeys, baseUrls, kinds, now } = options
  const deps = await openDeps(
    readConfig({ DATABASE_URL: databaseUrl, MASTER_KEYS: masterKeys, LOG_LEVEL: 'warn' }),
  )
  const tenants: Tenant[] = []
  let account = { id: '', domain: '' }
  for (const [index, kind] of kinds.entries()) {
    const environment = index % 2 === 0 ? 'sandbox' : 'production'
    // Two tenants of one account, whose events are separated only by the environment.
    if (environment === 'sandbox')
      account = await createAccount(deps, { name: `Storm ${anything()}`, plan: 'unlimited' })
    const key = await createApiKey(deps, deps.db, { accountId: account.id, environment, name: 'storm' })
    const clients = baseUrls.map((baseUrl) => patientClient(baseUrl, account.domain, key))
    const [client] = clients
    if (client === undefined) throw new Error('there is no process')
    const page = await startLedgerPage(kind.treat, now)
    const webhook = await client.webhooks.create({
      name: kind.title,
      target_url: page.url,
      event_codes: [eventCode],
      retry_on_timeout: kind.retryOnTimeout ?? false,
    })
    page.expect(webhook)
    const { domain: org_domain } = await client.organizations.create({ name: `Storm ${anything()}` })
    tenants.push({ kind, page, accountId: account.id, environment, clients, webhook, org_domain })
  }
  await deps.close()
  return tenants
}

/** A client that repeats each request until it is answered, with short pauses. */
function patientClient(
  baseUrl: string,
  domain: string,
  { client_id: clientId, client_secret: clientSecret }: { client_id: string; client_secret: string },
): Client {
  const clock = { random: () => 0.1 }
  return createClient({ baseUrl, domain, clientId, clientSecret, maxRetries: 1000, clock })
}
