import type { ClientKey } from '@portico/contract/client-authentication'
import { sql } from 'kysely'
import { decodeJwt, findTimeFault, isJwtSignatureValid, type JwtClaims } from '../../platform/crypto/jwt.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { lookup, statement } from '../../platform/db/statement.js'
import { algorithmOf, readClientKey } from '../../directory/applications/client-settings.js'
import type { Deps } from '../../delivery/deps.js'
import { isApplicationId, toApplicationId, type ApplicationClient } from './application-client.js'
import { clientKeySets } from './client-key-sets.js'
import { invalidClient, type ClientRefusal, type RefusedClient } from './oauth-failure.js'

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
 * Makes the function that authenticates an application by a JWT of its own key (RFC 7523 section 3), once. The key is one that the
 * application has registered, whatever the header says.
 *
 * The function throws OAuthFailure `invalid_client` for any other text.
 */
export function clientAssertions(deps: Pick<Deps, 'db' | 'now' | 'outbound' | 'log'>) {
  const findRemoteKeys = clientKeySets(deps)

  async function keysOf(
    { accountId, jwks, jwks_uri }: AssertingApplication,
    isMeant: (key: ClientKey) => boolean,
  ): Promise<readonly ClientKey[]> {
    const keys =
      jwks_uri === null
        ? (jwks?.keys.filter(isMeant) ?? [])
        : await findRemoteKeys({ accountId, url: jwks_uri }, isMeant)
    return keys.slice(0, maxTried)
  }

  /** Why an application has not signed an assertion; undefined where it has. */
  async function whyNotSigned(
    application: AssertingApplication,
    decoded: Decoded,
  ): Promise<'assertion_key_unknown' | 'assertion_signature' | undefined> {
    const { kid, alg } = decoded.header
    const isMeant = (key: ClientKey) =>
      (kid === undefined || key.kid === undefined || kid === key.kid) && algorithmOf(key) === alg
    const keys = await keysOf(application, isMeant)
    if (keys.some((key) => isSignedBy(decoded, key))) return undefined
    if (keys.length === 0) return 'assertion_key_unknown'
    if (application.jwks_uri === null) return 'assertion_signature'
    // A new key may have taken their place at the address: without a kid, or under the same one, nothing else tells.
    const others = await keysOf(application, (key) => isMeant(key) && !keys.includes(key))
    return others.some((key) => isSignedBy(decoded, key)) ? undefined : 'assertion_signature'
  }

  return async function getAssertingApplication({
    text,
    clientId,
    audiences,
  }: ClientAssertion): Promise<ApplicationClient> {
    const decoded = text.length > maxLength ? undefined : decodeJwt(text)
    if (decoded === undefined) throw invalidClient({ reason: 'assertion_unreadable' })
    const client = readClaims(decoded.claims, { audiences, at: deps.now() })
    let refused: RefusedClient = { reason: 'client_unknown', clientId: client.applicationId }
    if (clientId !== undefined && toApplicationId(clientId) !== client.applicationId)
      throw invalidClient({ ...refused, reason: 'assertion_of_another_client' })
    for (const application of await selectAsserting(deps.db, client)) {
      const { accountId, environment, client_authentication: method } = application
      refused = { ...refused, accountId, environment, reason: 'unexpected_method' }
      if (method !== 'private_key_jwt') continue
      const unsigned = await whyNotSigned(application, decoded)
      refused = { ...refused, reason: unsigned ?? 'assertion_replayed' }
      if (unsigned !== undefined) continue
      const used = {
        ...application,
        jtiHash: hashSecret(client.jti),
        expiresAt: new Date((client.exp + clockSkewSeconds) * 1000),
      }
      const [first] = await insertAssertion(deps.db, used)
      if (first === undefined) throw invalidClient(refused)
      return application
    }
    throw invalidClient(refused)
  }
}

interface AssertionClaims {
  readonly applicationId: string
  readonly jti: string
  readonly exp: number
}

/**
 * The claims of an assertion for one of these audiences (RFC 7523 section 3).
 *
 * @throws OAuthFailure `invalid_client`
 */
function readClaims(
  claims: JwtClaims,
  { audiences, at }: { readonly audiences: readonly string[]; readonly at: Date },
): AssertionClaims {
  const { iss, sub, aud, jti, exp } = claims
  if (typeof iss !== 'string' || iss !== sub || !isApplicationId(iss))
    throw invalidClient({ reason: 'assertion_issuer' })
  const applicationId = toApplicationId(iss)
  const refused = (reason: ClientRefusal) => invalidClient({ reason, clientId: applicationId })
  // One value: an assertion that is for others, too, could be sent here by them.
  const audience: unknown = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
  if (typeof audience !== 'string' || !audiences.includes(audience)) throw refused('assertion_audience')
  const nowSeconds = at.getTime() / 1000
  if (findTimeFault(claims, { nowSeconds, leewaySeconds: clockSkewSeconds }) !== undefined)
    throw refused('assertion_expiry')
  if (typeof exp !== 'number' || exp > nowSeconds + maxLifetimeSeconds + clockSkewSeconds)
    throw refused('assertion_lifetime')
  if (typeof jti !== 'string' || jti === '' || jti.length > maxJtiLength) throw refused('assertion_jti')
  return { applicationId, jti, exp }
}

type Decoded = Parameters<typeof isJwtSignatureValid>[0]

function isSignedBy(decoded: Decoded, key: ClientKey): boolean {
  const publicKey = readClientKey(key)
  return publicKey !== undefined && isJwtSignatureValid(decoded, algorithmOf(key), publicKey)
}

interface AssertingApplication extends ApplicationClient {
  readonly jwks: { readonly keys: readonly ClientKey[] } | null
  readonly jwks_uri: string | null
  readonly client_authentication: string
}

const selectAsserting = lookup((db, client: { applicationId: string }) =>
  // eslint-disable-next-line portico/tenant -- a client names itself, and its signature is verified
  db
    .selectFrom('applications')
    .where('applications.id', '=', client.applicationId)
    // The condition of the index.
    .where(sql<boolean>`applications.client_authentication <> 'none'`)
    .where('applications.deleted_at', 'is', null)
    .select([
      'applications.account_id as accountId',
      'applications.environment',
      'applications.id as applicationId',
      // Written only from validated input.
      sql<AssertingApplication['jwks']>`applications.jwks`.as('jwks'),
      'applications.jwks_uri',
      'applications.client_authentication',
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
