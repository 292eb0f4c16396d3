import type { PhoneNumber } from '@portico/contract/profile'
import { sql, type Kysely, type Transaction } from 'kysely'
import { open } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { displayName } from '../../platform/display-name.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { mailLanguageOf } from '../../delivery/mail/texts.js'
import { deliverSms } from '../../delivery/sms/deliver.js'
import { smsTexts } from '../../delivery/sms/texts.js'
import { challengeContext, enrollmentContext } from './sealed.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

type Payload = JobPayloads['send_totp_code']

/** Enqueues the text message of a code, in the transaction that makes the code. */
export function enqueueTextCode(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  payload: Payload,
): Promise<void> {
  return enqueue(deps, trx, { name: 'send_totp_code', payload, accountId: payload.accountId })
}

/**
 * Sends the code of an enrolment or challenge that still waits for it, to the number that is being enrolled, or to the
 * user's verified number at this moment.
 *
 * @throws Error when the provider does not accept the message.
 */
export async function sendTotpCode(deps: Deps, payload: Payload): Promise<void> {
  const at = deps.now()
  const waiting = await (payload.of === 'enrollment'
    ? findEnrollmentCode(deps, payload, at)
    : findChallengeCode(deps, payload, at))
  // Replaced, used or expired in the queue: nothing is left to send.
  if (waiting?.sealed == null || waiting.to === undefined) return

  const { environment, organizationId, id, accountId } = payload
  const context =
    payload.of === 'enrollment' ? enrollmentContext('code', payload) : challengeContext(id, payload)
  const code = open(deps.keys.master, context, waiting.sealed).toString('utf8')
  const texts = smsTexts[mailLanguageOf(waiting.locale)]
  const organization =
    displayName(waiting.name) || displayName(waiting.product_name ?? deps.config.productName)
  const minutes = Math.max(1, Math.round((waiting.expiresAt.getTime() - at.getTime()) / 60_000))
  const text = texts.code(code, organization, minutes)
  await deliverSms(
    deps,
    { accountId, environment, organizationId, domain: waiting.domain, email: waiting.email },
    {
      to: waiting.to,
      body: environment === 'sandbox' ? `${texts.sandbox}: ${text}` : text,
      idempotencyKey: id,
    },
  )
}

/** A code to be sent, with the data of its message. */
interface WaitingCode {
  readonly sealed: Buffer | null
  readonly expiresAt: Date
  /** Undefined when no number may receive the code. */
  readonly to: string | undefined
  readonly email: string
  readonly domain: string
  readonly name: string
  /** Of the account. */
  readonly product_name: string | null
  readonly locale: string | null
}

async function findEnrollmentCode(
  { db }: Pick<Deps, 'db'>,
  payload: Payload,
  at: Date,
): Promise<WaitingCode | undefined> {
  const row = await addresseesOf(db, payload)
    .innerJoin('totp_enrollments as enrollment', (join) =>
      join.on(sameTenant('enrollment', 'users')).onRef('enrollment.user_id', '=', 'users.id'),
    )
    .where('enrollment.pending_id', '=', payload.id)
    .where('enrollment.pending_expires_at', '>', at)
    .select([
      'enrollment.pending_code_sealed as sealed',
      'enrollment.pending_expires_at as expires_at',
      'enrollment.pending_phone_number as phone_number',
      ...addresseeColumns,
    ])
    .executeTakeFirst()
  if (row?.expires_at == null) return undefined
  return { ...row, expiresAt: row.expires_at, to: row.phone_number ?? undefined }
}

async function findChallengeCode(
  { db }: Pick<Deps, 'db'>,
  payload: Payload,
  at: Date,
): Promise<WaitingCode | undefined> {
  const row = await addresseesOf(db, payload)
    .innerJoin('totp_challenges as challenge', (join) =>
      join.on(sameTenant('challenge', 'users')).onRef('challenge.user_id', '=', 'users.id'),
    )
    .where('challenge.id', '=', payload.id)
    .where('challenge.challenged_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('challenge.expires_at', '>', at)
    .where('users.phone_number_verified', '=', true)
    .select([
      'challenge.code_sealed as sealed',
      'challenge.expires_at',
      // Written only from validated input.
      sql<PhoneNumber[]>`users.phone_numbers`.as('phone_numbers'),
      ...addresseeColumns,
    ])
    .executeTakeFirst()
  if (row === undefined) return undefined
  const to = row.phone_numbers.find((number) => number.primary)?.value
  return { ...row, expiresAt: row.expires_at, to }
}

const addresseeColumns = [
  'users.email',
  'organizations.domain',
  'organizations.name',
  'organizations.locale',
  productNameOf('organizations').as('product_name'),
] as const

function addresseesOf(db: Kysely<DB>, payload: Payload) {
  return db
    .selectFrom('users')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .where(ofOwner(payload, 'users'))
    .where('users.id', '=', payload.userId)
    .where('users.deleted_at', 'is', null)
    .where('organizations.deleted_at', 'is', null)
}
