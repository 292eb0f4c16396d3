import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import { mailProvingLink } from '../../sign-in/account-flows/proving-mail.js'
import { discoveryLinkUrl } from './challenge.js'

/**
 * Mails the link of a discovery that still waits for it.
 *
 * @throws Error when the mail server does not accept the mail.
 */
export async function sendDiscoveryLink(
  deps: Deps,
  payload: JobPayloads['send_discovery_link'],
): Promise<void> {
  const { accountId, environment, challengeId } = payload
  const open = await deps.db
    .selectFrom('discoveries as discovery')
    .innerJoin('accounts', 'accounts.id', 'discovery.account_id')
    .innerJoin('applications', (join) =>
      join
        .on(sameEnvironment('applications', 'discovery'))
        .onRef('applications.id', '=', 'discovery.application_id'),
    )
    .where(ofEnvironment({ accountId, environment }, 'discovery'))
    .where('discovery.id', '=', challengeId)
    .where('discovery.step', '=', 'link')
    .where('discovery.expires_at', '>', deps.now())
    .where('applications.deleted_at', 'is', null)
    .select([
      'accounts.domain',
      'accounts.product_name',
      sql<string | null>`accounts.brand->>'color'`.as('color'),
      sql<string | null>`accounts.brand->>'locale'`.as('locale'),
      'applications.id as application_id',
      'applications.name',
      'discovery.email',
      'discovery.email_normalized',
      'discovery.expires_at',
    ])
    .executeTakeFirst()
  if (open === undefined) return
  await mailProvingLink(deps, payload, open, {
    linkOf: (token) => discoveryLinkUrl(deps.config.baseUrl, open.domain, token),
    keep: async (tokenHash) => {
      const { numUpdatedRows } = await deps.db
        .updateTable('discoveries')
        .set({ secret_hash: tokenHash })
        .where(ofEnvironment({ accountId, environment }))
        .where('id', '=', challengeId)
        .where('step', '=', 'link')
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
  })
}
