import type { Client } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { onboardingGivenOf, type OnboardingGiven } from '../given/onboarding-given.js'
import { idpMetadata } from '../given/sso-given.js'

let service: Service
let sandbox: Client
let production: Client
let given: OnboardingGiven

beforeAll(async () => {
  // Production mails are sent, while those of the sandbox are stored in its outbox.
  service = await startService({ variables: { SMTP_URL: 'smtp://localhost' } })
  sandbox = await service.client()
  production = await service.client({ environment: 'production' })
  given = onboardingGivenOf(service, production, mailedTo)
})

/** The mails sent to an address, newest first. */
async function mailedTo(to: string): Promise<string[]> {
  await service.runJobs()
  return (await service.sentTo(to)).map(({ text }) => text)
}

async function twoConnections() {
  const { domain: org_domain, id: organization_id } = await service.given.organization()
  const email = anyEmail()
  const trial = await sandbox.ssoConnections.create({ organization_id })
  const live = await production.ssoConnections.create({ organization_id })
  return { org_domain, organization_id, email, trial, live }
}

const aTime: unknown = expect.stringMatching(/Z$/)

async function adminOf(client: Client, { org_domain, email }: { org_domain: string; email: string }) {
  const { data } = await client.admins.list({ org_domain })
  return data.find((admin) => admin.email === email)
}

describe('an invitation to the organization', () => {
  longTest('from the sandbox reaches no connection of production', async () => {
    const { org_domain, email, trial, live } = await twoConnections()
    await sandbox.admins.invite({ org_domain, email })
    const inSandbox = onboardingGivenOf(service, sandbox)
    const { visitor, page } = await inSandbox.arrived({ email, link: await inSandbox.linkTo(email) })

    expect(page.html).toContain(trial.idp_id)
    expect(page.html).not.toContain(live.idp_id)
    for (const part of ['', '/provider', '/metadata', '/sp-metadata.xml', '/test/start'])
      expect((await visitor.visit(`/onboarding/${live.idp_id}${part}`)).status).toBe(404)
    expect(await given.mailsTo(email)).toEqual([])
  })

  test('from production shows the connections of both environments, marked', async () => {
    const { org_domain, email, trial, live } = await twoConnections()
    await production.admins.invite({ org_domain, email })
    const { visitor, page } = await given.arrived({ email, link: await given.linkTo(email) })

    expect(page.html).toContain(trial.idp_id)
    expect(page.html).toContain(live.idp_id)
    expect(page.html).toMatch(/class="tag">Production</)
    expect(page.html).toMatch(/class="tag note">Sandbox</)
    const at = await visitor.visit(`/onboarding/${live.idp_id}`)
    expect(at.html).not.toContain('value="test"')
    expect((await visitor.press(at, 'choose', { provider_type: 'test' })).status).toBe(422)
    expect((await sandbox.outbox.list({ to: email })).data).toEqual([])
  })

  test('from the sandbox ends none that production has sent', async () => {
    const { org_domain, email } = await twoConnections()
    await production.admins.invite({ org_domain, email })
    const scene = { email, link: await given.linkTo(email) }
    const { visitor } = await given.arrived(scene)

    const again = await sandbox.admins.invite({ org_domain, email: email.toUpperCase() })

    expect(again.email).toBe(email)
    expect((await visitor.visit('/onboarding')).status).toBe(200)
    expect((await given.arrived(scene)).page.status).toBe(200)
  })
})

describe('an administrator whom production has invited', () => {
  test('409: is not removed with a key of the sandbox, however long ago that was', async () => {
    const { org_domain, email } = await twoConnections()
    await sandbox.admins.invite({ org_domain, email })
    await production.admins.invite({ org_domain, email })
    await sandbox.admins.invite({ org_domain, email })
    const refused = { status: 409, code: 'production_is_up' }

    await expect(sandbox.admins.delete({ org_domain, email })).rejects.toMatchObject(refused)
    await service.query('delete from sso_admin_links')
    await expect(sandbox.admins.delete({ org_domain, email })).rejects.toMatchObject(refused)
    expect(await production.admins.delete({ org_domain, email })).toMatchObject({ deleted: true })
  })

  longTest(
    'is seen by production as production has invited them, whatever becomes of an invitation of the sandbox',
    async () => {
      const { org_domain, email } = await twoConnections()
      await production.admins.invite({ org_domain, email })
      const before = await adminOf(production, { org_domain, email })
      const inSandbox = onboardingGivenOf(service, sandbox)
      await service.clock.advance(60)
      await sandbox.admins.invite({ org_domain, email })
      const { visitor, page } = await inSandbox.arrived({ email, link: await inSandbox.linkTo(email) })
      const accepted = {
        accepted_invitation_at: aTime,
        last_login_at: aTime,
        declined_to_be_in_charge_at: null,
      }
      expect(await adminOf(sandbox, { org_domain, email })).toMatchObject(accepted)
      await visitor.press(page, 'decline')

      expect(await adminOf(sandbox, { org_domain, email })).toMatchObject({
        declined_to_be_in_charge_at: aTime,
      })
      expect(await adminOf(production, { org_domain, email })).toEqual(before)
    },
  )

  test('is seen by the sandbox as it was, whatever they do with the invitation of production', async () => {
    const { org_domain, email } = await twoConnections()
    await sandbox.admins.invite({ org_domain, email })
    const before = await adminOf(sandbox, { org_domain, email })
    await service.clock.advance(60)
    await production.admins.invite({ org_domain, email })
    const { visitor, page } = await given.arrived({ email, link: await given.linkTo(email) })
    await visitor.press(page, 'decline')

    expect(await adminOf(production, { org_domain, email })).toMatchObject({
      accepted_invitation_at: aTime,
      declined_to_be_in_charge_at: aTime,
    })
    expect(await adminOf(sandbox, { org_domain, email })).toEqual(before)
    await production.admins.invite({ org_domain, email })
    expect(await adminOf(production, { org_domain, email })).toMatchObject({
      declined_to_be_in_charge_at: null,
    })
  })

  test('also to one connection is not', async () => {
    const { organization_id, org_domain, email } = await twoConnections()
    await production.ssoConnections.create({ organization_id, sso_admin_email: email, send_email: true })
    await expect(sandbox.admins.delete({ org_domain, email })).rejects.toMatchObject({ status: 409 })
  })
})

describe('uploaded metadata', () => {
  test('of production are told by mail to those whom production has invited, once each upload', async () => {
    const { domain: org_domain, id: organization_id } = await service.given.organization()
    const [colleague, stranger] = [anyEmail(), anyEmail()]
    await production.admins.invite({ org_domain, email: colleague })
    await sandbox.admins.invite({ org_domain, email: stranger })
    const scene = await given.invited({ organization_id })
    const { visitor } = await given.inTutorial(scene)
    const xml = () => idpMetadata({ from: service.clock.now() })
    const noticesTo = async (to: string) =>
      (await given.mailsTo(to)).filter((text) => text.includes('uploaded the metadata'))

    await given.upload(scene, visitor, { xml: xml() })
    expect(await noticesTo(colleague)).toEqual([])
    await given.confirm(scene, visitor)
    await given.upload(scene, visitor, { xml: xml() })
    await given.confirm(scene, visitor)

    for (const to of [colleague, scene.email]) {
      const told = await noticesTo(to)
      expect(told).toHaveLength(2)
      expect(told.join()).toContain(scene.connection.idp_id)
      expect(told.join()).toContain('It is in use')
      expect(told.join()).toContain('the previous metadata stays in use')
    }
    expect(await noticesTo(stranger)).toEqual([])
    expect((await sandbox.outbox.list({ to: stranger })).data).toHaveLength(1)
  })

  test('of the sandbox are told in its outbox to everybody', async () => {
    const { id: organization_id, domain: org_domain } = await service.given.organization({ locale: 'fr-FR' })
    const colleague = anyEmail()
    await production.admins.invite({ org_domain, email: colleague })
    const inSandbox = onboardingGivenOf(service, sandbox)
    const scene = await inSandbox.invited({ organization_id })
    const { visitor } = await inSandbox.inTutorial(scene)
    await inSandbox.upload(scene, visitor, { xml: idpMetadata({ from: service.clock.now() }) })
    await inSandbox.confirm(scene, visitor)

    const [notice] = await inSandbox.mailsTo(colleague)
    expect(notice).toContain('ce fournisseur d’identité décide désormais qui peut se connecter')
    expect((await given.mailsTo(colleague)).join()).not.toContain('métadonnées')
  })
})
