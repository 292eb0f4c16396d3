import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { JobAttempt } from '../../delivery/jobs/job-handler.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import type { Algorithm } from '../../platform/crypto/jwt.js'
import { newTimelessId } from '../../platform/crypto/random.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { OutboundAnswer } from '../../platform/outbound/post.js'
import { isAccountIssuer } from '../../tokens/issuer.js'
import { activeSigningKey, issuingAccount, signWith } from '../../tokens/signing-keys/signing-keys.js'

/** The time for one attempt, to the last byte of the answer, and how much of the answer is read. */
const attemptLimits = { timeoutMs: 10_000, maxAnswerBytes: 4_000 }
/** How much of a refusal is logged. */
const keptCharacters = 300
/** How long a logout token is valid: longer than an attempt, and than clocks differ. */
const lifetimeSeconds = 120

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

type Ended = JobPayloads['send_logout_token']

/**
 * Posts a logout token to an application that had tokens of an ended session (OpenID Connect Back-Channel Logout 1.0
 * section 2.5). A receiver that answers 400 has refused it, and gets it no more.
 *
 * @throws Error when another attempt is due.
 */
export async function sendLogoutToken(deps: Deps, ended: Ended, { isLast }: JobAttempt): Promise<void> {
  const client = await findClient(deps, ended)
  if (client?.backchannel_logout_uri == null) return
  const jti = newTimelessId()
  const logout_token = await signLogoutToken(deps, ended, client.token_signing_alg, jti)
  const answer = await deps.outbound.post({
    url: client.backchannel_logout_uri,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Portico' },
    body: new URLSearchParams({ logout_token }).toString(),
    isTraceContinued: true,
    ...attemptLimits,
  })
  const fault = faultOf(answer)
  if (fault?.isFinal === false && !isLast) throw new Error(`a logout token was not received: ${fault.reason}`)
  await logEvent(deps, deps.db, {
    ...ended,
    domain: client.domain,
    code: fault === undefined ? 'BACKCHANNEL_LOGOUT_DELIVERED' : 'BACKCHANNEL_LOGOUT_FAILED',
    clientId: ended.applicationId,
    reason: fault?.reason ?? null,
    // What the receiver has seen, too.
    requestId: jti,
  })
}

/** The application, unless it was deleted meanwhile, and the domain of the organization, also of a deleted one. */
function findClient({ db }: Pick<Deps, 'db'>, ended: Ended) {
  return db
    .selectFrom('applications')
    .innerJoin('organizations', 'organizations.account_id', 'applications.account_id')
    .where('organizations.id', '=', ended.organizationId)
    .where(ofEnvironment(ended, 'applications'))
    .where('applications.id', '=', ended.applicationId)
    .where('applications.deleted_at', 'is', null)
    .select([
      'applications.backchannel_logout_uri',
      // The table's check constraint and the contract allow nothing else.
      sql<Algorithm>`applications.token_signing_alg`.as('token_signing_alg'),
      'organizations.domain',
    ])
    .executeTakeFirst()
}

async function signLogoutToken(deps: Deps, ended: Ended, algorithm: Algorithm, jti: string): Promise<string> {
  const { accountId, environment, issuer } = ended
  // The application verifies it as the ID tokens that it has got.
  const owner = isAccountIssuer(issuer) ? issuingAccount(accountId, environment) : ended
  const key = await activeSigningKey(deps, deps.db, owner, algorithm)
  const claims = toLogoutTokenClaims({
    ...ended,
    issuer: deps.config.baseUrl + issuer,
    jti,
    issuedAtSeconds: Math.floor(deps.now().getTime() / 1000),
  })
  return signWith(deps, owner, key, { algorithm, typ: 'logout+jwt', claims })
}

interface LogoutFacts extends Pick<Ended, 'applicationId' | 'userId' | 'sessionId'> {
  readonly issuer: string
  readonly environment: Environment
  readonly jti: string
  readonly issuedAtSeconds: number
}

/** The claims of a logout token (section 2.4); without a nonce, so that none passes for an ID token. */
function toLogoutTokenClaims(facts: LogoutFacts) {
  return {
    iss: facts.issuer,
    aud: facts.applicationId,
    iat: facts.issuedAtSeconds,
    exp: facts.issuedAtSeconds + lifetimeSeconds,
    jti: facts.jti,
    sub: facts.userId,
    sid: facts.sessionId,
    events: { [logoutEvent]: {} },
    dbs: facts.environment,
  }
}

interface Fault {
  readonly reason: string
  /** Whether another attempt would be refused, too. */
  readonly isFinal: boolean
}

/** Why an answer is no acceptance (section 2.8); undefined when it is one. */
function faultOf(answer: OutboundAnswer): Fault | undefined {
  if (answer.outcome !== 'answered') {
    // A forbidden address must not be told from an unused one.
    const reason = answer.outcome === 'not_allowed' ? 'unreachable' : answer.outcome
    return { reason, isFinal: false }
  }
  const { status, body } = answer
  if (status === 200 || status === 204) return undefined
  if (status !== 400) return { reason: `answered ${status}`, isFinal: false }
  return { reason: `refused: ${body.slice(0, keptCharacters).toWellFormed()}`, isFinal: true }
}
