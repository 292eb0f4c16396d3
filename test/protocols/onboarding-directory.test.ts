import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { onboardingGivenOf } from '../given/onboarding-given.js'
import { scimGivenOf, scimProvider } from '../given/scim-given.js'
import { createVisitor, withoutReference, type Seen } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = onboardingGivenOf(service, client)
const scim = scimGivenOf(client)

const path = '/onboarding/directory-sync/sandbox'

/** An administrator of an organization with a directory. */
async function withDirectory() {
  const scene = await given.invitedToAll(1)
  const { org_domain } = scene
  const made = await scim.directory({ org_domain, provider_type: 'okta' })
  const { visitor, page } = await given.arrived(scene)
  return { ...scene, ...made, visitor, list: page }
}

function versionIn({ html }: Seen): string {
  return /name="version" value="(\d+)"/.exec(html)?.[1] ?? ''
}

function idOf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'id' in body ? String(body.id) : ''
}

function secretIn({ html }: Seen): string | undefined {
  return /scimsandbox_\w+/.exec(html)?.[0]
}

describe('the page of a directory', () => {
  test('is led to from the list, and has the steps and the base URL, and no secret', async () => {
    const of = await withDirectory()
    expect(of.list.html).toContain(path)
    const page = await of.visitor.visit(path)
    expect(page.status).toBe(200)
    expect(page.html).toContain('Okta')
    expect(page.html).toContain(of.directory.scim_base_url)
    expect(page.html).toContain(of.directory.auth_secret_token.hint)
    expect(secretIn(page)).toBeUndefined()
  })

  test('suggests what else to map, and lists the names of what was sent, and no values', async () => {
    const of = await withDirectory()
    await client.tokenCustomization.createMetaKey({
      org_domain: of.org_domain,
      name: 'job',
      type: 'string',
      required: false,
    })
    await client.directorySync.update({
      org_domain: of.org_domain,
      attribute_mapping: [{ from: 'title', to: 'metadata.job' }],
    })
    const { html: before } = await of.visitor.visit(path)
    expect(before).toContain('user.department')
    expect(before).not.toContain('Attributes that your provider sends')
    await of.scim('POST', '/Users', {
      body: {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName: 'ada@corp.example',
        title: 'Countess of Lovelace',
        nickName: 'The Enchantress',
      },
    })
    const { html } = await of.visitor.visit(path)
    expect(html).toMatch(/<code lang="en">nickName<\/code>\s*<\/li>/)
    expect(html).toMatch(/<code lang="en">title<\/code>\s*<span class="tag">Passed on to the application/)
    expect(html).not.toContain('Countess of Lovelace')
    expect(html).not.toContain('The Enchantress')
  })

  test('is led to from the end of a connection of its environment', async () => {
    const scene = await given.invitedToAll(1)
    const idp_id = scene.connections[0]?.idp_id ?? ''
    const { visitor } = await given.arrived(scene)
    await visitor.press(await visitor.visit(`/onboarding/${idp_id}`), 'choose', { provider_type: 'test' })
    const done = `/onboarding/${idp_id}/done`
    expect((await visitor.visit(done)).html).not.toContain(path)
    expect((await visitor.visit(path)).status).toBe(404)
    await scim.directory({ org_domain: scene.org_domain })
    expect((await visitor.visit(done)).html).toContain(path)
    expect((await visitor.visit(path)).status).toBe(200)
  })

  test('is not there for whoever is invited to one connection, as one that is not there at all', async () => {
    const scene = await given.invited({ provider_type: 'test' })
    const { visitor } = await given.arrived(scene)
    const none = await visitor.visit(path)
    const said = ({ status, html }: Seen) => ({ status, html: withoutReference(html) })
    expect(none.status).toBe(404)
    const { scim: ask } = await scim.directory({ org_domain: scene.org_domain })
    const page = await visitor.visit(path)
    expect(said(page)).toEqual(said(none))

    const done = await visitor.visit(`/onboarding/${scene.connection.idp_id}/done`)
    expect(done.status).toBe(200)
    expect(done.html).not.toContain(path)
    const form = { ...done, html: done.html.replaceAll(/ action="[^"]*"/g, ` action="${path}"`) }
    const sent = await visitor.send(form, 'make_secret', { version: '1' })
    expect(said(sent)).toEqual(said(none))
    const { previous_secret_expires_at } = await client.directorySync.get({ org_domain: scene.org_domain })
    expect(previous_secret_expires_at).toBeNull()
    expect((await ask('GET', '/ServiceProviderConfig')).status).toBe(200)
  })

  test('makes a secret that works, shows it once, and leaves the one before for 24 hours', async () => {
    const of = await withDirectory()
    const page = await of.visitor.visit(path)
    const made = await of.visitor.press(page, 'make_secret', { version: versionIn(page) })
    const secret = secretIn(made) ?? ''
    expect(made.headers.get('cache-control')).toContain('no-store')
    expect(secretIn(await of.visitor.visit(path))).toBeUndefined()

    const base = of.directory.scim_base_url
    expect((await scimProvider(base, secret)('GET', '/ServiceProviderConfig')).status).toBe(200)
    expect((await of.scim('GET', '/ServiceProviderConfig')).status).toBe(200)
    const { data } = await client.events.list({})
    expect(data.find(({ code }) => code === 'dir_sync.directory.reset.success')).toMatchObject({
      actor: { type: 'admin' },
    })
    expect(JSON.stringify(data)).not.toContain(secret)
  })

  test('makes one secret, however often its form is sent', async () => {
    const of = await withDirectory()
    const page = await of.visitor.visit(path)
    const version = versionIn(page)
    const sent = Array.from({ length: 5 }, () => of.visitor.send(page, 'make_secret', { version }))
    const answers = await Promise.all(sent)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    expect(answers.filter((answer) => secretIn(answer) !== undefined)).toHaveLength(1)
    expect((await of.scim('GET', '/ServiceProviderConfig')).status).toBe(200)
    for (const odd of ['', '1e99', '-1', 'x'])
      expect((await of.visitor.send(page, 'make_secret', { version: odd })).status).toBe(409)
  })

  test('shows the last requests, and why one was refused', async () => {
    const of = await withDirectory()
    await of.scim('GET', '/ServiceProviderConfig')
    const nobody = '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46'
    await of.scim('GET', `/Users/${nobody}`)
    const { html } = await of.visitor.visit(path)
    expect(html).toContain('GET /ServiceProviderConfig · 200')
    expect(html).toMatch(new RegExp(`Refused</span><code[^>]*>GET /Users/${nobody} · 404`))
    expect(html).toContain('There is no user or group with this ID')
    const french = await of.visitor.visit(`${path}?ui_locales=fr`)
    expect(french.html).toContain('Aucun utilisateur ni groupe n’a cet identifiant')
  })

  test('names whom a request is about: who is there, and who was asked for or refused', async () => {
    const of = await withDirectory()
    const subjects = async () => {
      const { html } = await of.visitor.visit(path)
      const requests = [
        ...html.matchAll(/· (\d{3})<\/code><time[^>]*>[^<]*<\/time>(?:<p class="about">([^<]*)<\/p>)?/g),
      ]
      return requests.map(([, status, subject]) => `${status} ${subject}`)
    }
    const { body: user } = await of.scim('POST', '/Users', {
      body: { userName: 'ada@awesome.example', displayName: '<b>Ada' },
    })
    const userId = idOf(user)
    await of.scim('POST', '/Users', { body: { userName: 'Ada@awesome.example' } })
    await of.scim('GET', '/Users?filter=userName%20eq%20%22grace%22')
    const { body: group } = await of.scim('POST', '/Groups', { body: { displayName: 'R&D <1>' } })
    await of.scim('GET', `/Groups/${idOf(group)}`)
    await of.scim('GET', `/Groups/${'-'.repeat(36)}`)
    expect(await subjects()).toEqual([
      '404 undefined',
      '200 R&amp;D &lt;1>',
      '201 R&amp;D &lt;1>',
      '200 userName eq &quot;grace&quot;',
      '409 Ada@awesome.example',
      '201 ada@awesome.example',
    ])

    await of.scim('DELETE', `/Groups/${idOf(group)}`)
    await client.users.delete({ org_domain: of.org_domain, user_id: userId })
    expect((await subjects()).slice(0, 3)).toEqual(['204 undefined', '404 undefined', '200 undefined'])
  })

  test('is there neither without an invitation nor for another organization', async () => {
    const of = await withDirectory()
    expect((await createVisitor(service.baseUrl).visit(path)).status).toBe(401)
    const other = await given.arrived(await given.invitedToAll(1))
    expect((await other.visitor.visit(path)).status).toBe(404)
    const page = await of.visitor.visit(path)
    const forged = await other.visitor.send(page, 'make_secret', { version: versionIn(page) })
    expect(forged.status).toBe(404)
    expect((await of.visitor.visit('/onboarding/directory-sync/production')).status).toBe(404)
    expect((await of.visitor.visit('/onboarding/directory-sync/nowhere')).status).toBe(404)
  })

  test('does nothing for a form that another site has sent', async () => {
    const of = await withDirectory()
    const page = await of.visitor.visit(path)
    const fields = { version: versionIn(page) }
    const sent = await of.visitor.send(page, 'make_secret', fields, { origin: 'https://evil.example' })
    expect(sent.status).toBe(403)
    expect(versionIn(await of.visitor.visit(path))).toBe(fields.version)
  })

  test('an administrator of production reaches the sandbox, one of the sandbox no production', async () => {
    const production = await service.client({ environment: 'production' })
    const scene = await given.invitedToAll(1)
    await production.directorySync.create({ org_domain: scene.org_domain, provider_type: 'entra_id' })
    const { visitor, page } = await given.arrived(scene)
    expect(page.html).not.toContain('directory-sync/production')
    expect((await visitor.visit('/onboarding/directory-sync/production')).status).toBe(404)
  })
})
