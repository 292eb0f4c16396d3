import type { NewRelay, Relay, RelayChanges } from '@portico/contract/relays'
import type { PageQuery } from '@portico/contract/fields'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { insertWhere } from '../../platform/db/insert-if.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { isOfVersion } from '../../platform/db/versions.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit, scopeOfAccount } from '../../delivery/events/emit.js'
import type { Caller } from '../../platform/tenant.js'
import { destinationOf, isPartnerOpen, receivingApplication, type RelayDestination } from './partner.js'
import { relayColumns, toRelay, type RelayRow } from './record.js'
import { ofEnvironment, ownerColumns } from '../../platform/db/tenant-predicate.js'

/**
 * Creates a relay, which signs users of the account's organizations in to a partner.
 *
 * @throws ApiError `organization_not_found`, `partner_not_open`, and `invalid_parameters` when no application that the
 *   partner can use allows the redirect URI.
 */
export function createRelay(deps: Deps, caller: Caller, input: NewRelay): Promise<Changed<Relay>> {
  return change(deps, caller.cause, async (trx) => {
    const at = deps.now()
    const partner = organizationIdOf({ ...caller, domain: input.partner_domain })
    const destination = {
      accountId: sql<string>`${caller.accountId}`,
      environment: sql<string>`${caller.environment}`,
      organizationId: partner,
      redirectUri: sql<string>`${input.partner_redirect_uri}`,
    }
    const row = await insertWhere(
      trx,
      'relays',
      {
        ...ownerColumns({ ...caller, organizationId: partner }),
        id: newId(),
        partner_redirect_uri: input.partner_redirect_uri,
        active: true,
        inserted_at: at,
        updated_at: at,
      },
      carriesTo(destination),
    )
      .returning(relayColumns)
      .executeTakeFirst()
    if (row === undefined) throw await whyNotCarried(trx, destination)
    // The partner was found by its domain.
    const created = { ...row, partner_domain: input.partner_domain }
    return emitRelay(deps, trx, caller, 'relay.relay.create.success', created)
  })
}

/** The relays of the account in the caller's environment, newest first. */
export async function listRelays(
  { readDb }: Pick<Deps, 'readDb'>,
  caller: Caller,
  query: PageQuery,
): Promise<Page<Relay>> {
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: relaysOf(readDb, caller),
      table: 'relays',
      rows: relaysOf(readDb, caller).select(wholeRelay()),
    },
    (row) => toRelay(row, caller),
  )
}

/** @throws ApiError `relay_not_found` */
export async function getRelay(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  id: string,
): Promise<Changed<Relay>> {
  const row = await relaysOf(db, caller).where('relays.id', '=', id).select(wholeRelay()).executeTakeFirst()
  if (row === undefined) throw new ApiError('relay_not_found')
  return { record: toRelay(row, caller), version: row.version }
}

/**
 * Changes the given members of a relay. An inactive relay refuses sign-ins, including those of open requests.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `relay_not_found`, `precondition_failed`, and for another redirect URI as createRelay() does.
 */
export function updateRelay(
  deps: Deps,
  caller: Caller,
  id: string,
  { active, partner_redirect_uri: redirectUri }: RelayChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<Relay>> {
  const destination = {
    ...destinationOf('relays'),
    ...(redirectUri !== undefined && { redirectUri: sql<string>`${redirectUri}` }),
  }
  return change(deps, caller.cause, async (trx) => {
    const row = await trx
      .updateTable('relays')
      .set({
        ...(active !== undefined && { active }),
        ...(redirectUri !== undefined && { partner_redirect_uri: redirectUri }),
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where(ofEnvironment(caller))
      .where('id', '=', id)
      .where(isOfVersion(versions))
      .$if(redirectUri !== undefined, (update) => update.where(carriesTo(destination)))
      .returning(wholeRelay())
      .executeTakeFirst()
    if (row === undefined) throw await whyRelayUnchanged(trx, caller, { id, versions, destination })
    return emitRelay(deps, trx, caller, 'relay.relay.update.success', row)
  })
}

/**
 * Deletes a relay and its requests.
 *
 * @throws ApiError `relay_not_found`, `precondition_failed`
 */
export function deleteRelay(
  deps: Deps,
  caller: Caller,
  id: string,
  versions: readonly number[] | undefined,
): Promise<Changed<Relay>> {
  return change(deps, caller.cause, async (trx) => {
    const row = await trx
      .deleteFrom('relays')
      .where(ofEnvironment(caller))
      .where('id', '=', id)
      .where(isOfVersion(versions))
      .returning(wholeRelay())
      .executeTakeFirst()
    if (row === undefined) throw await whyRelayUnchanged(trx, caller, { id, versions })
    return emitRelay(deps, trx, caller, 'relay.relay.delete.success', row)
  })
}

/** Every read of relays starts here, so that no query can forget its tenant. */
export function relaysOf(db: Kysely<DB>, { accountId, environment }: Caller) {
  return db.selectFrom('relays').where(ofEnvironment({ accountId, environment }, 'relays'))
}

/** The columns of a relay's record. */
function wholeRelay() {
  const partnerDomain = sql<string>`(
    select partner.domain from organizations partner
    where partner.account_id = relays.account_id and partner.id = relays.organization_id
  )`
  return [...relayColumns, partnerDomain.as('partner_domain')] as const
}

/** Whether a relay to the destination is possible now. */
function carriesTo(destination: RelayDestination) {
  return sql<boolean>`(
    ${isPartnerOpen(destination)} and ${receivingApplication(destination)} is not null
  )`
}

/** Why a relay is impossible: no partner, a closed partner, or no application for the redirect URI. */
async function whyNotCarried(db: Kysely<DB>, destination: RelayDestination): Promise<ApiError> {
  const { rows } = await sql<{ organization_id: string | null; is_open: boolean }>`
    select ${destination.organizationId} as organization_id, ${isPartnerOpen(destination)} as is_open
  `.execute(db)
  if (rows[0]?.organization_id == null) return new ApiError('organization_not_found')
  return rows[0].is_open ? redirectNotAllowed() : new ApiError('partner_not_open')
}

function redirectNotAllowed(): ApiError {
  return invalid(
    'partner_redirect_uri',
    'not_in_list',
    'must be an allowed redirect URL of an application that the partner can use and that does not demand PKCE',
  )
}

interface RefusedChange {
  readonly id: string
  readonly versions: readonly number[] | undefined
  /** When another redirect URI was sent. */
  readonly destination?: RelayDestination
}

async function whyRelayUnchanged(
  trx: Transaction<DB>,
  caller: Caller,
  { id, versions, destination = destinationOf('relays') }: RefusedChange,
): Promise<ApiError> {
  const row = await relaysOf(trx, caller)
    .where('relays.id', '=', id)
    .select(['version', isPartnerOpen(destination).as('is_open')])
    .executeTakeFirst()
  if (row === undefined) return new ApiError('relay_not_found')
  if (versions?.includes(row.version) === false) return new ApiError('precondition_failed')
  return row.is_open ? redirectNotAllowed() : new ApiError('partner_not_open')
}

async function emitRelay(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  caller: Caller,
  code: `relay.relay.${'create' | 'update' | 'delete'}.success`,
  row: RelayRow,
): Promise<Changed<Relay>> {
  const emission = { code, record: toRelay(row, caller), version: row.version }
  // The event belongs to the account; the stored idempotent answer belongs to the partner.
  return { ...(await emit(deps, trx, scopeOfAccount(caller), emission)), organizationId: row.organization_id }
}
