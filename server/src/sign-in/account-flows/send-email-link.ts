import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import { emailLinkUrl } from './account-flow-url.js'
import { mailProvingLink } from './proving-mail.js'

/**
 * Mails the link of a challenge that is still open.
 *
 * @throws Error when the mail server does not accept the mail.
 */
export async function sendEmailLink(deps: Deps, payload: JobPayloads['send_email_link']): Promise<void> {
  const { accountId, environment, challengeId } = payload
  const at = deps.now()
  const open = await openChallenges(deps, payload, at)
    .innerJoin('accounts', 'accounts.id', 'challenge.account_id')
    .innerJoin('applications', (join) =>
      join
        .on(sameEnvironment('applications', 'challenge'))
        .onRef('applications.id', '=', 'challenge.application_id'),
    )
    .innerJoin('account_flows as flow', (join) =>
      join.on(sameEnvironment('flow', 'challenge')).onRef('flow.id', '=', 'challenge.flow_id'),
    )
    .select([
      'accounts.domain',
      'accounts.product_name',
      sql<string | null>`accounts.brand->>'color'`.as('color'),
      sql<string | null>`nullif(split_part(flow.request->>'ui_locales', ' ', 1), '')`.as('locale'),
      'applications.id as application_id',
      'applications.name',
      'challenge.email',
      'challenge.email_normalized',
      'challenge.expires_at',
    ])
    .executeTakeFirst()
  // Voided or expired: there is nothing to send.
  if (open === undefined) return
  await mailProvingLink(deps, payload, open, {
    linkOf: (token) => emailLinkUrl(deps.config.baseUrl, open.domain, token),
    keep: async (tokenHash) => {
      const { numUpdatedRows } = await deps.db
        .updateTable('email_challenges')
        .set({ token_hash: tokenHash })
        .where(ofEnvironment({ accountId, environment }))
        .where('id', '=', challengeId)
        .where('used_at', 'is', null)
        .where('voided_at', 'is', null)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
  })
}

function openChallenges(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, challengeId }: JobPayloads['send_email_link'],
  at: Date,
) {
  return db
    .selectFrom('email_challenges as challenge')
    .where(ofEnvironment({ accountId, environment }, 'challenge'))
    .where('challenge.id', '=', challengeId)
    .where('challenge.used_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('challenge.expires_at', '>', at)
}
