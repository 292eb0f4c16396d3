import { acrValues } from '@portico/contract/authorize'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import {
  findOrganizationByDomain,
  type PublicOrganization,
} from '../../directory/organizations/find-organization.js'
import { keepAccountPageClient, signedInUrl } from '../../directory/account-page-client.js'
import { redirect, sendPlainSentence, type Exchange } from '../frame/page-route.js'
import { findVisitor } from '../frame/visitor.js'
import { fromAccountPath, toAccountPath, type AccountPlace } from '../frame/account-path.js'

/** A sign-in to the account page. */
interface ToAccountPage {
  readonly organization: PublicOrganization
  readonly place: AccountPlace
  readonly anew?: ProvedAnew | undefined
}

/** What a user who is signed in has to prove anew. */
export interface ProvedAnew {
  readonly email: string
  /** The user holds a passkey, and nothing else is enough. */
  readonly isPasskeyAsked: boolean
  /** The passkey is added to the session as it is. */
  readonly isAddition: boolean
}

/**
 * Sends the browser to the authorization endpoint of the organization. The account page has no sign-in of its own: it throws the
 * code away, and goes by the session of the browser.
 */
export async function beginSignIn(
  exchange: Exchange,
  { organization, place, anew }: ToAccountPage,
): Promise<void> {
  const { deps } = exchange
  const { accountId, domain } = organization
  const clientId = await keepAccountPageClient(deps, { accountId, environment: place.environment })
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: signedInUrl(deps.config.baseUrl),
    response_type: 'code',
    scope: 'openid',
    state: toAccountPath(place),
    // Nobody has a verifier, so nobody exchanges the code.
    code_challenge: hashSecret(randomSecret()).toString('base64url'),
    code_challenge_method: 'S256',
    ...(anew !== undefined && { login_hint: anew.email }),
    ...(anew?.isAddition === false && { max_age: '0' }),
    ...(anew?.isPasskeyAsked === true && { acr_values: acrValues.twoFactors }),
    ...(place.locale !== undefined && { ui_locales: place.locale }),
  })
  redirect(exchange, `/t/${domain}/authorize?${parameters.toString()}`)
}

/** The end of a sign-in. Without the session that it must have left the browser would be sent round in circles. */
export async function endSignIn(exchange: Exchange): Promise<void> {
  const { deps, req } = exchange
  const place = fromAccountPath(req.query.state)
  if (place === undefined || req.query.error !== undefined) {
    sendPlainSentence(exchange, 403, 'signInRefused')
    return
  }
  const organization = await findOrganizationByDomain(deps, place.domain)
  const visitor = await findVisitor(exchange, organization, place.environment)
  if (visitor === undefined) sendPlainSentence(exchange, 401, 'notSignedIn')
  else redirect(exchange, toAccountPath(place))
}
