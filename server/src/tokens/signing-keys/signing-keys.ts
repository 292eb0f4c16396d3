import type { KeyObject } from 'node:crypto'
import { environments, nilId } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import {
  generateSigningKey,
  signJwt,
  toPrivateKey,
  type Algorithm,
  type JwtClaims,
  type PublicJwk,
} from '../../platform/crypto/jwt.js'
import { open, seal } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import { insertWhere } from '../../platform/db/insert-if.js'
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/**
 * The owner of a signing key in one environment: an organization. With nilId in its place the account, for its API tokens;
 * with the account's own id the account as an issuer (decision 34).
 */
export interface KeyOwner {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
}

/** The owner of the keys that sign the API tokens of an account. */
export function accountKeys(accountId: string, environment: string): KeyOwner {
  return { accountId, environment, organizationId: nilId }
}

/** The owner of the keys that sign what an account issues to the applications of its organizations. */
export function issuingAccount(accountId: string, environment: string): KeyOwner {
  return { accountId, environment, organizationId: accountId }
}

/** The active key of an owner and algorithm as it is stored, with the private key sealed. */
interface SealedSigningKey {
  readonly kid: string
  readonly private_key_sealed: Buffer
}

/** Private keys that are kept open in memory, because opening one costs more than signing with it. */
const openLimit = 2000

/** A key that is made for an owner and not stored yet. */
export interface PreparedSigningKey {
  readonly owner: KeyOwner
  readonly state: KeyState
  readonly privateKeyPem: string
  readonly publicJwk: PublicJwk
}

/**
 * Generates the first keys of an owner in both environments: an active one, and the next one, which verifiers have long before
 * it signs. Called before the transaction that stores them, because generation is slow.
 */
export async function prepareSigningKeys(
  accountId: string,
  organizationId: string,
): Promise<PreparedSigningKey[]> {
  return Promise.all(
    environments.flatMap((environment) =>
      states.map((state) =>
        prepareSigningKey({ accountId, environment, organizationId }, initialAlgorithm, state),
      ),
    ),
  )
}

/** Each organization has keys of this algorithm from its creation on; of others when an application asks for them. */
export const initialAlgorithm: Algorithm = 'ES256'

const states = ['active', 'next'] as const
type KeyState = (typeof states)[number]

export async function prepareSigningKey(
  owner: KeyOwner,
  algorithm: Algorithm,
  state: KeyState,
): Promise<PreparedSigningKey> {
  return { owner, state, ...(await generateSigningKey(algorithm)) }
}

/** Stores keys. Where an owner has one in the same state already, nothing is stored: of two concurrent processes one succeeds. */
export async function insertSigningKeys(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  db: Kysely<DB>,
  prepared: readonly PreparedSigningKey[],
): Promise<void> {
  await db
    .insertInto('signing_keys')
    .values(prepared.map((key) => rowOf({ keys, now }, key)))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

function rowOf({ keys, now }: Pick<Deps, 'keys' | 'now'>, key: PreparedSigningKey) {
  const { owner, state, privateKeyPem, publicJwk } = key
  const at = now()
  return {
    account_id: owner.accountId,
    environment: owner.environment,
    organization_id: owner.organizationId,
    kid: publicJwk.kid,
    algorithm: publicJwk.alg,
    state,
    public_jwk: JSON.stringify(publicJwk),
    private_key_sealed: seal(keys.master, sealContext(owner, publicJwk.kid), privateKeyPem),
    inserted_at: at,
    activated_at: state === 'active' ? at : null,
  }
}

/** Generates and stores what an owner lacks of an active and a next key of an algorithm. */
export async function addMissingSigningKeys(
  deps: Pick<Deps, 'keys' | 'now'>,
  db: Kysely<DB>,
  owner: KeyOwner,
  algorithm: Algorithm,
  wanted: readonly KeyState[] = states,
): Promise<void> {
  const found = await db
    .selectFrom('signing_keys')
    .where(ofOwner(owner))
    .where('algorithm', '=', algorithm)
    .where('state', 'in', wanted)
    .select('state')
    .execute()
  const missing = wanted.filter((state) => found.every((row) => row.state !== state))
  for (const state of missing) {
    const row = rowOf(deps, await prepareSigningKey(owner, algorithm, state))
    await insertWhere(db, 'signing_keys', row, isThere(owner))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/**
 * Whether the owner is an account, or an organization that has not been deleted: a purge finds no keys of later. It reads the account in
 * both cases (decision 65).
 */
function isThere({ accountId, organizationId }: KeyOwner) {
  return sql<boolean>`exists (
    select 1 from accounts
    where accounts.id = ${accountId} and (${organizationId}::uuid in (${nilId}::uuid, accounts.id) or exists (
      select 1 from organizations
      where organizations.account_id = ${accountId} and organizations.id = ${organizationId}
        and organizations.deleted_at is null
    ))
  )`
}

/**
 * The active key of an owner. One that is missing is made, and a warning logged: verifiers that cache the key set do not have
 * it yet.
 */
export async function activeSigningKey(
  deps: Pick<Deps, 'keys' | 'now' | 'log'>,
  db: Kysely<DB>,
  owner: KeyOwner,
  algorithm: Algorithm,
): Promise<SealedSigningKey> {
  const [found] = await selectActiveKey(db, { ...owner, algorithm })
  if (found !== undefined) return found
  deps.log.warn(
    { organization_id: owner.organizationId, environment: owner.environment, algorithm },
    'a signing key is made when it is needed',
  )
  await addMissingSigningKeys(deps, db, owner, algorithm)
  const [made] = await selectActiveKey(db, { ...owner, algorithm })
  if (made === undefined) throw new Error('a signing key that was just made is not active')
  return made
}

const selectActiveKey = lookup((db, key: KeyOwner & { readonly algorithm: Algorithm }) =>
  db
    .selectFrom('signing_keys')
    .where(ofOwner(key))
    .where('algorithm', '=', key.algorithm)
    .where('state', '=', 'active')
    .select(['kid', 'private_key_sealed']),
)

/** Signs claims with an owner's key. */
export function signWith(
  { keys }: Pick<Deps, 'keys'>,
  owner: KeyOwner,
  key: SealedSigningKey,
  token: { algorithm: Algorithm; typ: string; claims: JwtClaims },
): string {
  const { algorithm, typ, claims } = token
  return signJwt({ kid: key.kid, algorithm, privateKey: openPrivateKey(keys, owner, key), typ }, claims)
}

function openPrivateKey(keys: Deps['keys'], owner: KeyOwner, key: SealedSigningKey): KeyObject {
  const known = keys.privateKeys.get(key.kid)
  if (known !== undefined) return known
  const privateKey = toPrivateKey(
    open(keys.master, sealContext(owner, key.kid), key.private_key_sealed).toString(),
  )
  if (keys.privateKeys.size >= openLimit) keys.privateKeys.clear()
  keys.privateKeys.set(key.kid, privateKey)
  return privateKey
}

/**
 * The context under which a private key is sealed; the re-sealing command uses it too. Both kinds of an account's keys have
 * its id as scope, so the rest tells them apart.
 */
export function sealContext({ accountId, environment, organizationId }: KeyOwner, kid: string) {
  const place = organizationId === accountId ? `account:${accountId}` : accountId
  return {
    purpose: 'signing_key',
    scope: organizationId === nilId ? accountId : organizationId,
    aad: `signing_keys.private_key_sealed:${place}:${environment}:${kid}`,
  }
}
