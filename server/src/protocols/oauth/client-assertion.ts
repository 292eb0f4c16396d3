import type { ClientKey } from '@portico/contract/client-authentication'
import { sql } from 'kysely'
import { decodeJwt, findTimeFault, isJwtSignatureValid, type JwtClaims } from '../../platform/crypto/jwt.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { lookup, statement } from '../../platform/db/statement.js'
import { algorithmOf, readClientKey } from '../../directory/applications/client-settings.js'
import type { Deps } from '../../delivery/deps.js'
import { isApplicationId, toApplicationId, type ApplicationClient } from './application-client.js'
import { clientKeySets } from './client-key-sets.js'

/** RFC 7523 section 2.2. */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const maxLength = 4 * 1024
const maxLifetimeSeconds = 5 * 60
/** How far the clock of an application may be off. */
const clockSkewSeconds = 30
const maxJtiLength = 255
/** The most keys that a signature is compared with, where the assertion does not say which one. */
const maxTried = 5

/** A presented assertion of a client. */
interface ClientAssertion {
  readonly text: string
  /** As the request names the client beside it; undefined: it does not. */
  readonly clientId: string | undefined
  /** The issuer that was asked and its token endpoint. */
  readonly audiences: readonly string[]
}

/**
 * Makes the function that authenticates an application by a JWT of its own key (RFC 7523 section 3), once; undefined for any other
 * text. The key is one that the application has registered, whatever the header says.
 */
export function clientAssertions(deps: Pick<Deps, 'db' | 'now' | 'outbound' | 'log'>) {
  const findRemoteKeys = clientKeySets(deps)

  async function keysOf(
    { jwks, jwks_uri }: AssertingApplication,
    isMeant: (key: ClientKey) => boolean,
  ): Promise<readonly ClientKey[]> {
    if (jwks_uri !== null) return findRemoteKeys(jwks_uri, isMeant)
    return jwks?.keys.filter(isMeant) ?? []
  }

  return async function findAssertingApplication({
    text,
    clientId,
    audiences,
  }: ClientAssertion): Promise<ApplicationClient | undefined> {
    const decoded = text.length > maxLength ? undefined : decodeJwt(text)
    if (decoded === undefined) return undefined
    const { header, claims } = decoded
    const at = deps.now()
    const client = readClaims(claims, { audiences, at })
    if (client === undefined) return undefined
    if (clientId !== undefined && toApplicationId(clientId) !== client.applicationId) return undefined
    const isMeant = (key: ClientKey) =>
      (header.kid === undefined || key.kid === undefined || header.kid === key.kid) &&
      algorithmOf(key) === header.alg
    for (const application of await selectAsserting(deps.db, client)) {
      const keys = (await keysOf(application, isMeant)).slice(0, maxTried)
      if (!keys.some((key) => isSignedBy(decoded, key))) continue
      const used = {
        ...application,
        jtiHash: hashSecret(client.jti),
        expiresAt: new Date((client.exp + clockSkewSeconds) * 1000),
      }
      const [first] = await insertAssertion(deps.db, used)
      return first === undefined ? undefined : application
    }
    return undefined
  }
}

interface AssertionClaims {
  readonly applicationId: string
  readonly jti: string
  readonly exp: number
}

/** The claims of an assertion for one of these audiences, if they are right (RFC 7523 section 3). */
function readClaims(
  claims: JwtClaims,
  { audiences, at }: { readonly audiences: readonly string[]; readonly at: Date },
): AssertionClaims | undefined {
  const { iss, sub, aud, jti, exp } = claims
  if (typeof iss !== 'string' || iss !== sub || !isApplicationId(iss)) return undefined
  // One value: an assertion that is for others, too, could be sent here by them.
  const audience: unknown = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
  if (typeof audience !== 'string' || !audiences.includes(audience)) return undefined
  const nowSeconds = at.getTime() / 1000
  if (findTimeFault(claims, { nowSeconds, leewaySeconds: clockSkewSeconds }) !== undefined) return undefined
  if (typeof exp !== 'number' || exp > nowSeconds + maxLifetimeSeconds + clockSkewSeconds) return undefined
  if (typeof jti !== 'string' || jti === '' || jti.length > maxJtiLength) return undefined
  return { applicationId: toApplicationId(iss), jti, exp }
}

function isSignedBy(decoded: Parameters<typeof isJwtSignatureValid>[0], key: ClientKey): boolean {
  const publicKey = readClientKey(key)
  return publicKey !== undefined && isJwtSignatureValid(decoded, algorithmOf(key), publicKey)
}

interface AssertingApplication extends ApplicationClient {
  readonly jwks: { readonly keys: readonly ClientKey[] } | null
  readonly jwks_uri: string | null
}

const selectAsserting = lookup((db, client: { applicationId: string }) =>
  // eslint-disable-next-line portico/tenant -- a client names itself, and its signature is verified
  db
    .selectFrom('applications')
    .where('applications.id', '=', client.applicationId)
    .where(sql<boolean>`applications.client_authentication = 'private_key_jwt'`)
    .where('applications.deleted_at', 'is', null)
    .select([
      'applications.account_id as accountId',
      'applications.environment',
      'applications.id as applicationId',
      // Written only from validated input.
      sql<AssertingApplication['jwks']>`applications.jwks`.as('jwks'),
      'applications.jwks_uri',
    ]),
)

interface UsedAssertion extends ApplicationClient {
  readonly jtiHash: Buffer
  readonly expiresAt: Date
}

/** Returns no row where the assertion was used already: of two requests at once the primary key lets one pass. */
const insertAssertion = statement((db, used: UsedAssertion) =>
  db
    .insertInto('client_assertions')
    .values({
      account_id: used.accountId,
      environment: used.environment,
      application_id: used.applicationId,
      jti_hash: used.jtiHash,
      expires_at: used.expiresAt,
    })
    .onConflict((conflict) => conflict.constraint('client_assertions_pkey').doNothing())
    .returning('jti_hash'),
)
