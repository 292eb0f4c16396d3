import { providerTypes, type Protocol, type ProviderType } from '@portico/contract/sso-onboarding'
import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { connectionKeyColumns, isOfConnection } from '../connections/connection-key.js'
import { emitOnboarding } from '../connections/onboarding.js'
import { supportsProtocol, protocolOf, setConnectionProtocol } from '../connections/protocol.js'
import { prepareProvider, setConnectionProvider } from '../connections/provider.js'
import { emitConnection } from '../connections/whole-connection.js'
import type { AdminSession } from '../admins/admin-session.js'
import { lockConnectionRow, type OnboardingConnection } from './connections.js'
import { adminCause, logAdmin, recordConnectionOpened } from './note.js'

/**
 * The kinds that a connection can have: the built-in identity provider only in the sandbox, and a connection that is set up
 * only kinds of its protocol.
 */
export function providersOf({
  environment,
  isSetUp,
  protocol,
}: Pick<OnboardingConnection, 'environment' | 'isSetUp' | 'protocol'>): ProviderType[] {
  return providerTypes.filter(
    (type) =>
      (type !== 'test' || environment === 'sandbox') && (!isSetUp || supportsProtocol(type, protocol)),
  )
}

/**
 * Chooses the kind of identity provider. Another kind than before restarts the tutorial, the same one does not. Of
 * concurrent browsers the last choice stands.
 *
 * The built-in one has its metadata, so that nothing is left to upload; another one can be chosen after it.
 *
 * @returns Whether it could be chosen: no longer once metadata were uploaded, or a client was entered.
 */
export async function chooseProvider(
  deps: Deps,
  session: AdminSession,
  connection: OnboardingConnection,
  { providerType, requestId }: { readonly providerType: ProviderType; readonly requestId: string },
): Promise<boolean> {
  if (!providersOf(connection).includes(providerType)) return false
  const { environment, idpId } = connection
  const protocol = supportsProtocol(providerType, connection.protocol)
    ? connection.protocol
    : protocolOf(providerType)
  const chosen = await prepareProvider(deps, environment, idpId, providerType)
  const cause = adminCause(session, requestId)
  const { record } = await change(deps, cause, async (trx) => {
    await lockConnectionRow(trx, connection)
    if (!(await setProvider(deps, trx, session, connection, providerType))) return { record: false }
    await setConnectionProtocol(deps, trx, connection, protocol)
    if (chosen !== undefined) await setConnectionProvider(deps, trx, connection, chosen)
    // Afterwards: leaving the built-in one returns the connection to waiting for its administrator, who is here.
    await recordConnectionOpened(deps, trx, connection, cause)
    await emitOnboarding(deps, trx, cause, connection, 'sso.onboarding.update.success')
    await emitConnection(deps, trx, cause, connection, 'sso.connection.update.success')
    await logAdmin(deps, trx, session, connection, {
      code: 'ADMIN_ONBOARDING_PROVIDER_CHOSEN',
      reason: providerType,
      requestId,
    })
    return { record: true }
  })
  return record
}

/** The one statement that decides; a connection without an onboarding gets one. */
async function setProvider(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { email }: AdminSession,
  connection: OnboardingConnection,
  providerType: ProviderType,
): Promise<boolean> {
  const at = now()
  const ofSame = (column: 'metadata_version' | 'client_version') => sql<number | null>`case
    when sso_onboardings.provider_type = ${providerType} then sso_onboardings.${sql.ref(column)}
  end`
  const set = await trx
    .insertInto('sso_onboardings')
    .values({
      ...connectionKeyColumns(connection),
      id: newId(),
      sso_admin_email: email,
      provider_type: providerType,
      state: 'provider_type_chosen',
      tutorial_step: 0,
      inserted_at: at,
      updated_at: at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'environment', 'organization_id', 'connection_id'])
        .doUpdateSet({
          provider_type: providerType,
          state: 'provider_type_chosen',
          tutorial_step: sql`case
            when sso_onboardings.provider_type = ${providerType} then sso_onboardings.tutorial_step
            else 0
          end`,
          // A waiting version stays only for the same kind.
          metadata_version: ofSame('metadata_version'),
          client_version: ofSame('client_version'),
          updated_at: at,
          version: sql`sso_onboardings.version + 1`,
        })
        .where(
          sql<boolean>`sso_onboardings.state <> 'xml_provided' or sso_onboardings.provider_type = 'test'`,
        ),
    )
    .returning('id')
    .executeTakeFirst()
  return set !== undefined
}

/**
 * Chooses the protocol of a kind of identity provider that speaks both; another protocol restarts the tutorial.
 *
 * @returns Whether it could be chosen: the kind may have changed concurrently, or the connection is set up.
 */
export async function chooseProtocol(
  deps: Deps,
  session: AdminSession,
  connection: OnboardingConnection,
  { protocol, requestId }: { readonly protocol: Protocol; readonly requestId: string },
): Promise<boolean> {
  const { providerType } = connection
  if (providerType === null || !supportsProtocol(providerType, protocol)) return false
  if (protocol === connection.protocol) return true
  if (connection.isSetUp) return false
  const cause = adminCause(session, requestId)
  const { record } = await change(deps, cause, async (trx) => {
    await lockConnectionRow(trx, connection)
    const begun = await trx
      .updateTable('sso_onboardings')
      .set({ tutorial_step: 0, updated_at: deps.now(), version: sql`version + 1` })
      .where(isOfConnection('sso_onboardings', connection))
      .where('provider_type', '=', providerType)
      .where('state', '=', 'provider_type_chosen')
      .returning('id')
      .executeTakeFirst()
    if (begun === undefined) return { record: false }
    await setConnectionProtocol(deps, trx, connection, protocol)
    await emitOnboarding(deps, trx, cause, connection, 'sso.onboarding.update.success')
    await emitConnection(deps, trx, cause, connection, 'sso.connection.update.success')
    await logAdmin(deps, trx, session, connection, {
      code: 'ADMIN_ONBOARDING_PROVIDER_CHOSEN',
      reason: `${providerType} ${protocol}`,
      requestId,
    })
    return { record: true }
  })
  return record
}

/** A move between two steps of the tutorial. */
interface TutorialMove {
  readonly from: number
  readonly to: number
  readonly requestId: string
}

/**
 * Moves the tutorial to another step. Of concurrent browsers that leave one step, one moves it.
 *
 * @returns Whether the tutorial was at the step, and of the provider that the page was about.
 */
export async function moveTutorial(
  deps: Deps,
  session: AdminSession,
  connection: OnboardingConnection,
  { from, to, requestId }: TutorialMove,
): Promise<boolean> {
  const { providerType } = connection
  const cause = adminCause(session, requestId)
  const { record } = await change(deps, cause, async (trx) => {
    const moved = await trx
      .updateTable('sso_onboardings')
      .set({ tutorial_step: to, updated_at: deps.now(), version: sql`version + 1` })
      .where(isOfConnection('sso_onboardings', connection))
      .where('provider_type', '=', providerType)
      .where('state', 'in', ['provider_type_chosen', 'xml_provided'])
      .where('tutorial_step', '=', from)
      .returning('id')
      .executeTakeFirst()
    if (moved === undefined) return { record: false }
    await emitOnboarding(deps, trx, cause, connection, 'sso.onboarding.update.success')
    return { record: true }
  })
  return record
}
