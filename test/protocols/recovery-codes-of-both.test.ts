import { expect, test } from 'vitest'
import { readKeyUri } from '../given/authenticator.js'
import type { FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import { stepSeconds } from '../given/totp-given.js'
import type { Seen } from '../given/visitor.js'
import { enrollingGivenOf, keyUriOf, mfa, recoveryCodesOf } from './enrolling-given.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
const { flows } = given
const enrolling = enrollingGivenOf(client, flows)

const rest =
  'While a code from your phone is asked for, the recovery codes of your passkeys are not: use those of two-step verification.'

/** A user with a passkey that is demanded, at the page of its recovery codes. */
async function withCodes() {
  const had = await given.withPasskey()
  const { org_domain } = had.scene
  await client.passkeys.updateConnection({ org_domain, requirement: 'required', grace_days: 0 })
  const section = await had.visitor.visit(given.addressOf(had.scene))
  return { ...had, codes: await had.visitor.press(section, 'new_codes') }
}

/** The name of the file to download, and what it has. */
function fileOf({ html }: Seen): readonly [name: string | undefined, text: string] {
  const [, name, text = ''] =
    /download="([^"]+)" href="data:text\/plain;charset=utf-8,([^"]+)"/.exec(html) ?? []
  return [name, decodeURIComponent(text)]
}

/** What follows the title of a file, up to the codes. */
function linesOf({ user }: FlowScene, lang: 'en' | 'fr' = 'en'): string[] {
  const day = service.clock.now().toLocaleDateString(lang, { dateStyle: 'long', timeZone: 'UTC' })
  const [whose, made] = lang === 'en' ? ['Account: ', 'Created on'] : ['Compte\u00a0: ', 'Créés le']
  return [`${whose}${user.email}`, `${made} ${day}`, '']
}

test('the recovery codes of passkeys are said to rest while a code is asked for, and to be left before and after', async () => {
  const { scene, visitor, held, codes } = await withCodes()
  const { org_domain, user } = scene
  const signInWithPasskey = async () => {
    const page = await visitor.visit(given.addressOf(scene))
    return visitor.press(page, 'passkey', { credential: held.use(given.asked(page)) })
  }
  const section = await visitor.press(codes, 'acknowledge', { acknowledged: 'true' })
  expect(section.html).toContain('You have 5 recovery codes left')
  expect(section.html).not.toContain(rest)
  await flows.totp.activate(org_domain)
  await flows.totp.enroll({ org_domain, user_id: user.id })

  const resting = await signInWithPasskey()

  expect(resting.html).toContain(rest)
  expect(resting.html).not.toContain('recovery codes left')
  await client.totp.removeEnrollment({ org_domain, user_id: user.id })
  const after = await signInWithPasskey()
  expect(after.html).toContain('You have 5 recovery codes left')
  expect(after.html).not.toContain(rest)
})

test('nothing is said to rest where there are no recovery codes of passkeys', async () => {
  const { scene, visitor, held } = await given.withPasskey()
  const { org_domain, user } = scene
  await flows.totp.activate(org_domain)
  await flows.totp.enroll({ org_domain, user_id: user.id })
  const page = await visitor.visit(given.addressOf(scene))

  const section = await visitor.press(page, 'passkey', { credential: held.use(given.asked(page)) })

  expect(section.html).toContain('value="rename"')
  expect(section.html).not.toContain(rest)
})

test('the files of both kinds have names and titles of their own', async () => {
  const { scene, codes } = await withCodes()
  const [name, text] = fileOf(codes)
  expect(name).toBe(`${scene.org_domain}-passkey-recovery-codes.txt`)
  expect(text).toMatch(/^Recovery codes for your passkeys at /)
  expect(text.split('\n').slice(1, 4)).toEqual(linesOf(scene))
  for (const code of recoveryCodesOf(codes)) expect(text).toContain(code)

  const other = await flows.scene()
  await flows.totp.activate(other.org_domain)
  const visitor = flows.visitorOf()
  const address = `/t/${other.org_domain}/account/second-factor?environment=sandbox`
  const page = await given.signInAt(visitor, await visitor.visit(address), other)
  const shown = await visitor.press(page, 'enroll')
  await service.clock.advance(stepSeconds)
  const code = flows.totp.codeOf(readKeyUri(keyUriOf(shown)))
  const [nameOfPhone, textOfPhone] = fileOf(await visitor.press(shown, 'validate', { code }))
  expect(nameOfPhone).toBe(`${other.org_domain}-recovery-codes.txt`)
  expect(textOfPhone).toMatch(/^Recovery codes for /)
  expect(textOfPhone.split('\n').slice(1, 4)).toEqual(linesOf(other))
  const [, renewed] = fileOf(await visitor.press(await visitor.visit(address), 'new_codes'))
  expect(renewed.split('\n').slice(1, 4)).toEqual(linesOf(other))
})

test('the files of a sign-in say whose the codes are and of which day, in the language of the page', async () => {
  const scene = await flows.scene()
  const withPasskey = await enrolling.atEnroll(scene)
  const credential = given.authenticator().create(given.asked(withPasskey.page))
  const shown = await withPasskey.visitor.press(withPasskey.page, 'passkey', { credential })
  const other = await enrolling.sceneToEnroll()
  const { visitor, codes } = await enrolling.validated(other, { ...mfa, ui_locales: 'fr' })

  for (const [page, whose, lang] of [
    [shown, scene, 'en'],
    [codes, other, 'fr'],
    [await visitor.press(await visitor.visit(codes.url), 'new_codes'), other, 'fr'],
  ] as const) {
    const [title, ...lines] = fileOf(page)[1].split('\n')
    expect(title).toMatch(lang === 'en' ? /^Recovery codes for / : /^Codes de secours pour /)
    expect(lines.slice(0, 3)).toEqual(linesOf(whose, lang))
    expect(lines.slice(3)).toEqual([...recoveryCodesOf(page), ''])
  }
})
