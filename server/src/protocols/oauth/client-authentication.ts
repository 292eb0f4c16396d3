import type { UsedSecret } from '../../directory/application-secrets/last-use.js'
import { isApplicationSecret } from '../../platform/crypto/secret.js'
import type { Deps } from '../../delivery/deps.js'
import { toIssuer, type NamedIssuer } from '../../tokens/issuer.js'
import {
  findConfidential,
  getSecretOf,
  toApplicationId,
  type ApplicationClient,
} from './application-client.js'
import { assertionType, clientAssertions } from './client-assertion.js'
import { getKeyClient, type KeyClient } from './key-client.js'
import { invalidClient, OAuthFailure } from './oauth-failure.js'

/** The client of a request to an endpoint of OAuth, as it has authenticated. */
export type Client =
  | { readonly by: 'nothing'; readonly clientId: string | undefined }
  | { readonly by: 'api_key'; readonly key: KeyClient }
  | { readonly by: 'application'; readonly application: ApplicationClient }

/** What a request sends to authenticate its client; undefined members were not sent. */
export interface PresentedCredentials {
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  /** A JWT of the client (RFC 7523); null: one of a type that is not known. */
  readonly assertion: string | null | undefined
}

export interface AuthenticationHooks {
  /** Called with each secret that has authenticated an application. */
  readonly onSecretUse?: (secret: UsedSecret) => void
}

/**
 * Makes the function that authenticates the client of a request, before anything else of it is looked at: a refused one neither
 * consumes a code or token, nor learns of them. A client without credentials is let in as one that only names itself.
 *
 * The function throws OAuthFailure `invalid_client`, with the same text and after the same work whatever is wrong.
 */
export function clientAuthentication(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'outbound' | 'log'>,
  { onSecretUse }: AuthenticationHooks = {},
) {
  const getAssertingApplication = clientAssertions(deps)

  /** @param endpoint The issuer whose endpoint was called; undefined: the service's own. */
  return async function authenticate(
    { clientId, clientSecret, assertion }: PresentedCredentials,
    endpoint?: NamedIssuer,
  ): Promise<Client> {
    if (assertion !== undefined) {
      if (assertion === null) throw invalidClient({ reason: 'assertion_type' })
      const audiences = audiencesOf(deps.config.baseUrl, endpoint)
      return {
        by: 'application',
        application: await getAssertingApplication({ text: assertion, clientId, audiences }),
      }
    }
    if (clientSecret === undefined) return { by: 'nothing', clientId }
    const credentials = { clientId: clientId ?? '', clientSecret }
    // The form of a secret tells whose it is.
    if (!isApplicationSecret(clientSecret))
      return { by: 'api_key', key: await getKeyClient(deps, credentials) }
    const secret = await getSecretOf(deps, credentials)
    onSecretUse?.(secret)
    return { by: 'application', application: secret }
  }
}

/** The values of `aud` with which an assertion is for this request: the issuer, or its token endpoint. */
function audiencesOf(baseUrl: string, endpoint: NamedIssuer | undefined): string[] {
  const issuer = endpoint === undefined ? baseUrl : toIssuer(baseUrl, endpoint)
  return [issuer, `${issuer}/oauth/token`]
}

export type AuthenticateClient = ReturnType<typeof clientAuthentication>

/**
 * Refuses a client without credentials that names an application which has to authenticate. Of a request that is refused in any case:
 * what is granted has the same condition in its statement.
 *
 * @throws OAuthFailure `invalid_client`
 */
export async function checkAuthenticated({ db }: Pick<Deps, 'db'>, client: Client): Promise<void> {
  const named = client.by === 'nothing' ? client.clientId : undefined
  const confidential = named === undefined ? undefined : await findConfidential(db, named)
  if (confidential !== undefined) {
    const { accountId, environment, applicationId: clientId } = confidential
    throw invalidClient({ reason: 'credentials_missing', accountId, environment, clientId })
  }
}

/** The refusal of a client that has not authenticated as the application of its code or token, which has to. */
export function withoutItsCredentials(client: Client): OAuthFailure {
  return invalidClient(
    client.by === 'api_key'
      ? { ...toNamed(client.key), reason: 'unexpected_method' }
      : { reason: 'credentials_missing' },
  )
}

function toNamed({ apiKeyId: clientId, accountId, environment }: KeyClient) {
  return { clientId, accountId, environment }
}

/** Whether a client has authenticated as the application of a code or token. */
export function isApplication(
  client: Client,
  row: { readonly account_id: string; readonly environment: string; readonly application_id: string },
): boolean {
  if (client.by !== 'application') return false
  const { accountId, environment, applicationId } = client.application
  if (applicationId !== row.application_id) return false
  return accountId === row.account_id && environment === row.environment
}

interface ClientParameters {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
  readonly client_assertion?: string | undefined
  readonly client_assertion_type?: string | undefined
}

/**
 * The client's id and secret from the header or from the body (RFC 6749 section 2.3.1), or its assertion (RFC 7521 section 4.2).
 *
 * @throws OAuthFailure `invalid_request` for two ways at once, or two names of an application, `invalid_client` for a header that cannot be read.
 */
export function clientCredentialsOf(
  authorization: string | undefined,
  body: ClientParameters,
): PresentedCredentials {
  const basic = readBasic(authorization)
  // A parameter without a value counts as omitted (RFC 6749 section 3.2).
  const posted = body.client_secret || undefined
  const assertion = assertionOf(body)
  if ([basic, posted, assertion].filter((sent) => sent !== undefined).length > 1)
    throw new OAuthFailure(
      'invalid_request',
      'Credentials must be sent in one way: in the header or in the body.',
    )
  const clientId = basic?.clientId ?? (body.client_id || undefined)
  if (basic !== undefined && isApplicationSecret(basic.clientSecret)) checkNamesAgree(basic.clientId, body)
  return { clientId, clientSecret: basic?.clientSecret ?? posted, assertion }
}

/** An application that authenticates by the header may name itself in the body too, but nobody else. */
function checkNamesAgree(clientId: string, { client_id: named }: ClientParameters): void {
  if (!named || toApplicationId(named) === toApplicationId(clientId)) return
  throw new OAuthFailure('invalid_request', 'The client_id in the body is not the one in the header.')
}

/** Whether a request names its client; an assertion does so by itself. */
export function isClientNamed({ clientId, assertion }: PresentedCredentials): boolean {
  return clientId !== undefined || assertion !== undefined
}

function assertionOf({
  client_assertion,
  client_assertion_type,
}: ClientParameters): PresentedCredentials['assertion'] {
  const [assertion, type] = [client_assertion || undefined, client_assertion_type || undefined]
  if (assertion === undefined && type === undefined) return undefined
  return type === assertionType ? (assertion ?? null) : null
}

/** HTTP Basic, both parts form-encoded first (RFC 6749 section 2.3.1). */
function readBasic(
  authorization: string | undefined,
): { clientId: string; clientSecret: string } | undefined {
  const [scheme, encoded] = /^Basic(?: +([A-Za-z0-9+/]+=*))?/i.exec(authorization ?? '') ?? []
  if (scheme === undefined) return undefined
  const text = scheme === authorization ? Buffer.from(encoded ?? '', 'base64').toString('utf8') : ''
  const colon = text.indexOf(':')
  if (colon < 0) throw invalidClient({ reason: 'header_unreadable' })
  return { clientId: formDecoded(text.slice(0, colon)), clientSecret: formDecoded(text.slice(colon + 1)) }
}

function formDecoded(text: string): string {
  return new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? ''
}
