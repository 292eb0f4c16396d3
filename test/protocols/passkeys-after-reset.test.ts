import { expect, test } from 'vitest'
import { isIn, type FlowScene } from '../given/flow-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const { flows } = given
const links = flowLinkGivenOf(service, client, flows)

/** A user who has proved their mailbox, with a passkey. */
async function withNamedPasskey(): Promise<FlowScene> {
  const { scene, visitor, link } = await links.linkSent()
  await links.open(link, visitor)
  await given.withPasskey(scene)
  const { org_domain, user } = scene
  const [passkey] = await given.passkeysOf(scene)
  await client.passkeys.update({
    ...{ org_domain, user_id: user.id, passkey_id: passkey?.id ?? '', name: 'Key in the drawer' },
  })
  return scene
}

/** The answer to a new password, after the link of a sign-in that its user has begun. */
async function reset(scene: FlowScene) {
  const { visitor, link } = await links.linkSent(scene, { action: 'forgot_password' })
  const opened = await links.open(link, visitor)
  const form = await visitor.visit(opened.location ?? '')
  const password_code = new URL(form.url).searchParams.get('password_code') ?? ''
  const password = 'another passphrase 7'
  return { visitor, set: await visitor.send(form, 'set_password', { password, password_code }) }
}

test('the page after a new password and its mail list the passkeys that still work', async () => {
  const scene = await withNamedPasskey()

  const { visitor, set } = await reset(scene)

  expect(set.status).toBe(200)
  expect(set.html).toContain('Key in the drawer')
  expect(set.html).toContain(`href="/t/${scene.org_domain}/account/passkeys?environment=sandbox"`)
  const next = /class="second" href="([^"]*)"/.exec(set.html)?.[1]
  expect(isIn(await visitor.visit(next ?? ''))).toBe(true)
  await service.runJobs()
  const { data: mails } = await client.outbox.list({ to: scene.user.email })
  expect(mails[0]?.text).toContain('These passkeys of your account still work: Key in the drawer.')
})

test('no page comes after a new password where passkeys are off', async () => {
  const scene = await withNamedPasskey()
  await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })

  expect((await reset(scene)).set.status).toBe(303)
})
