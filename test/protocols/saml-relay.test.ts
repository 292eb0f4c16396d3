import { openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { oidcGivenOf, type OidcScene } from '../given/oidc-given.js'
import { arriveBy, partnerCallback, relayGivenOf } from '../given/relay-given.js'
import { samlGivenOf, type SamlScene } from '../given/saml-given.js'
import { pkcePair, type Seen } from '../given/visitor.js'
import { exchangeLanded } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)
const openId = oidcGivenOf(service, client)

function carry(scene: SamlScene, email: string) {
  return carryBy(scene, email, (members) => given.signIn(scene, { nameId: email }, members))
}

function carryByOpenId(scene: OidcScene, email: string) {
  const claims = { sub: email, email, email_verified: true }
  return carryBy(scene, email, (members) => openId.signIn(scene, claims, {}, members))
}

/** Signs a user in by SSO with an address, and hands the user over to a partner. */
async function carryBy(
  scene: Pick<SamlScene, 'org_domain' | 'application'>,
  email: string,
  signIn: (members: Record<string, string>) => Promise<{ readonly landed: Seen }>,
) {
  const { verifier, challenge } = pkcePair()
  const { landed } = await signIn({ code_challenge: challenge })
  const { body } = await exchangeLanded(service, landed, scene, verifier)
  const { domain: partner_domain } = await service.given.organization()
  await service.given.application({
    org_domain: partner_domain,
    organization_domain_scope: partner_domain,
    allowed_redirect_urls: [partnerCallback],
  })
  const relay = await client.relays.create({ partner_domain, partner_redirect_uri: partnerCallback })
  const access_token = body.access_token ?? ''
  const carryAgain = async () => arriveBy(await relayGivenOf(client).address({ relay, access_token }))
  await carryAgain()
  const userOf = (org_domain: string) => client.users.getByEmail({ org_domain, user_email: email })
  return { partner_domain, carryAgain, user: await userOf(partner_domain), userOf }
}

describe('an address that an identity provider says of somebody', () => {
  longTest('is not verified at a partner, where its owner ends what others have with it', async () => {
    const scene = await given.scene()
    const email = `${anything()}@elsewhere.example`
    const { partner_domain: org_domain, carryAgain, user, userOf } = await carry(scene, email)
    expect((await userOf(scene.org_domain)).email_verified).toBe(true)
    expect(user.email_verified).toBe(false)

    const { magic_link } = await client.magicLink.createChallenge({
      org_domain,
      user_email: email,
      send_email: false,
    })
    await openMagicLink(magic_link ?? '')
    expect(await userOf(org_domain)).toMatchObject({ id: user.id, email_verified: true, identities: [] })
    expect(await carryAgain()).toMatchObject({ status: 409, code: null })
  })

  test('is verified at a partner where its domain is the organization’s, or the connection’s', async () => {
    const domain = `${anything()}.example`
    const ofOrganization = await given.scene({}, { allowed_email_domains: [domain] })
    const ofConnection = await given.scene({ email_domains: [domain] })
    for (const scene of [ofOrganization, ofConnection])
      expect((await carry(scene, `ada@${domain}`)).user.email_verified).toBe(true)
  })

  test('is not verified at a partner where an OpenID provider has said it of a domain that is not its own', async () => {
    const domain = `${anything()}.example`
    const ofNobody = await carryByOpenId(await openId.scene(), `eve@${domain}`)
    expect(ofNobody.user.email_verified).toBe(false)

    const ofConnection = await carryByOpenId(await openId.scene({ email_domains: [domain] }), `ada@${domain}`)
    expect(ofConnection.user.email_verified).toBe(true)
  })
})
