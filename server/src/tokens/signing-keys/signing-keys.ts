import type { KeyObject } from 'node:crypto'
import { environments, nilId } from '@portico/contract/fields'
import type { Kysely } from 'kysely'
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
import { lookup } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

/** The owner of a signing key: an organization in one environment, or, with nilId, the account for its own API tokens. */
export interface KeyOwner {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
}

/** The owner of the keys that sign the API tokens of an account. */
export function accountKeys(accountId: string, environment: string): KeyOwner {
  return { accountId, environment, organizationId: nilId }
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
  readonly privateKeyPem: string
  readonly publicJwk: PublicJwk
}

/**
 * Generates the first keys of an organization, or with nilId of an account: one for each environment. Called before the
 * transaction that stores them, because generation is slow.
 */
export function prepareSigningKeys(accountId: string, organizationId: string): Promise<PreparedSigningKey[]> {
  return Promise.all(
    environments.map((environment) => prepareSigningKey({ accountId, environment, organizationId }, 'ES256')),
  )
}

async function prepareSigningKey(owner: KeyOwner, algorithm: Algorithm): Promise<PreparedSigningKey> {
  return { owner, ...(await generateSigningKey(algorithm)) }
}

/**
 * Stores a key, as its owner's active one unless another state is given. Does nothing where one is active already, so that
 * of two concurrent processes one succeeds.
 */
export async function insertSigningKey(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  db: Kysely<DB>,
  {
    owner,
    privateKeyPem,
    publicJwk,
    state = 'active',
  }: PreparedSigningKey & { readonly state?: 'active' | 'next' },
): Promise<void> {
  const at = now()
  await db
    .insertInto('signing_keys')
    .values({
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
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The active key of an owner; made when the owner has none for this algorithm yet. */
export async function activeSigningKey(
  deps: Pick<Deps, 'keys' | 'now'>,
  db: Kysely<DB>,
  owner: KeyOwner,
  algorithm: Algorithm,
): Promise<SealedSigningKey> {
  const [found] = await selectActiveKey(db, { ...owner, algorithm })
  if (found !== undefined) return found
  await insertSigningKey(deps, db, await prepareSigningKey(owner, algorithm))
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

/** The context under which a private key is sealed; the re-sealing command uses it too. */
export function sealContext(owner: KeyOwner, kid: string) {
  return {
    purpose: 'signing_key',
    scope: owner.organizationId === nilId ? owner.accountId : owner.organizationId,
    aad: `signing_keys.private_key_sealed:${owner.accountId}:${owner.environment}:${kid}`,
  }
}
