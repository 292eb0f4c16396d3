import { expect, test } from 'vitest'
import { answerOf } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { startOidcIdentityProvider } from '../given/oidc-identity-provider.js'
import { oidcGivenOf } from '../given/oidc-given.js'
import { ssoGivenOf } from '../given/sso-given.js'
import { leadOf } from '../given/saml-given.js'
import { createVisitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = oidcGivenOf(service, client)

test('a provider that we have not written, in its own process, signs a user in by a custom_oidc connection, and nobody else as them', async () => {
  const { domain: org_domain, id: organization_id } = await service.given.organization()
  const application = await ssoGivenOf(client).application(org_domain, 'https://store.example/callback')
  const { idp_id, oidc_redirect_uri } = await client.ssoConnections.create({
    organization_id,
    provider_type: 'custom_oidc',
    email_domains: ['people.example'],
  })
  const idp = await startOidcIdentityProvider({
    client_id: 'portico',
    client_secret: 'a secret of 32 characters, or so',
    redirect_uris: [oidc_redirect_uri],
  })
  await client.ssoConnections.update({ idp_id, ...idp.settings })
  const email = anyEmail()

  const enter = async (login: string, visit: string) => {
    const visitor = createVisitor(service.baseUrl)
    const page = await visitor.visit(
      given.flows.authorizeUrl({ org_domain, application }, { idp_hint: idp_id, state: visit }),
    )
    const sent = await visitor.request(leadOf(page))
    return visitor.visit(await idp.signIn(sent.location ?? '', login))
  }

  for (const visit of ['first', 'second']) {
    const landed = await enter(`ada ${email}`, visit)
    expect(Object.fromEntries(answerOf(landed))).toMatchObject({
      code: expect.stringMatching(/./),
      state: visit,
    })
  }

  const other = await enter(`mallory ${email}`, 'third')
  expect([other.status, other.location]).toEqual([403, null])

  const { data: users } = await client.users.list({ org_domain })
  expect(users).toMatchObject([
    {
      email,
      email_verified: true,
      profile: { name: 'Ada Lovelace' },
      identities: [{ idp_id, provider: 'oidc.custom_oidc', data: { sub: `ada ${email}` } }],
    },
  ])
  expect(await client.ssoConnections.get({ idp_id })).toMatchObject({ state: 'tested' })
}, 60_000)
