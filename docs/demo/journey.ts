import {
  createClient,
  createVerifier,
  isApiError,
  openMagicLink,
  type AccessTokenClaims,
  type Client,
  type UserTokens,
} from '@portico/sdk'

export interface Connection {
  readonly baseUrl: string
  readonly domain: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface Journey {
  readonly organization: string
  readonly clientId: string
  readonly email: string
  readonly environment: 'sandbox' | 'production'
}

/** Tells what a step has proved. */
export type Tell = (step: string, proof: string) => void

export const redirectUri = 'https://store.example/callback'

/** Sets an organization up for signing in: application, metadata key and a user with a value. */
export async function prepare(
  connection: Connection,
  environment: Journey['environment'],
  tell: Tell,
  existing?: string,
): Promise<Journey> {
  const client = createClient(connection)
  const organization = existing ?? (await client.organizations.create({ name: 'Awesome company' })).domain
  tell('organization', `${organization}, made with a token of the ${environment} key`)

  const application = await client.applications.create({
    org_domain: organization,
    name: 'Storefront',
    application_type: 'react',
    allowed_redirect_urls: [redirectUri],
    allowed_origins_cors: ['https://store.example'],
    allowed_logout_urls: ['https://store.example/signed-out'],
  })
  tell('application', `codes may be sent to ${application.allowed_redirect_urls.join(', ')}`)

  if (existing === undefined) {
    await client.tokenCustomization.createMetaKey({
      org_domain: organization,
      name: 'employee_number',
      type: 'integer',
    })
    tell('metadata key', 'employee_number, an integer')
  }

  const email = `ada.${environment}@people.example`
  const user = await client.users.create({
    org_domain: organization,
    email,
    profile: { given_name: 'Ada', family_name: 'Lovelace', address: { locality: 'Lyon' } },
  })
  await client.tokenCustomization.setUserMetadata({
    org_domain: organization,
    user_id: user.id,
    key_name: 'employee_number',
    key_value: '1815',
  })
  tell('user', `${user.email} with employee_number 1815`)
  return { organization, clientId: application.client_id, email, environment }
}

/** Signs the user in by magic link and verifies the tokens. */
export async function signIn(
  connection: Connection,
  journey: Journey,
  tell: Tell,
): Promise<AccessTokenClaims> {
  const client = createClient(connection)
  const challenge = await client.magicLink.createChallenge({
    user_email: journey.email,
    org_domain: journey.organization,
    redirect_uri: redirectUri,
    application_id: journey.clientId,
    send_email: false,
  })
  const opened = await openMagicLink(challenge.magic_link ?? '')
  tell(
    'magic link',
    `opened and confirmed; it led to ${opened.redirectedTo.origin}${opened.redirectedTo.pathname}?code=…`,
  )

  const tokens = await exchange(client, opened.code)
  tell('code', 'exchanged once')
  await expectRefusal(() => exchange(client, opened.code))
  tell('code', 'refused the second time')

  const verifier = createVerifier({
    baseUrl: connection.baseUrl,
    domain: journey.organization,
    audience: journey.clientId,
    environment: journey.environment,
  })
  const claims = await verifier.verifyAccessToken(tokens.access_token)
  await verifier.verifyIdToken(tokens.id_token, { accessToken: tokens.access_token, code: opened.code })
  tell('tokens', 'issuer, audience, environment, type and signature verified')
  return claims
}

/** Proves that a key sees nothing of the other environment. */
export async function expectUnseen(connection: Connection, journey: Journey, tell: Tell): Promise<void> {
  const client = createClient(connection)
  try {
    await client.users.getByEmail({ org_domain: journey.organization, user_email: journey.email })
  } catch (error) {
    if (!isApiError(error, 'users.getByEmail') || error.code !== 'user_not_found') throw error
    tell('isolation', `the ${journey.environment} user does not exist for the other key`)
    return
  }
  throw new Error('a user of one environment was seen from the other')
}

async function exchange(client: Client, code: string): Promise<UserTokens> {
  const tokens = await client.oauth.token({ grant_type: 'authorization_code', code })
  if (!('id_token' in tokens)) throw new Error('the exchange of a code answered no ID token')
  return tokens
}

async function expectRefusal(attempt: () => Promise<unknown>): Promise<void> {
  const isRefused = await attempt().then(
    () => false,
    () => true,
  )
  if (!isRefused) throw new Error('a code was exchanged twice')
}
