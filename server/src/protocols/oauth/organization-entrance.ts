import type { AuthorizationRequest } from '@portico/contract/authorize'
import type { Deps } from '../../delivery/deps.js'
import {
  toAuthorizationAnswer,
  type AuthorizationAnswer,
} from '../../directory/sessions/authorization-answer.js'
import { normalizeEmail } from '../../platform/email.js'
import type { AccountFlow } from '../../sign-in/account-flows/account-flow.js'
import type { ProvedAddress } from '../../sign-in/account-flows/email-session.js'
import type { CreatedBy } from '../../sign-in/account-flows/entries.js'
import { findSignInMethods, type SignInMethods } from '../../sign-in/flows/sign-in-methods.js'
import { connectionOfAddress, findOpenConnections } from '../../sso/sign-in/connection-of-address.js'
import { accountIssuerOf } from '../../tokens/issuer.js'
import type { AuthorizingClient } from './authorizing-client.js'
import {
  decideAt,
  type DecidingBrowser,
  type Entering,
  type OrganizationPlace,
  type Remembered,
} from './organization-decision.js'

/** The pages of the organization, or what the application gets. */
export type EnteredOrganization =
  | { readonly path: string }
  | { readonly answer: AuthorizationAnswer; readonly remembered: Remembered | undefined }

/** An organization that was chosen for an address, and whether its mailbox is proved. */
export interface Choice extends OrganizationPlace {
  readonly email: string
  readonly proof: ProvedAddress | undefined
  /** The mailbox was proved before this sign-in began; left out: it was not. */
  readonly isProofOlder?: boolean
  readonly passkey?: Entering['passkey']
  readonly createdBy: CreatedBy | null
  readonly consume?: Entering['consume']
}

/** The request with which an organization is entered. */
interface EnteringRequest extends Pick<AccountFlow, 'accountDomain' | 'redirectUri' | 'request'> {
  /** Null where no list of ours can be gone back to. */
  readonly accountFlowId: string | null
}

/** Makes the decision that a request with `organization` makes, for the address and with what is proved of it. */
export async function enterOrganization(
  deps: Deps,
  entering: EnteringRequest,
  browser: DecidingBrowser,
  { client, connectionId: routedId, email, proof, isProofOlder = false, passkey, createdBy, consume }: Choice,
): Promise<EnteredOrganization> {
  const { accountFlowId } = entering
  const way = await findWay(deps, client, email)
  const connectionId = routedId ?? way.connectionId
  const request = { ...withoutPrompt(entering.request, 'select_organization'), login_hint: email }
  const place = {
    client,
    connectionId,
    entering: { accountFlowId, proof, isProofOlder, passkey, createdBy, methods: way.methods, consume },
  }
  const decision = await decideAt(deps, browser, place, { request, hint: undefined })
  deps.metrics.countEntrance('path' in decision ? 'page' : 'code' in decision ? 'code' : 'refused')
  if ('path' in decision) return decision
  if ('code' in decision)
    return { answer: answerTo(deps, entering, { code: decision.code }), remembered: decision.remembered }
  const { error, description } = decision.fault
  return {
    answer: answerTo(deps, entering, { error, error_description: description }),
    remembered: undefined,
  }
}

/** How an address signs in to an organization: by the connection that has it, else by the organization's methods. */
export async function findWay(
  deps: Pick<Deps, 'config' | 'db'>,
  client: AuthorizingClient,
  email: string,
): Promise<{ readonly methods: SignInMethods; readonly connectionId: string | undefined }> {
  const [methods, connections] = await Promise.all([
    findSignInMethods(deps, client),
    findOpenConnections(deps, client),
  ])
  return {
    methods,
    connectionId: connectionOfAddress(connections, methods, normalizeEmail(email))?.connectionId,
  }
}

/** A request of which one choice was made. */
export function withoutPrompt(
  request: AuthorizationRequest,
  made: 'select_account' | 'select_organization',
): AuthorizationRequest {
  return { ...request, prompt: request.prompt?.filter((value) => value !== made) }
}

function answerTo(
  { config }: Pick<Deps, 'config'>,
  { accountDomain, redirectUri, request }: EnteringRequest,
  parameters: Readonly<Record<string, string>>,
): AuthorizationAnswer {
  const { response_mode: mode = 'query', state = null } = request
  const issuer = accountIssuerOf(config.baseUrl, accountDomain)
  return toAuthorizationAnswer({ redirectUri, mode }, { parameters, state, issuer })
}
