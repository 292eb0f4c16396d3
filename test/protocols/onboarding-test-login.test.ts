import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import { onboardingGivenOf, type OnboardingScene, pathOf } from '../given/onboarding-given.js'
import { requestIdIn, startIdentityProvider } from '../given/saml-identity-provider.js'
import { leadOf } from '../given/saml-given.js'
import { createVisitor, type Visitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = onboardingGivenOf(service, client)

describe('the test', () => {
  async function atTest() {
    const { scene, visitor } = await given.inTutorial()
    const idp = await startIdentityProvider(service.clock)
    await given.upload(scene, visitor, { file: idp.metadata() })
    await given.confirm(scene, visitor)
    return { scene, visitor, idp }
  }

  /** Signs in at the identity provider, and comes back with what it says. */
  async function comeBack(
    { connection }: OnboardingScene,
    visitor: Visitor,
    idp: Awaited<ReturnType<typeof startIdentityProvider>>,
    said: Parameters<typeof idp.respond>[1],
  ) {
    const start = await visitor.request(`/onboarding/${connection.idp_id}/test/start`)
    const requestId = requestIdIn(start.location)
    const samlResponse = idp.respond({ ...connection, requestId }, said)
    const hop = await createVisitor(service.baseUrl).request(new URL(connection.acs_url).pathname, {
      method: 'POST',
      headers: { origin: 'https://idp.example' },
      body: new URLSearchParams({ SAMLResponse: samlResponse }),
    })
    return visitor.visit(leadOf(hop))
  }

  longTest('shows what has arrived and who would sign in, and makes nobody', async () => {
    const { scene, visitor, idp } = await atTest()
    const said = {
      nameId: 'ada@corp.example',
      attributes: { email: ['ada@corp.example'], first_name: ['Ada'] },
    }

    const page = await comeBack(scene, visitor, idp, said)

    expect(page.html).toContain('The test has passed')
    expect(page.html).toContain('ada@corp.example')
    expect(page.html).toMatch(/Given name<\/dt><dd><bdi>Ada/)
    expect(page.html).toMatch(/first_name<\/th><td lang="en">Ada/)
    expect(page.html).toContain('signature')
    expect((await client.users.list({ org_domain: scene.org_domain })).data).toEqual([])
    expect(await given.onboardingOf(scene)).toMatchObject({ state: 'tested' })
    expect((await visitor.visit(pathOf(scene, '/test'))).html).toContain('Passed')
  })

  test('that fails names the check, what was expected and received, who mends it and how', async () => {
    const { scene, visitor, idp } = await atTest()
    const page = await comeBack(scene, visitor, idp, { audience: 'https://other.example' })

    expect(page.html).toContain('The test has failed')
    expect(page.html).toContain('<code lang="en">audience</code>')
    expect(page.html).toContain(scene.connection.sp_id)
    expect(page.html).toContain('https://other.example')
    expect(page.html).toContain('You, in the console of your identity provider.')
    expect(page.html).toContain('Enter the entity ID of this connection')
    const french = await visitor.visit(`${page.url}?ui_locales=fr`)
    expect(french.html).toContain('Le test a échoué')
    expect(french.html).toContain('Saisir l’identifiant d’entité de cette connexion')
  })

  test('is against what was uploaded last, and not against what is in use', async () => {
    const { scene, visitor } = await atTest()
    const other = await startIdentityProvider(service.clock, 'other')
    await given.upload(scene, visitor, { file: other.metadata() })
    await given.confirm(scene, visitor)

    const page = await comeBack(scene, visitor, other, { nameId: 'ada@corp.example' })
    expect(page.html).toContain('The test has passed')
  })

  longTest('of another connection is not there', async () => {
    const one = await atTest()
    const other = await atTest()
    const page = await comeBack(one.scene, one.visitor, one.idp, { nameId: 'ada@corp.example' })
    const id = new URL(page.url).pathname.split('/').at(-1) ?? ''

    const foreign = await other.visitor.visit(pathOf(other.scene, `/test/${id}`))
    expect(foreign.status).toBe(404)
    expect(foreign.html).not.toContain('ada@corp.example')
    expect((await createVisitor(service.baseUrl).visit(page.url)).status).toBe(401)
  })

  test('does not begin for what only looks', async () => {
    const { scene, visitor } = await atTest()
    const looks = [{ method: 'HEAD' }, { headers: { 'sec-purpose': 'prefetch' } }]
    for (const look of looks)
      expect((await visitor.request(pathOf(scene, '/test/start'), look)).status).toBe(204)
  })
})
