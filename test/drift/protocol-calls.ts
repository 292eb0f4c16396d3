import { openMagicLink } from '@portico/sdk'
import type { Service } from '../given/harness.js'
import { createWorld, signIn } from '../given/world.js'

/** The arguments of an SDK method. */
export interface ProtocolCall {
  readonly input: object
  readonly options?: { readonly headers: Readonly<Record<string, string>> }
}

interface Key {
  readonly client_id: string
  readonly client_secret: string
  readonly domain: string
}

/**
 * A successful call of each protocol operation, by name: sample requests cannot succeed, because they would need
 * a valid token.
 */
export async function protocolCalls(
  service: Service,
  { client_id, client_secret, domain }: Key,
): Promise<(name: string) => Promise<ProtocolCall>> {
  const client = await service.client()
  const { org_domain = '', user_email = '' } = await createWorld(service)
  const credentials = { client_id, client_secret }

  async function code(): Promise<string> {
    const of = { org_domain, user_email, send_email: false, scope: 'openid offline_access' }
    const { magic_link } = await client.magicLink.createChallenge(of)
    return (await openMagicLink(magic_link ?? '')).code
  }
  const refreshToken = async () => {
    const tokens = await client.oauth.token({ grant_type: 'authorization_code', code: await code() })
    return 'refresh_token' in tokens ? (tokens.refresh_token ?? '') : ''
  }
  const token = () => signIn(client, { org_domain, user_email })
  const bearer = async () => ({ headers: { authorization: `Bearer ${await token()}` } })

  const calls: Readonly<Record<string, () => Promise<ProtocolCall>>> = {
    'oauth.apiToken': async () => ({
      input: { grant_type: 'client_credentials', ...credentials, domain },
    }),
    'oauth.token': async () => ({ input: { grant_type: 'authorization_code', code: await code() } }),
    'oauth.organizationToken': async () => ({
      input: { org_domain, grant_type: 'authorization_code', code: await code() },
    }),
    'oauth.revoke': async () => ({ input: { token: await refreshToken(), ...credentials } }),
    'oauth.organizationRevoke': async () => ({
      input: { org_domain, token: await refreshToken(), ...credentials },
    }),
    'oauth.introspect': async () => ({ input: { token: await token(), ...credentials } }),
    'oauth.organizationIntrospect': async () => ({
      input: { org_domain, token: await token(), ...credentials },
    }),
    'oidc.discovery': async () => ({ input: { org_domain } }),
    'oidc.discoveryAtRoot': async () => ({ input: { org_domain } }),
    'oidc.serverMetadata': async () => ({ input: { org_domain } }),
    'oidc.serverMetadataAtRoot': async () => ({ input: { org_domain } }),
    'oidc.keySet': async () => ({ input: { org_domain } }),
    'oidc.userInfo': async () => ({ input: { org_domain }, options: await bearer() }),
    'oidc.postUserInfo': async () => ({ input: { org_domain }, options: await bearer() }),
  }
  return async (name) => {
    const call = calls[name]
    if (call === undefined) throw new Error(`nothing says how ${name} succeeds`)
    return call()
  }
}
