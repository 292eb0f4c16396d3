import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { newAddressCodeMail, oldAddressCodeMail } from '../../delivery/mail/admin-code.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { emailChangedMail, emailRevertedMail } from '../../delivery/mail/email-change.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOwner } from '../../platform/db/tenant-predicate.js'
import { minutesUntil, openAddressCode } from '../flows/address-code.js'
import { emailChangeContext } from './email-change.js'

type Payload = JobPayloads['send_email_change_code']

/** What a mail about a change says of it, and in whose name it is sent. */
const mailColumns = [
  'change.old_email',
  'change.email',
  'change.old_proof',
  'change.code_sealed',
  'change.code_expires_at',
  'change.expires_at',
  'organizations.domain',
  'organizations.name',
  'organizations.locale',
  'organizations.timezone',
  'organizations.color',
  productNameOf('organizations').as('product_name'),
] as const

/**
 * Mails the code of a change to the mailbox that is to be proved next.
 *
 * @throws Error when the mail server does not take the mail.
 */
export async function sendEmailChangeCode(deps: Deps, { messageId, ...payload }: Payload): Promise<void> {
  const at = deps.now()
  const waiting = await deps.db
    .selectFrom('email_changes as change')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'change')))
    .where(ofOwner(payload, 'change'))
    .where('change.id', '=', payload.changeId)
    .where('change.code_expires_at', '>', at)
    .where('organizations.deleted_at', 'is', null)
    .select(mailColumns)
    .executeTakeFirst()
  // The code was typed, replaced or expired before the job ran.
  if (waiting?.code_sealed == null || waiting.code_expires_at === null) return
  const { old_email: oldEmail, email, old_proof: proof, domain, product_name: fromName } = waiting
  const mail = {
    code: openAddressCode(deps.keys.master, emailChangeContext(payload), waiting.code_sealed).code,
    minutes: minutesUntil(waiting.code_expires_at, at),
    ...senderOf(deps, payload, waiting),
  }
  const isOld = proof === null
  const message = isOld ? oldAddressCodeMail({ ...mail, newAddress: email }) : newAddressCodeMail(mail)
  const to = isOld ? oldEmail : email
  const named = { ...message, name: 'email_change_code', to, fromName, messageId } as const
  await deliverMail(deps, { ...payload, domain }, named)
}

function senderOf(
  { config }: Pick<Deps, 'config'>,
  { environment }: Pick<Payload, 'environment'>,
  sender: { name: string; locale: string | null; color: string; product_name: string | null },
) {
  const { name: organizationName, locale, color, product_name: productName } = sender
  return { organizationName, locale, color, environment, productName: productName ?? config.productName }
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * Tells of a change at the address that the user had before it. The token of the link that puts it back is made here, so that only
 * the kept mail of a sandbox contains it; another attempt makes another token, and ends the one before.
 *
 * @throws Error when the mail server does not take the mail.
 */
export async function sendEmailChangeNotice(
  deps: Deps,
  { messageId, told, visit: made, ...payload }: JobPayloads['send_email_change_notice'],
): Promise<void> {
  const at = deps.now()
  const token = randomSecret()
  const change = await deps.db
    .updateTable('email_changes as change')
    .set({ token_hash: told === 'changed' ? hashSecret(token) : sql`change.token_hash` })
    .from('organizations')
    .where(ofOwner(payload, 'change'))
    .where('change.id', '=', payload.changeId)
    .where('change.reverted_at', told === 'reverted' ? 'is not' : 'is', null)
    .where('change.expires_at', '>', at)
    .where(isOrganizationOf('organizations', 'change'))
    .where('organizations.deleted_at', 'is', null)
    .returning(mailColumns)
    .executeTakeFirst()
  // Put back, or deleted with its user, before the job ran.
  if (change === undefined) return
  const { old_email: oldEmail, email, domain, product_name: fromName } = change
  const visit = made && { ...made, timeZone: change.timezone ?? 'UTC' }
  const sender = { ...senderOf(deps, payload, change), visit }
  const scope = { ...payload, domain }
  if (told === 'reverted') {
    const message = emailRevertedMail({ ...sender, address: oldEmail })
    const named = { ...message, name: 'email_change_reverted', to: email, fromName, messageId } as const
    return deliverMail(deps, scope, named)
  }
  const link = told === 'changed' ? emailLinkUrl(deps.config.baseUrl, domain, token) : undefined
  const days = Math.max(1, Math.round((change.expires_at.getTime() - at.getTime()) / dayMs))
  const message = emailChangedMail({ ...sender, address: email, link, days })
  await deliverMail(deps, scope, { ...message, name: 'email_changed', to: oldEmail, fromName, messageId })
}

/** The page on which the owner of an address puts it back. */
function emailLinkUrl(baseUrl: string, domain: string, token: string): string {
  return `${baseUrl}/t/${domain}/email-change?token=${encodeURIComponent(token)}`
}
