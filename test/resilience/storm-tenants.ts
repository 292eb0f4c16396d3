import { createAccount } from '@portico/server/accounts'
import { createApiKey } from '@portico/server/api-keys'
import { readConfig } from '@portico/server/config'
import { openDeps } from '@portico/server/deps'
import { createClient, type Client, type Webhook } from '@portico/sdk'
import { anything } from '../given/given.js'
import { startLedgerPage, type LedgerPage } from './ledger.js'
import type { Kind } from './storm-kinds.js'

/** What the webhooks subscribe to. */
export const eventCode = 'user.user.create.success'

/** An account and environment with one webhook, to a receiver of its kind, and an organization. */
export interface Tenant {
  readonly kind: Kind
  readonly page: LedgerPage
  readonly accountId: string
  readonly environment: 'sandbox' | 'production'
  /** One at each process. */
  readonly clients: readonly Client[]
  readonly webhook: Webhook
  readonly org_domain: string
}

export interface TenantOptions {
  readonly databaseUrl: string
  readonly masterKeys: string
  /** Of the processes. */
  readonly baseUrls: readonly string[]
  readonly kinds: readonly Kind[]
  /** The clock of those who send. */
  readonly now: () => number
}

/** Makes a tenant of each kind. Accounts and keys come from within, as from an operator; all else through the API. */
export async function createTenants(options: TenantOptions): Promise<Tenant[]> {
  const { databaseUrl, masterKeys, baseUrls, kinds, now } = options
  const deps = await openDeps(
    readConfig({ DATABASE_URL: databaseUrl, MASTER_KEYS: masterKeys, LOG_LEVEL: 'warn' }),
  )
  const tenants: Tenant[] = []
  let account = { id: '', domain: '' }
  for (const [index, kind] of kinds.entries()) {
    const environment = index % 2 === 0 ? 'sandbox' : 'production'
    // Two tenants of one account, whose events nothing but the environment keeps apart.
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

/** Repeats each request until it is answered, and asks again soon. */
function patientClient(
  baseUrl: string,
  domain: string,
  { client_id: clientId, client_secret: clientSecret }: { client_id: string; client_secret: string },
): Client {
  const clock = { random: () => 0.1 }
  return createClient({ baseUrl, domain, clientId, clientSecret, maxRetries: 1000, clock })
}
