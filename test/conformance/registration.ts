import { exportJWK, generateKeyPair } from 'jose'
import type { Service } from '../given/harness.js'
import { jsonOf, textOf, type Json } from './json.js'
import type { Authentication, RegisteredClient, Scene } from './provider.js'

/** Registered, but called by nobody: what matters is where the browser is sent. */
export const redirectUri = 'https://store.example/callback'
export const postLogoutRedirectUri = 'https://store.example/signed-out'

interface Place {
  readonly org_domain: string
  readonly backchannel_logout_uri: string
  /** The only organization of the clients, which then need not name it at the issuer of the account. */
  readonly organization_domain_scope?: string | undefined
}

/** Registers the clients of the guide on certification (docs/guides/certification.md), and those of the other checks. */
export async function registrationOf(
  service: Service,
  place: Place,
): Promise<Pick<Scene, 'client' | 'second' | 'publicClient' | 'keyClient'>> {
  const post = await posterOf(service, place)
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'client-key', alg: 'ES256', use: 'sig' }
  const secret = { client_authentication: 'secret', pkce: 'optional' }
  const { backchannel_logout_uri } = place
  return {
    client: await registered(post, 'client_secret_basic', { ...secret, backchannel_logout_uri }),
    second: await registered(post, 'client_secret_post', secret),
    publicClient: await registered(
      post,
      { method: 'none' },
      { application_type: 'spa', token_signing_alg: 'ES256' },
    ),
    keyClient: await registered(
      post,
      { method: 'private_key_jwt', key: privateKey, kid: jwk.kid },
      { client_authentication: 'private_key_jwt', jwks: { keys: [jwk] }, token_signing_alg: 'ES256' },
    ),
  }
}

/** How a client authenticates; of one with a secret, the service makes it. */
type Way = Exclude<Authentication, { readonly secret: string }> | 'client_secret_basic' | 'client_secret_post'

type Poster = (path: string, body: Json) => Promise<{ readonly status: number; readonly json: Json }>

async function posterOf(service: Service, { org_domain, organization_domain_scope }: Place): Promise<Poster> {
  const token = await service.token()
  const base = `${service.baseUrl}/api/v2/org/${org_domain}/applications`
  return async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent =
      path === '' && organization_domain_scope !== undefined ? { ...body, organization_domain_scope } : body
    const answer = await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(sent) })
    return { status: answer.status, json: jsonOf(await answer.text()) }
  }
}

const always = {
  name: 'Certification',
  application_type: 'regular_web',
  allowed_redirect_urls: [redirectUri],
  allowed_logout_urls: [postLogoutRedirectUri],
  allowed_origins_cors: [],
  token_signing_alg: 'RS256',
}

async function registered(post: Poster, way: Way, wanted: Json): Promise<RegisteredClient> {
  const { status, json } = await post('', { ...always, ...wanted })
  if (status !== 201) throw new Error(`the client is refused: ${JSON.stringify(json)}`)
  const clientId = textOf(json, 'client_id')
  return {
    clientId,
    alg: wanted['token_signing_alg'] === 'ES256' ? 'ES256' : 'RS256',
    authentication: await authenticationOf(post, clientId, way),
    isPkceOptional: 'pkce' in wanted,
  }
}

async function authenticationOf(post: Poster, clientId: string, way: Way): Promise<Authentication> {
  if (typeof way !== 'string') return way
  const { status, json } = await post(`/${clientId}/secrets`, {})
  if (status !== 201) throw new Error(`the client gets no secret: ${JSON.stringify(json)}`)
  return { method: way, secret: textOf(json, 'value') }
}
