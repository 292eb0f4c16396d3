// oidc-provider with all it keeps in memory, and a client whose tokens are signed with ES256. Parameters: the port, and the client as
// JSON.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import process from 'node:process'
import Provider from 'oidc-provider'

const [port, client] = process.argv.slice(2)
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      ...JSON.parse(client),
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'https://api.example',
      getResourceServerInfo: () => ({
        scope: 'read:users write:users',
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3600,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
})

const handle = provider.callback()
const server = createServer((req, res) => {
  if (req.url === '/readyz') res.end()
  else handle(req, res)
})
server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
