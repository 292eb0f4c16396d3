// A third-party OpenID provider in a process of its own: oidc-provider with its development pages.
// Its parameter is JSON: { port, client_id, client_secret, redirect_uris }. It prints a line once it listens.
import process from 'node:process'
import Provider from 'oidc-provider'

const { port, ...client } = JSON.parse(process.argv[2])
const issuer = `http://127.0.0.1:${port}`

const provider = new Provider(issuer, {
  clients: [{ ...client, grant_types: ['authorization_code'], response_types: ['code'] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
  cookies: { keys: ['of a test'] },
  features: { devInteractions: { enabled: true } },
  pkce: { required: () => true },
  // The login `mallory ada@awesome.example` signs in the subject mallory with that address, to test that subjects identify users.
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      email: id.split(' ').at(-1),
      email_verified: true,
      given_name: 'Ada',
      family_name: 'Lovelace',
    }),
  }),
})

provider.listen(port, '127.0.0.1', () => process.stdout.write('listening\n'))
