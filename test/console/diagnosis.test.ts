import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { goodPassword } from '../api/password-given.js'
import { flowGivenOf, isIn, type FlowScene } from '../given/flow-given.js'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { anyEmail, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { personGivenOf } from './person-given.js'

const attempts = 3
const service = await startService({
  variables: {
    SIGN_IN_ATTEMPTS_PER_ADDRESS: String(attempts),
    MAILS_PER_ADDRESS: '1',
    SMTP_URL: 'smtp://mail.example',
  },
})
const client = await service.client()
const given = flowGivenOf(service, client)
const links = flowLinkGivenOf(service, client, given)
const person = personGivenOf(service)
const passkeys = passkeyGivenOf(service, client)

/** A user of an organization whose links sign in, and passwords do not. */
async function linkScene(by = service.given): Promise<FlowScene> {
  const { domain: org_domain } = await by.organization()
  const application = await by.application({ org_domain, organization_domain_scope: org_domain })
  return { org_domain, application, user: await by.user({ org_domain }) }
}

/** Types an address on the pages. */
async function identify(scene: FlowScene, email = scene.user.email) {
  const { visitor, page } = await given.begin(scene)
  return { visitor, page: await visitor.press(page, 'identify', { email }) }
}

test('a person who has just signed in can, and the diagnosis writes and counts nothing', async () => {
  const { scene, landed } = await given.signIn()
  expect(isIn(landed)).toBe(true)
  const before = await service.query('select * from rate_limits order by key')
  const diagnosis = await person.diagnose(scene.user.email)
  expect(diagnosis).toMatchObject({ verdict: 'can', method: 'password', user_id: scene.user.id })
  expect(diagnosis.findings.filter(({ stops }) => stops)).toEqual([])
  expect(diagnosis.last_signed_in_at).not.toBeNull()
  await person.diagnose(scene.user.email)
  expect(await service.query('select * from rate_limits order by key')).toEqual(before)
})

describe('a sign-in on the pages that has failed is explained, and works once that is mended:', () => {
  test('no user has the address, and links create none', async () => {
    const scene = await linkScene()
    const { org_domain } = scene
    const email = anyEmail()
    await identify(scene, email)
    await service.runJobs()
    expect((await client.outbox.list({ to: email })).data).toEqual([])
    expect(await person.stopOf(email)).toMatchObject({ code: 'no_user', action: 'create_user' })

    await client.users.create({ org_domain, email })
    expect(await person.stopOf(email)).toBeUndefined()
  })

  longTest('the user was deleted', async () => {
    const scene = await linkScene()
    const { org_domain, user } = scene
    await client.users.delete({ org_domain, user_id: user.id })
    await identify(scene)
    const stop = await person.stopOf(user.email)
    expect(stop).toMatchObject({ code: 'user_deleted', action: 'create_user' })
    expect(Date.parse(stop?.proof.at ?? '')).toBeLessThanOrEqual(service.clock.now().getTime())
  })

  test('the user is inactive', async () => {
    const scene = await given.scene()
    const { org_domain, user } = scene
    const at = { org_domain, user_id: user.id }
    await client.users.update({ ...at, active: false })
    expect(isIn((await given.signIn(scene)).landed)).toBe(false)
    expect(await person.stopOf(user.email)).toMatchObject({ code: 'user_inactive', action: 'activate_user' })

    await client.users.update({ ...at, active: true })
    expect(await person.stopOf(user.email)).toBeUndefined()
    expect(isIn((await given.signIn(scene)).landed)).toBe(true)
  })

  longTest('the organization does not allow the domain of the address', async () => {
    const scene = await given.scene()
    const { org_domain, user } = scene
    await client.organizations.update({ org_domain, allowed_email_domains: ['else.example'] })
    expect((await identify(scene)).page.status).toBe(422)
    expect(await person.stopOf(user.email)).toMatchObject({
      code: 'email_domain_not_allowed',
      detail: 'else.example',
    })

    await client.organizations.update({ org_domain, allowed_email_domains: [] })
    expect(await person.stopOf(user.email)).toBeUndefined()
  })

  longTest('no sign-in method is on', async () => {
    const scene = await linkScene()
    const { org_domain, user } = scene
    await client.magicLink.updateConnection({ org_domain, active: false })
    await client.passkeys.updateConnection({ org_domain, active: false })
    expect((await given.begin(scene)).page.html).not.toContain('name="email"')
    expect(await person.stopOf(user.email)).toMatchObject({ code: 'no_method' })
  })

  test('the address is locked after wrong passwords until it is unlocked', async () => {
    const { scene, visitor, page } = await given.atPassword()
    const { org_domain, user } = scene
    for (let count = 0; count < attempts; count++)
      await visitor.press(page, 'password', { password: 'wrong' })
    const refused = await visitor.press(page, 'password', { password: goodPassword })
    expect(refused.status).toBe(429)
    const stop = await person.stopOf(user.email)
    expect(stop).toMatchObject({ code: 'locked', count: attempts, action: 'unlock' })
    const leftMs = Date.parse(stop?.until ?? '') - service.clock.now().getTime()
    expect(Math.round(leftMs / 60_000)).toBe(15)

    expect(await person.unlock({ email: user.email, org_domain, kinds: ['sign_in'] })).toEqual({
      __type__: 'Unlocked',
      forgotten: [{ kind: 'sign_in', count: attempts }],
    })
    expect(await person.stopOf(user.email)).toBeUndefined()
    expect(isIn(await visitor.press(page, 'password', { password: goodPassword }))).toBe(true)
  })

  longTest('a wrong password is no obstacle, and is told', async () => {
    const { scene, visitor, page } = await given.atPassword()
    await visitor.press(page, 'password', { password: 'wrong' })
    expect(await person.diagnose(scene.user.email)).toMatchObject({
      verdict: 'can',
      findings: expect.arrayContaining([
        expect.objectContaining({ code: 'attempt_refused', detail: 'password_wrong' }),
      ]) as unknown,
    })
  })

  longTest('a user without a password, where links are off', async () => {
    const { org_domain, application, user } = await given.scene()
    const other = await service.given.user({ org_domain })
    await client.magicLink.updateConnection({ org_domain, active: false })
    const { landed } = await given.signIn({ org_domain, application, user: other })
    expect(isIn(landed)).toBe(false)
    expect(await person.stopOf(other.email)).toMatchObject({
      code: 'password_missing',
      action: 'send_password_mail',
    })
    expect(await person.stopOf(user.email)).toBeUndefined()
  })

  longTest('the address has been sent as many mails as it may, until they are forgotten', async () => {
    const scene = await linkScene()
    const { org_domain, user } = scene
    const { visitor, page } = await identify(scene)
    for (;;) if ((await visitor.send(page, 'resend')).status === 429) break
    expect(await person.stopOf(user.email)).toMatchObject({ code: 'mail_limit', action: 'unlock' })
    const { forgotten } = await person.unlock({ email: user.email, org_domain, kinds: ['mail', 'sms'] })
    expect(forgotten).toEqual([
      { kind: 'mail', count: expect.any(Number) as number },
      { kind: 'sms', count: 0 },
    ])
    expect(forgotten[0]?.count).toBeGreaterThan(1)
    expect(await person.stopOf(user.email)).toBeUndefined()
    expect((await visitor.send(page, 'resend')).status).toBe(200)
  })

  longTest('a second factor is locked after wrong codes', async () => {
    const scene = await given.enrolledScene()
    const { user, app } = scene
    const { visitor, landed } = await given.signIn(scene)
    for (let count = 0; count < 5; count++)
      await visitor.press(landed, 'totp', { code: given.totp.wrongCode(app) })
    expect(await person.stopOf(user.email)).toMatchObject({ code: 'second_factor_locked' })
    expect(await person.codesOf(user.email)).toContain('second_factor_enrolled')
  })

  longTest('the redirect URL of the application was taken away meanwhile', async () => {
    const { scene, visitor, page } = await given.atPassword()
    const { org_domain, application, user } = scene
    const urls = (allowed_redirect_urls: string[]) =>
      client.applications.update({
        org_domain,
        client_id: application.client_id,
        allowed_redirect_urls,
      })
    await urls(['https://store.example/other'])
    expect(isIn(await visitor.press(page, 'password', { password: goodPassword }))).toBe(false)
    expect(await person.stopOf(user.email)).toMatchObject({
      code: 'redirect_not_allowed',
      action: 'edit_application',
    })
    await urls(application.allowed_redirect_urls)
    expect(await person.stopOf(user.email)).toBeUndefined()
  })
})

test('403: a second factor is demanded of a user who signs in by the API and has none', async () => {
  const scene = await given.scene()
  const { org_domain, user } = scene
  await given.totp.activate(org_domain)
  const policy = { second_factor: 'required', second_factor_grace_days: 0 } as const
  await client.organizationPolicy.update({ org_domain, ...policy })
  const sent = { org_domain, user_email: user.email, plain_text: goodPassword }
  await expect(client.password.createChallenge(sent)).rejects.toMatchObject({
    code: 'totp_enrollment_required',
  })
  expect(await person.stopOf(user.email)).toMatchObject({ code: 'second_factor_missing' })
})

test('403: passkeys are demanded of a user who signs in by the API and has none, and the pages add one', async () => {
  const scene = await given.scene()
  const { org_domain, user } = scene
  await client.passkeys.updateConnection({ org_domain, requirement: 'required', grace_days: 0 })
  const missing = { code: 'second_factor_missing', action: 'edit_passkeys' }
  const { findings } = await person.diagnose(user.email)
  expect(findings).toContainEqual(expect.objectContaining({ ...missing, stops: false }))
  const sent = { org_domain, user_email: user.email, plain_text: goodPassword }
  await expect(client.password.createChallenge(sent)).rejects.toMatchObject({
    code: 'passkey_enrollment_required',
  })
  expect(await person.stopOf(user.email)).toMatchObject(missing)
})

test('a person who has a passkey alone can sign in, and has the second factor that is demanded', async () => {
  const { scene } = await passkeys.withPasskey()
  const { org_domain, user } = scene
  const policy = { second_factor: 'required', second_factor_grace_days: 0 } as const
  await client.organizationPolicy.update({ org_domain, ...policy })
  const demanded = await person.codesOf(user.email)
  expect(demanded).toContain('second_factor_enrolled')
  expect(demanded).not.toContain('second_factor_missing')

  await client.password.updateConnection({ org_domain, active: false })
  await client.magicLink.updateConnection({ org_domain, active: false })
  expect(await person.diagnose(user.email)).toMatchObject({ verdict: 'can', method: 'passkey' })

  await client.passkeys.updateConnection({ org_domain, first_factor: false })
  expect(await person.stopOf(user.email)).toMatchObject({ code: 'no_method' })
})

test('409: an organization without an application signs nobody in', async () => {
  const { domain: org_domain } = await service.given.organization()
  const { email } = await service.given.user({ org_domain })
  const link = { org_domain, user_email: email, send_email: false }
  await expect(client.magicLink.createChallenge(link)).rejects.toMatchObject({ code: 'no_application' })
  expect(await person.stopOf(email)).toMatchObject({ code: 'no_application', action: 'edit_application' })
})

longTest('metadata that the organization requires and the user lacks stop nobody', async () => {
  const scene = await given.scene()
  const { org_domain, user } = scene
  await service.given.metaKey({ org_domain, required: true })
  expect(isIn((await given.signIn(scene)).landed)).toBe(true)
  expect(await person.diagnose(user.email)).toMatchObject({ verdict: 'can' })
  expect(await person.codesOf(user.email)).toContain('required_metadata_missing')
})

longTest('the last mail is told, and the outbox that has kept it', async () => {
  const { scene } = await links.linkSent(await given.scene())
  const { findings } = await person.diagnose(scene.user.email)
  const kept = findings.find(({ code }) => code === 'mail_kept')
  const { data } = await client.outbox.list({ to: scene.user.email })
  expect(kept).toMatchObject({ stops: false, proof: { source: 'outbox', id: data[0]?.id } })
})

test('the mail server has refused the mail, until it accepts another one', async () => {
  const { user, ...scene } = await linkScene(givenOf(await service.client({ environment: 'production' })))
  const own = personGivenOf(service, { environment: 'production' })
  const { mail } = service.deps
  const { send } = mail
  mail.send = () => Promise.reject(new Error(`550 5.1.1 <${user.email}> is unknown`))
  try {
    await identify({ ...scene, user })
    await service.runJobs()
  } finally {
    mail.send = send
  }
  const reply = 'sign_in_link: the mail server does not take a mail: Error: 550 5.1.1 … is unknown'
  expect(await own.stopOf(user.email)).toMatchObject({
    code: 'mail_failed',
    detail: reply,
    action: 'send_link',
  })

  await service.clock.advance(10)
  await service.runJobs()
  expect(await own.stopOf(user.email)).toMatchObject({ code: 'mail_limit' })
  expect(await own.codesOf(user.email)).toContain('mail_sent')
  await service.clock.advance(15 * 60)
  expect(await own.stopOf(user.email)).toBeUndefined()
})
