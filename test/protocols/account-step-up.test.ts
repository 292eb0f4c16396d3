import { accountPageIds } from '@portico/contract/sessions'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import type { Seen } from '../given/visitor.js'
import { mfa } from './enrolling-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const { flows } = given

const why = 'To change your account, confirm that it is you.'
const whyPasskey = 'To change your account, use a passkey that you have added to it.'
const withPasskey = 'Use a passkey that you have added to your account.'
const staleMinutes = 11

function addressOf({ org_domain }: { readonly org_domain: string }, section = 'password'): string {
  return `/t/${org_domain}/account/${section}?environment=sandbox`
}

/** Where a page leads back to the account page, in the language of its link. */
function backOn({ html }: Seen, label = 'Back to your account'): string | undefined {
  return new RegExp(`<a href="([^"]+)">${label}</a>`).exec(html)?.[1]?.replaceAll('&amp;', '&')
}

describe('the sign-in that the account page begins', () => {
  test('is one to the account of the user, and says nothing of a change where nobody is signed in', async () => {
    const scene = await flows.scene()
    const visitor = flows.visitorOf()

    const page = await visitor.visit(addressOf(scene))
    const inFrench = await visitor.visit(`${page.url}?ui_locales=fr`)

    expect(page.html).toContain('<h1>Sign in to your account</h1>')
    expect(page.html).not.toContain(why)
    expect(inFrench.html).toContain('<h1>Se connecter à votre compte</h1>')
  })

  test('says why on its first page, and on no later one, to who has signed in a while ago', async () => {
    const scene = await flows.scene()
    const visitor = flows.visitorOf()
    const shown = await given.signInAt(visitor, await visitor.visit(addressOf(scene)), scene)
    await service.clock.advance(staleMinutes * 60)

    const page = await visitor.visit(addressOf(scene))
    const wrong = await visitor.press(page, 'identify', { email: 'nobody' })
    const next = await visitor.press(page, 'identify', { email: scene.user.email })
    const late = await visitor.press(shown, 'set_password', { password: 'a boat with nineteen sails' })

    for (const one of [page, wrong, late]) expect(one.html).toContain(why)
    expect(next.html).toContain('name="password"')
    expect(next.html).not.toContain(why)
    const inFrench = await visitor.visit(`${late.url}?ui_locales=fr`)
    expect(inFrench.html).toContain('Pour modifier votre compte, confirmez que c’est vous.')
  })

  test('says why where a session takes the passkey in addition, in one sentence', async () => {
    const { scene } = await given.withPasskey()
    await client.sessions.endAll({ org_domain: scene.org_domain, user_id: scene.user.id })
    const { visitor } = await flows.signIn(scene)

    const page = await visitor.visit(addressOf(scene, 'passkeys'))

    expect(page.html).toContain('<h1>Confirm that it is you</h1>')
    expect(page.html.split(whyPasskey)).toHaveLength(2)
    for (const again of [why, withPasskey]) expect(page.html).not.toContain(again)
    const inFrench = await visitor.visit(`${page.url}?ui_locales=fr`)
    expect(inFrench.html).toContain(
      'Pour modifier votre compte, utilisez une clé d’accès que vous y avez ajoutée.',
    )
  })

  test('leads back to the account page, as it was come to, where a session takes the passkey or a code in addition', async () => {
    const { scene } = await given.withPasskey()
    const { org_domain, user, application } = scene
    const [returnTo = ''] = application.allowed_redirect_urls
    const { visitor } = await flows.signIn(scene)
    await flows.totp.activate(org_domain)
    await flows.totp.enroll({ org_domain, user_id: user.id })
    const from = new URLSearchParams({ client_id: application.client_id, return_to: returnTo })
    const page = await visitor.visit(`${addressOf(scene, 'passkeys')}&${from.toString()}`)
    expect(page.html).toContain('data-passkey="get"')

    const first = await visitor.visit(backOn(page) ?? '')

    expect(first).toMatchObject({ status: 200, url: expect.stringContaining(`/t/${org_domain}/account?`) })
    expect(first.html).toContain(`Back to ${application.name}`)
    const inFrench = await visitor.visit(`${page.url}?ui_locales=fr`)
    const firstInFrench = await visitor.visit(backOn(inFrench, 'Retour à votre compte') ?? '')
    expect(firstInFrench.html).toContain('<h1>Votre compte</h1>')
    await client.passkeys.updateConnection({ org_domain, active: false })
    const withCode = await visitor.visit(page.url)
    expect(withCode.html).toContain('name="code"')
    expect((await visitor.visit(backOn(withCode) ?? '')).html).toContain('<h1>Your account</h1>')
  })

  test('has no button that tells the application of a refusal, whatever it demands', async () => {
    const { scene } = await given.withPasskey()
    const { org_domain, user } = scene
    const [passkey] = await given.passkeysOf(scene)
    const { visitor } = await flows.signIn(scene)
    const ofAccount = {
      client_id: accountPageIds.sandbox,
      redirect_uri: `${service.baseUrl}/account/signed-in`,
    }
    const asked = await flows.begin(scene, { ...ofAccount, acr_values: 'phr' }, visitor)
    const afterAsked = await visitor.press(asked.page, 'cancel')
    await service.clock.advance(staleMinutes * 60)
    const first = await visitor.visit(addressOf(scene, 'passkeys'))
    await client.passkeys.delete({ org_domain, user_id: user.id, passkey_id: passkey?.id ?? '' })
    const adding = await given.signInAt(visitor, first, scene)
    const afterAdding = await visitor.press(adding, 'cancel')

    for (const page of [asked.page, afterAsked]) expect(page.html).toContain('data-passkey="get"')
    for (const page of [adding, afterAdding]) expect(page.html).toContain('data-passkey="create"')
    for (const { html, url } of [asked.page, afterAsked, adding, afterAdding]) {
      expect(html).not.toContain('value="cancel"')
      expect(url).toContain(`/t/${org_domain}/sign-in/`)
    }
  })

  test('says so in no sign-in of an application, however fresh it wants that', async () => {
    const { scene } = await given.withPasskey()
    const { visitor } = await flows.signIn(scene)
    for (const members of [{ max_age: '0' }, { prompt: 'login' }, mfa]) {
      const { page } = await flows.begin(scene, members, visitor)
      for (const words of [why, whyPasskey, 'Sign in to your account']) expect(page.html).not.toContain(words)
      expect(backOn(page)).toBeUndefined()
    }
  })
})
