import { isReady } from '../../directory/provider-ready.js'
import { maxNamed, type Finding, type Reader } from './finding.js'

/**
 * Providers whose users can hide their addresses: a relay takes mail only from senders that are registered there (Sign in with Apple,
 * Communicating using the private email relay service), which nothing here can see.
 */
export async function examineRelayAddresses({ db, config }: Reader): Promise<Finding[]> {
  const check = 'Relay addresses'
  // eslint-disable-next-line portico/tenant -- the doctor looks at every account
  const rows = await db
    .selectFrom('social_providers')
    .innerJoin('accounts', 'accounts.id', 'social_providers.account_id')
    .where('social_providers.provider', '=', 'apple')
    .where('social_providers.active', '=', true)
    .where(isReady())
    // Mails of the sandbox that are kept reach no relay.
    .$if(config.mail.isSandboxKept, (query) => query.where('social_providers.environment', '=', 'production'))
    .select(['accounts.domain', 'social_providers.environment'])
    .orderBy('accounts.domain')
    .orderBy('social_providers.environment')
    .limit(maxNamed)
    .execute()
  if (rows.length === 0) return [{ check, ok: true, detail: 'no provider gives out any' }]
  const sender = /<(.+)>$/.exec(config.mail.from)?.[1] ?? config.mail.from
  return rows.map(({ domain, environment }) => ({
    check,
    ok: true,
    detail: `users of Apple at ${domain} (${environment}) can hide their addresses, and get mails from ${sender} only where it is registered`,
    remedy: `register ${sender} at Apple, under Services, Sign in with Apple for Email Communication`,
  }))
}
