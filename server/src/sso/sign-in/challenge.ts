import type { NewSsoSamlChallenge } from '@portico/contract/sso-connections'
import type { Protocol } from '@portico/contract/sso-onboarding'
import type { SsoOauthChallenge, SsoSamlChallenge } from '@portico/contract/sso-records'
import { sql, type Kysely } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError, invalid, type LimitState } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { attemptSignIn } from '../../sign-in/flows/attempts.js'
import { startFlow } from '../../sign-in/flows/start.js'
import { issuerOf } from '../../tokens/claims.js'
import { grantedScope } from '../../tokens/scopes.js'
import { chooseDestination } from '../../directory/sessions/code-destination.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { domainOfEmail, normalizeEmail } from '../../platform/email.js'
import {
  connectionOfAddress,
  connectionsOfOrganization,
  isOpen,
  onlyOne,
  type AnyConnection,
} from './connection-of-address.js'
import { causeOf } from './live-connection.js'
import { toChallengeData } from './record.js'
import { isOrganizationOf, sameTenant } from '../../platform/db/tenant-predicate.js'

/** Ample for the time between a click and a page; the same as for requests to identity providers. */
const lifetimeMs = 10 * 60 * 1000

/**
 * Makes the address at which a user signs in by an SSO connection. It works once, in the browser that opens it.
 *
 * @throws ApiError `organization_not_found`, `sso_connection_not_found`, `connection_inactive`,
 *   `sso_connection_not_configured`, `application_not_found`, `no_application`, `rate_limited`, and `invalid_parameters`
 *   when neither organization nor address is named, or the application demands PKCE and the code_challenge is missing.
 */
export async function createSamlChallenge(
  deps: Deps,
  caller: Caller,
  input: NewSsoSamlChallenge,
): Promise<Changed<SsoSamlChallenge>> {
  const created = await createChallenge(deps, caller, input, 'saml')
  return { ...created, record: { __type__: 'SsoSamlChallenge', ...created.record } }
}

/** The same by a connection of OpenID Connect. */
export async function createOauthChallenge(
  deps: Deps,
  caller: Caller,
  input: NewSsoSamlChallenge,
): Promise<Changed<SsoOauthChallenge>> {
  const created = await createChallenge(deps, caller, input, 'oidc')
  return { ...created, record: { __type__: 'SsoOauthChallenge', ...created.record } }
}

async function createChallenge(
  deps: Deps,
  caller: Caller,
  input: NewSsoSamlChallenge,
  protocol: Protocol,
): Promise<Changed<Omit<SsoSamlChallenge, '__type__'>>> {
  const email = input.user_email === undefined ? undefined : normalizeEmail(input.user_email)
  if (input.org_domain === undefined && email === undefined)
    throw invalid('org_domain', 'required', 'is required, unless user_email is sent')
  const organization = await findOrganization(deps.db, caller, { domain: input.org_domain, email })
  const connection = chooseConnection(organization, { idpId: input.idp_id, email, protocol })
  const tenant = { ...caller, domain: organization.domain }
  const destination = await chooseDestination(deps.db, tenant, input)
  const limit = await countChallenge(deps, tenant, email)

  const token = randomSecret()
  const at = deps.now()
  const row = { id: newId(), expires_at: new Date(at.getTime() + lifetimeMs) }
  const data = toChallengeData(row, { ...tenant, idpId: connection.idpId })
  return change(deps, caller.cause, async (trx) => {
    await trx
      .insertInto('sso_challenges')
      .values({
        account_id: caller.accountId,
        environment: caller.environment,
        organization_id: organization.id,
        connection_id: connection.connectionId,
        ...row,
        token_hash: hashSecret(token),
        application_id: destination.applicationId,
        redirect_uri: destination.redirectUri,
        state: destination.state,
        nonce: destination.nonce,
        code_challenge: destination.codeChallenge,
        scope: grantedScope(destination.scope, 'sso'),
        email: input.user_email ?? null,
        email_normalized: email ?? null,
        inserted_at: at,
      })
      .execute()
    const subject = { organizationId: organization.id, ...(email !== undefined && { email }) }
    if (protocol === 'saml') {
      const record = { __type__: 'SsoSamlChallenge' as const, ...data }
      await emit(deps, trx, tenant, { code: 'sso.challenge.create.success', record, ...subject })
    } else {
      const record = { __type__: 'SsoOauthChallenge' as const, ...data }
      await emit(deps, trx, tenant, { code: 'sso.oauth_challenge.create.success', record, ...subject })
    }
    const url = `${issuerOf(deps.config.baseUrl, organization.domain)}/sso/${token}`
    return { record: { ...data, authorization_url: url }, limit, organizationId: organization.id }
  })
}

interface Sought {
  readonly domain: string | undefined
  /** Normalized. */
  readonly email: string | undefined
}

/** The named organization, or the one whose allowed domains, or domains of a connection, include that of the address. */
async function findOrganization(db: Kysely<DB>, caller: Caller, { domain, email }: Sought) {
  const { accountId, environment, organizationIds } = caller
  const emailDomain = email === undefined ? '' : domainOfEmail(email)
  const found = await db
    .selectFrom('organizations')
    .where('organizations.account_id', '=', accountId)
    .where('organizations.deleted_at', 'is', null)
    .where(
      sql<boolean>`(${organizationIds}::uuid[] is null or organizations.id = any(${organizationIds}::uuid[]))`,
    )
    .where(
      domain === undefined
        ? // Containment is what the indexes of the domains serve.
          sql<boolean>`organizations.id = any(array(
            select listed.id from organizations as listed
            where listed.account_id = ${accountId}
              and listed.deleted_at is null
              and listed.allowed_email_domains @> array[${emailDomain}::text]
            union all
            select owner.organization_id from sso_connections as owner
            where owner.account_id = ${accountId}
              and owner.environment = ${environment}
              and owner.email_domains @> array[${emailDomain}::text]
          ))`
        : sql<boolean>`organizations.domain = ${domain}`,
    )
    .select([
      'organizations.id',
      'organizations.domain',
      isMethodActive('password_connections', environment).as('has_password'),
      isMethodActive('magic_link_connections', environment).as('has_link'),
      connectionsOfOrganization(environment).as('connections'),
    ])
    .limit(2)
    .execute()
  const [organization] = found
  if (organization !== undefined && found.length === 1) return organization
  throw new ApiError('organization_not_found', {
    ...(domain === undefined && {
      message: 'Not exactly one organization has the domain of this address: send org_domain.',
    }),
  })
}

type FoundOrganization = Awaited<ReturnType<typeof findOrganization>>

function isMethodActive(connections: 'password_connections' | 'magic_link_connections', environment: string) {
  return sql<boolean>`exists (
    select from ${sql.table(connections)} as connection
    where connection.account_id = organizations.account_id
      and connection.environment = ${environment}
      and connection.organization_id = organizations.id
      and connection.active
  )`
}

interface SoughtConnection {
  readonly idpId: string | undefined
  readonly email: string | undefined
  /** The protocol of the called route; connections of another protocol are not found. */
  readonly protocol: Protocol
}

/** The named connection; else the one that the pages would choose for the address; else the organization's only one. */
function chooseConnection(
  { connections: all, ...organization }: FoundOrganization,
  { idpId, email, protocol }: SoughtConnection,
): AnyConnection {
  const connections = all.filter((connection) => connection.protocol === protocol)
  const open = connections.filter(isOpen)
  const chosen =
    idpId !== undefined
      ? connections.find((connection) => connection.idpId === idpId)
      : (ofAddress(open, organization, email) ?? onlyOne(open) ?? whatIsThere(open, connections, email))
  if (chosen === undefined)
    throw new ApiError('sso_connection_not_found', {
      message: 'Not exactly one SSO connection of the organization is meant: send idp_id, or user_email.',
    })
  if (!chosen.isActive) throw new ApiError('connection_inactive')
  if (!chosen.isConfigured) throw new ApiError('sso_connection_not_configured')
  return chosen
}

function ofAddress(
  open: readonly AnyConnection[],
  organization: Omit<FoundOrganization, 'connections'>,
  email: string | undefined,
): AnyConnection | undefined {
  const otherMethods = { hasPassword: organization.has_password, hasLink: organization.has_link }
  return email === undefined ? undefined : connectionOfAddress(open, otherMethods, email)
}

/** Without an address, the only connection whatever its domains; without an open one, the connection at fault. */
function whatIsThere(
  open: readonly AnyConnection[],
  all: readonly AnyConnection[],
  email: string | undefined,
): AnyConnection | undefined {
  if (open.length > 0) return open.length === 1 && email === undefined ? open[0] : undefined
  return all.length === 1 ? all[0] : undefined
}

/** Challenges are counted apart from attempts of passwords, which they must neither lock nor unlock. */
async function countChallenge(
  deps: Pick<Deps, 'config' | 'limits'>,
  tenant: Tenant,
  email: string | undefined,
): Promise<LimitState> {
  const attempt = await attemptSignIn(deps, { ...tenant, address: challengeAddress(email ?? '') })
  // Without an address only the organization's limit counts, which all of its users share.
  if (email === undefined) await attempt.succeed()
  else if (attempt.isLocked) throw new ApiError('rate_limited', { limit: attempt.state })
  return attempt.state
}

/** By what challenges of a normalized address are counted. */
export function challengeAddress(email: string): string {
  return `sso ${email}`
}

/** A browser that opens the address of a challenge. */
interface OpenedChallenge {
  readonly organizationDomain: string
  readonly token: string
  /** From the flow cookie, existing or new. */
  readonly browserSecret: string
  readonly requestId: string
}

/**
 * Begins the sign-in of a challenge in a browser, once.
 *
 * @returns The id of the flow; undefined when the address is unknown, used or too old, or the connection is inactive.
 */
export async function openChallenge(deps: Deps, opened: OpenedChallenge): Promise<string | undefined> {
  const { record } = await change(deps, causeOf(opened.requestId), async (trx) => {
    const [challenge] = await consumeChallenge(trx, {
      tokenHash: hashSecret(opened.token),
      organizationDomain: opened.organizationDomain,
      at: deps.now(),
    })
    if (challenge === undefined) return { record: undefined }
    const { flowId } = await startFlow(deps, trx, {
      accountId: challenge.account_id,
      // The connection's row has it, whose check allows nothing else.
      environment: challenge.environment as Caller['environment'],
      organizationId: challenge.organization_id,
      applicationId: challenge.application_id,
      issuer: 'organization',
      redirectUri: challenge.redirect_uri,
      responseMode: 'query',
      state: challenge.state,
      nonce: challenge.nonce,
      codeChallenge: challenge.code_challenge,
      scope: challenge.scope,
      claims: null,
      isMfaRequired: false,
      isConsentAsked: false,
      isSignInForced: false,
      locale: null,
      preferredWay: null,
      email: challenge.email,
      connectionId: challenge.connection_id,
      sessionId: null,
      isIdpInitiated: false,
      accountFlowId: null,
      browserSecret: opened.browserSecret,
    })
    return { record: flowId }
  })
  return record
}

const consumeChallenge = statement((db, key: { tokenHash: Buffer; organizationDomain: string; at: Date }) =>
  db
    .updateTable('sso_challenges as challenge')
    .set({ used_at: key.at })
    .from(['sso_connections as connection', 'organizations'])
    .where('challenge.token_hash', '=', key.tokenHash)
    .where('challenge.used_at', 'is', null)
    .where('challenge.expires_at', '>', key.at)
    .where(sameTenant('connection', 'challenge'))
    .whereRef('connection.id', '=', 'challenge.connection_id')
    .where('connection.active', '=', true)
    .where(isOrganizationOf('organizations', 'challenge'))
    .where('organizations.domain', '=', key.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .returning([
      'challenge.account_id',
      'challenge.environment',
      'challenge.organization_id',
      'challenge.connection_id',
      'challenge.application_id',
      'challenge.redirect_uri',
      'challenge.state',
      'challenge.nonce',
      'challenge.code_challenge',
      'challenge.scope',
      'challenge.email',
    ]),
)
