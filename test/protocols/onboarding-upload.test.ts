import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { onboardingGivenOf, uploadIdOf, type OnboardingGiven, pathOf } from '../given/onboarding-given.js'
import { longTest, sampled } from '../sampled.js'
import { idpMetadata } from '../given/sso-given.js'

const service = await startService()
const client = await service.client()
const given = onboardingGivenOf(service, client)

/** Metadata with certificates that are valid at the time of the harness's clock. */
function metadata(members: Parameters<typeof idpMetadata>[0] = {}): string {
  return idpMetadata({ from: service.clock.now(), ...members })
}

/** An administrator whose metadata were sent. */
async function uploaded(sent: Parameters<OnboardingGiven['upload']>[2] = { file: metadata() }) {
  const at = await given.inTutorial()
  return { ...at, page: await given.upload(at.scene, at.visitor, sent) }
}

describe('metadata', () => {
  longTest('of a file are read, shown, and stored when the administrator confirms them', async () => {
    const { scene, visitor } = await given.inTutorial()
    const entityId = 'https://idp.corp.example/metadata'

    const sent = await given.upload(scene, visitor, { file: metadata({ entityId, certificateDays: [700] }) })
    expect(sent.location).toContain('/review')
    const review = await visitor.visit(pathOf(scene, '/review'))
    expect(review.html).toContain(entityId)
    expect(review.html).toContain('<code lang="en">idp.example</code>')
    expect(review.html).toMatch(/([0-9A-F]{2}:<wbr\/>){31}[0-9A-F]{2}</)
    expect(await given.onboardingOf(scene)).toMatchObject({ metadata: [], state: 'it_admin_onboarding' })

    const test = await given.confirm(scene, visitor)
    expect(test.html).toContain('Start the test')
    expect(await given.onboardingOf(scene)).toMatchObject({
      state: 'configured',
      onboarding: { state: 'xml_provided' },
      metadata: [{ version: 1, current: true, entity_id: entityId, uploaded_by: 'sso_admin' }],
    })
  })

  test('can be pasted; that no test has passed, the last page says first, and leads to it', async () => {
    const { scene, visitor } = await uploaded({ xml: metadata() })
    await given.confirm(scene, visitor)
    const { html } = await visitor.visit(pathOf(scene, '/done'))
    expect(html).toContain('<h1 class="pending">Saved, not tested yet</h1>')
    expect(html).toMatch(/<a class="main" href="[^"]+\/test\?ui_locales=en">Test the sign-in/)
    expect(html).not.toContain('connected')
    expect(await given.onboardingOf(scene)).toMatchObject({ onboarding: { state: 'xml_provided' } })
  })

  const refused = [
    [
      'an entity',
      { xml: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>' },
      'must not contain a document type',
    ],
    ['nothing', { xml: '  ' }, 'Choose a file, or paste the XML.'],
    ['in an empty file', { file: '' }, 'This file is empty.'],
    [
      'a certificate',
      { file: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n' },
      'This is only a certificate.',
    ],
    ['no XML', { xml: 'hello' }, 'not a well-formed XML document'],
    ['a page', { file: '<html><body>Sign in</body></html>' }, 'This is a web page'],
    [
      'a file that is no text',
      { file: new Blob([new Uint8Array([0xff, 0xfe, 0, 1])]) },
      'not a well-formed XML',
    ],
  ] as const
  test.each(sampled(refused, 3))(
    'that are %s are refused in a sentence, and nothing is stored',
    async (_, sent, sentence) => {
      const { scene, visitor, page } = await uploaded(sent)

      expect(page.status).toBe(422)
      expect(page.html).toContain(sentence)
      // The content of /etc/passwd, to which the entity refers.
      expect(page.html).not.toContain('root:')
      expect((await visitor.visit(pathOf(scene, '/review'))).url).toContain('/metadata')
      expect(await given.onboardingOf(scene)).toMatchObject({ metadata: [] })
    },
  )

  test('our own are told to be ours', async () => {
    const { scene, visitor } = await given.inTutorial()
    const { html: own } = await visitor.request(pathOf(scene, '/sp-metadata.xml'))
    const page = await given.upload(scene, visitor, { file: own })
    expect(page.html).toContain('metadata of a service provider, perhaps our own')
  })

  test.each([
    ['the form', 520_000, 413],
    ['the request', 700_000, 413],
  ])('that are larger than %s may be are refused before they are read', async (_, size, status) => {
    const { page } = await uploaded({ file: `${metadata()}<!--${'x'.repeat(size)}-->` })
    expect(page.status).toBe(status)
    expect(page.html).toContain('This is too large')
  })

  test('that are old are taken with warnings in words', async () => {
    const { scene, visitor } = await given.inTutorial()
    const dayMs = 24 * 60 * 60 * 1000
    const validUntil = new Date(service.clock.now().getTime() - dayMs)
    await given.upload(scene, visitor, { file: metadata({ certificateDays: [-0.5, 10], validUntil }) })

    const { html } = await visitor.visit(pathOf(scene, '/review'))
    expect(html).toContain('The file has passed its expiry date.')
    expect(html).toContain('A signing certificate has expired.')
    expect(html).toContain('A signing certificate expires within 30 days.')
    expect(html.match(/SHA-256 fingerprint/g)).toHaveLength(2)
  })

  test('of an entity ID that another connection of the organization uses say so, and nothing of others', async () => {
    const entityId = 'https://shared.idp.example/metadata'
    const { scene, visitor } = await given.inTutorial()
    const { id: foreign } = await service.given.organization()
    await given.sso.configured(foreign, { entityId, from: service.clock.now() })
    await given.upload(scene, visitor, { file: metadata({ entityId }) })
    const said = 'Another connection uses metadata with the same entity ID.'
    // Other customers of the operator cannot be found out by trial.
    expect((await visitor.visit(pathOf(scene, '/review'))).html).not.toContain(said)

    const own = await given.sso.configured(scene.organization_id, { entityId, from: service.clock.now() })
    const { html } = await visitor.visit(pathOf(scene, '/review'))
    expect(html).toContain(said)
    expect(html).not.toContain(own.idp_id)
  })

  test('that were pasted and are wrong come back in their field, as text, with what is wrong', async () => {
    const { scene, visitor } = await given.inTutorial()
    // As browsers send the end of a line.
    const broken = '<a>\r\n  </textarea><script>alert("1")</script> & é'
    const { status, html } = await given.upload(scene, visitor, { xml: broken })
    expect(status).toBe(422)
    const [, attributes = '', content = ''] = /<textarea([^>]*)>([\s\S]*?)<\/textarea>/.exec(html) ?? []
    expect(content.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&')).toBe(broken)
    expect(html).not.toContain('<script>alert')
    expect(attributes).toContain('aria-invalid="true"')
    expect(attributes).toContain('aria-describedby="xml-fault"')
    expect(html).toMatch(/<p[^>]* id="xml-fault"[^>]*>This is not a well-formed XML document/)
    expect(html).not.toContain('file-fault')

    // A file takes precedence over pasted text.
    const both = await given.upload(scene, visitor, { file: 'hello', xml: metadata() })
    expect(both.html).toMatch(/<p[^>]* id="file-fault"/)
    expect(both.html).toContain('&lt;md:EntityDescriptor')
    expect(both.html).not.toContain('xml-fault')
  })

  test('come back on no page once they were read, and never those of a file', async () => {
    const { scene, visitor } = await given.inTutorial()
    const marked = metadata().replace(
      '<md:IDPSSODescriptor',
      '<!-- kept to ourselves --><md:IDPSSODescriptor',
    )
    await given.upload(scene, visitor, { xml: marked })
    const review = await visitor.visit(pathOf(scene, '/review'))
    const broken = await given.upload(scene, visitor, { file: `${marked}<kept-to-ourselves` })
    for (const { html } of [review, broken]) {
      expect(html).not.toContain('kept to ourselves')
      expect(html).not.toContain('kept-to-ourselves')
      expect(html).not.toContain('EntityDescriptor xmlns')
    }
  })

  test('that are replaced are another version, which waits for the operator and is tested meanwhile', async () => {
    const { scene, visitor } = await uploaded({ file: metadata({ entityId: 'https://one.idp.example' }) })
    await given.confirm(scene, visitor)
    await given.upload(scene, visitor, { file: metadata({ entityId: 'https://two.idp.example' }) })
    const review = await visitor.visit(pathOf(scene, '/review'))
    expect(review.html).toContain('The connection already has metadata in use.')
    await given.confirm(scene, visitor)

    const { idp_id } = scene.connection
    expect(await given.onboardingOf(scene)).toMatchObject({
      metadata: [
        { version: 2, current: false, entity_id: 'https://two.idp.example' },
        { version: 1, current: true, entity_id: 'https://one.idp.example' },
      ],
    })
    expect((await visitor.visit(pathOf(scene, '/metadata'))).html).toContain('Saved and used for tests.')
    expect((await visitor.visit(pathOf(scene, '/done'))).html).toContain('activate the metadata')
    await client.ssoConnections.useMetadata({ idp_id, version: 2 })
    expect((await visitor.visit(pathOf(scene, '/metadata'))).html).toContain('In use')
  })

  test('are stored once, however often they are confirmed, and not when others were uploaded meanwhile', async () => {
    const { scene, visitor } = await uploaded()
    const first = await visitor.visit(pathOf(scene, '/review'))
    await given.upload(scene, visitor, { file: metadata() })
    const second = await visitor.visit(pathOf(scene, '/review'))

    const stale = await visitor.press(first, 'confirm', { upload_id: uploadIdOf(first) })
    expect(stale.status).toBe(422)
    expect(stale.html).toContain('already replaced or saved')
    const confirm = () => visitor.send(second, 'confirm', { upload_id: uploadIdOf(second) })
    const answers = await Promise.all([confirm(), confirm(), confirm()])

    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 422, 422])
    const { metadata: versions } = await given.onboardingOf(scene)
    expect(versions).toHaveLength(1)
  })

  test('that wait are of their own session and connection', async () => {
    const scene = await given.invitedToAll(2)
    const { visitor, page } = await given.arrived(scene)
    const [one, two] = scene.connections.map((connection) => ({ connection }))
    if (one === undefined || two === undefined) throw new Error('two connections')
    for (const of of [one, two])
      await visitor.press(await visitor.visit(pathOf(of, '/provider')), 'choose', { provider_type: 'okta' })
    await given.upload(one, visitor, { file: metadata() })
    const review = await visitor.visit(pathOf(one, '/review'))

    expect((await visitor.visit(pathOf(two, '/review'))).url).toContain('/metadata')
    const foreign = await visitor.request(pathOf(two, '/review'), {
      method: 'POST',
      headers: { origin: service.baseUrl },
      body: new URLSearchParams({
        csrf: /name="csrf" value="([\w-]+)"/.exec(page.html)?.[1] ?? '',
        action: 'confirm',
        upload_id: uploadIdOf(review),
      }),
    })
    expect(foreign.status).toBe(422)
    expect((await client.ssoConnections.get({ idp_id: two.connection.idp_id })).metadata).toEqual([])
  })

  test('come from our page alone', async () => {
    const { scene, visitor } = await given.inTutorial()
    const evil = { origin: 'https://evil.example' }
    expect((await given.upload(scene, visitor, { file: metadata() }, evil)).status).toBe(403)
    const noForm = await visitor.request(pathOf(scene, '/metadata'), {
      method: 'POST',
      headers: { origin: service.baseUrl, 'content-type': 'multipart/form-data; boundary=x' },
      body: 'no parts at all',
    })
    expect(noForm.status).toBe(403)
  })

  longTest('fix the choice of the product', async () => {
    const { scene, visitor } = await given.inTutorial()
    const before = await visitor.visit(pathOf(scene, '/provider'))
    await given.upload(scene, visitor, { file: metadata() })
    await given.confirm(scene, visitor)

    await visitor.press(before, 'choose', { provider_type: 'adfs' })
    expect(await given.onboardingOf(scene)).toMatchObject({
      provider_type: 'okta',
      onboarding: { provider_type: 'okta', state: 'xml_provided' },
    })
    expect((await visitor.visit(pathOf(scene, '/provider'))).html).toContain('can no longer be changed here')
    // Everything can be looked at again.
    for (const part of ['tutorial', 'metadata', 'test', 'done'])
      expect(new URL((await visitor.visit(pathOf(scene, `/${part}`))).url).pathname).toBe(
        pathOf(scene, `/${part}`),
      )
  })

  test('are not stored for an onboarding that has begun anew', async () => {
    const scene = await given.invitedToAll(1)
    const { visitor } = await given.arrived(scene)
    const [connection] = scene.connections
    if (connection === undefined) throw new Error('a connection')
    const of = { connection }
    await visitor.press(await visitor.visit(pathOf(of, '/provider')), 'choose', { provider_type: 'okta' })
    await given.upload(of, visitor, { file: metadata() })
    const review = await visitor.visit(pathOf(of, '/review'))
    await client.ssoConnections.resetOnboarding({ idp_id: connection.idp_id })
    expect((await visitor.press(review, 'confirm', { upload_id: uploadIdOf(review) })).status).not.toBe(500)

    // Also not once somebody has chosen a product again.
    await visitor.press(await visitor.visit(pathOf(of, '/provider')), 'choose', { provider_type: 'okta' })
    await visitor.press(review, 'confirm', { upload_id: uploadIdOf(review) })
    expect((await given.onboardingOf(of)).metadata).toEqual([])
  })
})

describe('a session that ends', () => {
  async function leftovers(organizationId: string) {
    return service.query(
      `select from sso_admin_sessions where organization_id = $1 and ended_at is not null
         and (code_sealed is not null or upload_id is not null or upload_xml is not null)`,
      [organizationId],
    )
  }

  test.each([
    ['another invitation', (idp_id: string) => client.ssoConnections.inviteAdmin({ idp_id })],
    ['a reset', (idp_id: string) => client.ssoConnections.resetOnboarding({ idp_id })],
    [
      'another address',
      (idp_id: string) =>
        client.ssoConnections.updateOnboarding({ idp_id, sso_admin_email: 'other@corp.example' }),
    ],
  ])('by %s keeps neither its code nor what was uploaded', async (_, end) => {
    const { scene } = await uploaded()
    await given.atCode(scene)

    await end(scene.connection.idp_id)

    expect(await leftovers(scene.organization_id)).toEqual([])
    const [{ count } = { count: '' }] = await service.query<{ count: string }>(
      'select count(*) from sso_admin_sessions where organization_id = $1 and ended_at is not null',
      [scene.organization_id],
    )
    expect(Number(count)).toBe(2)
  })
})
