import type { Application, Client } from '@portico/sdk'
import type { Service } from '../given/harness.js'
import { codeGivenOf, type Scene } from './code-given.js'

/** A nonce that binds a code in the place of a challenge. */
export const longNonce = 'n-0123456789abcdef'

export const basicOf = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })

/** An application that authenticates by a secret. */
export interface SecretScene extends Scene {
  readonly credentials: { readonly client_id: string; readonly client_secret: string }
}

/** Applications that authenticate, and codes for them. */
export function confidentialGivenOf(service: Service, client: Client) {
  const codes = codeGivenOf(service, client)

  function scene(members: Partial<Application> = {}): Promise<Scene> {
    return codes.scene({
      application_type: 'regular_web',
      client_authentication: 'secret',
      // A key of RS256 for each organization would take most of the time.
      token_signing_alg: 'ES256',
      ...members,
    })
  }

  async function secretOf({ org_domain, application }: Scene): Promise<string> {
    const { client_id } = application
    return (await client.applicationSecrets.create({ org_domain, client_id })).value ?? ''
  }

  return {
    scene,
    secretOf,

    async withSecret(members: Partial<Application> = {}): Promise<SecretScene> {
      const of = await scene(members)
      const client_secret = await secretOf(of)
      return { ...of, credentials: { client_id: of.application.client_id, client_secret } }
    },

    code(of: Scene, members: Parameters<typeof codes.code>[1] = {}): Promise<string> {
      return codes.code(of, { nonce: longNonce, scope: 'openid offline_access', ...members })
    },
  }
}
