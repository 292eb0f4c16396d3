import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { hasTool } from '../debian-tools.js'
import { answerOf, flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { aCode, flowLinkGivenOf } from '../given/flow-link-given.js'
import { startService } from '../given/harness.js'
import { longTest, sampled } from '../sampled.js'
import { anyNumber } from '../given/totp-given.js'
import { pkcePair, type Seen, type Visitor } from '../given/visitor.js'
import { whileHeld } from '../given/waiting.js'
import { exchange } from './code-given.js'
import { enrollingGivenOf, keyUriOf, mfa, recoveryCodesOf } from './enrolling-given.js'

const atOnce = [...Array(50).keys()]

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)
const links = flowLinkGivenOf(service, client, given)
const { sceneToEnroll, atEnroll, begun, validated } = enrollingGivenOf(client, given)

function enrolledMethods({ user }: FlowScene) {
  return service.query<{ method: string | null }>(
    `select method from totp_enrollments where user_id = $1 and validated_at is not null`,
    [user.id],
  )
}

describe('an enrolment on the way to an application that demands a second factor', () => {
  longTest(
    'shows the key, takes the first code, shows recovery codes once, and signs in with both factors',
    async () => {
      const scene = await sceneToEnroll()
      const { verifier, challenge } = pkcePair()
      const { visitor, page, shown, codes, app } = await validated(scene, {
        ...mfa,
        code_challenge: challenge,
      })
      expect(shown.status).toBe(200)
      expect(recoveryCodesOf(codes)).toHaveLength(5)
      expect(recoveryCodesOf(await visitor.visit(page.url))).toEqual([])

      const landed = await visitor.press(codes, 'acknowledge', { acknowledged: 'true' })

      const tokens = await exchange(service, {
        code: answerOf(landed).get('code') ?? '',
        code_verifier: verifier,
        redirect_uri: 'https://store.example/callback',
        client_id: scene.application.client_id,
      })
      const [, payload = ''] = String(tokens.body.id_token).split('.')
      expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
        amr: ['pwd', 'otp', 'mfa'],
      })
      const [row] = await service.query<{ at: Date | null }>(
        'select last_recovery_acknowledgement_at as at from totp_enrollments where user_id = $1',
        [scene.user.id],
      )
      expect(row?.at).not.toBeNull()
      await service.clock.advance(30)
      expect(await signsInBy(scene, given.totp.codeOf(app))).toBe(true)
      expect(await signsInBy(scene, recoveryCodesOf(codes)[0] ?? '')).toBe(true)
    },
  )

  test.runIf(hasTool('oathtool'))('takes the code of oathtool', async () => {
    const { visitor, shown, app } = await begun()
    const now = `--now=${service.clock.now().toISOString().replace('T', ' ').slice(0, 19)} UTC`
    const code = execFileSync('oathtool', ['--totp', '--base32', now, app.secret], {
      encoding: 'utf8',
    }).trim()

    const codes = await visitor.send(shown, 'validate', { code })

    expect(recoveryCodesOf(codes)).toHaveLength(5)
  })

  longTest('shows the same key again after a wrong code, and nothing of it in the address', async () => {
    const { visitor, shown, app } = await begun()

    const wrong = await visitor.send(shown, 'validate', { code: given.totp.wrongCode(app) })

    expect(wrong.status).toBe(422)
    expect(keyUriOf(wrong)).toBe(keyUriOf(shown))
    expect(wrong.url).not.toContain('secret')
    expect(
      recoveryCodesOf(await visitor.send(wrong, 'validate', { code: given.totp.codeOf(app) })),
    ).toHaveLength(5)
  })

  longTest('ends after five wrong codes, and begins again with another key', async () => {
    const { visitor, page, shown, app } = await begun()
    for (let tries = 0; tries < 5; tries++)
      await visitor.send(shown, 'validate', { code: given.totp.wrongCode(app) })

    const right = await visitor.send(shown, 'validate', { code: given.totp.codeOf(app) })

    expect(right.status).toBe(422)
    expect(keyUriOf(right)).toBe('')
    expect(await links.stepOf(page)).toBe('enroll')
    const again = await visitor.send(right, 'enroll')
    expect(keyUriOf(again)).not.toBe(keyUriOf(shown))
  })

  test('is over after an hour', async () => {
    const { scene, visitor, shown, app } = await begun()

    await service.clock.advance(60 * 60)

    const late = await visitor.send(shown, 'validate', { code: given.totp.codeOf(app) })
    expect(late.status).toBe(404)
    expect(await enrolledMethods(scene)).toEqual([])
  })

  longTest('is over when its time ends while its code waits for another change of the user', async () => {
    const { scene, visitor, shown, app } = await begun()

    const late = await whileHeld(
      service,
      ['select from users where id = $1 for update', scene.user.id],
      () => visitor.send(shown, 'validate', { code: given.totp.codeOf(app) }),
      () => service.clock.advance(60 * 60),
    )

    expect(late.status).toBe(422)
    expect(recoveryCodesOf(late)).toEqual([])
    expect(await enrolledMethods(scene)).toEqual([])
  })

  longTest('is validated by one of fifty codes that come together', async () => {
    const { visitor, shown, app } = await begun()
    const code = given.totp.codeOf(app)

    const answers = await Promise.all(atOnce.map(() => visitor.send(shown, 'validate', { code })))

    expect(answers.filter((answer) => recoveryCodesOf(answer).length === 5)).toHaveLength(1)
  })

  longTest('comes after a link as well', async () => {
    const scene = await sceneToEnroll()
    const { visitor, page, link } = await links.linkSent(scene, mfa)

    await links.open(link, visitor)

    expect(await links.stepOf(page)).toBe('enroll')
  })

  test('is not passed by anything but a code: the sign-in is not finished before', async () => {
    const { visitor, page } = await atEnroll()

    for (const action of ['finish', 'acknowledge', 'new_codes', 'totp', 'link_code', 'password'])
      expect([action, (await visitor.send(page, action, { acknowledged: 'true' })).status]).toEqual([
        action,
        409,
      ])

    expect(visitor.sessionSecret()).toBeUndefined()
  })
})

describe('an enrolment by text message', () => {
  longTest('sends the code to the number of the user, which is verified by it', async () => {
    const phone_number = anyNumber()
    const scene = await sceneToEnroll({ method: 'sms', phone_number })
    const { visitor, page } = await atEnroll(scene)
    const asked = await visitor.send(page, 'enroll')
    expect(asked.html).not.toContain(phone_number)
    expect(asked.html).toContain(phone_number.slice(-2))
    const code = await textedCode(scene)
    expect(asked.html).not.toContain(code)

    const codes = await visitor.send(asked, 'validate', { code })

    expect(recoveryCodesOf(codes)).toHaveLength(5)
    const landed = await visitor.press(codes, 'acknowledge', { acknowledged: 'true' })
    expect(answerOf(landed).get('code')).toMatch(aCode)
    const user = await client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id })
    expect(user).toMatchObject({ phone_number_verified: true })
  })

  test('begins again once the time of its code is over, also by a form without a code', async () => {
    const scene = await sceneToEnroll({ method: 'sms', phone_number: anyNumber() })
    const { visitor, page } = await atEnroll(scene)
    const asked = await visitor.send(page, 'enroll')
    expect(asked.html).toContain('value="validate"')

    await service.clock.advance(10 * 60)

    const late = await visitor.send(asked, 'validate', { code: '' })
    expect(late.status).toBe(422)
    expect(late.html).not.toContain('value="validate"')
  })

  test('says so where the user has no number', async () => {
    const scene = await sceneToEnroll({ method: 'sms' })
    const { visitor, page } = await atEnroll(scene)
    expect(page.html).toContain('has no phone number')

    const refused = await visitor.send(page, 'enroll')

    expect(refused.status).toBe(422)
    expect(refused.html).toContain('has no phone number')
  })

  async function textedCode(scene: FlowScene): Promise<string> {
    await service.runJobs()
    const [message] = await service.query<{ text: string }>(
      `select text from outbox_messages where channel = 'sms' and email_normalized = $1 order by inserted_at desc`,
      [scene.user.email],
    )
    return /\b\d{6}\b/.exec(message?.text ?? '')?.[0] ?? ''
  }
})

describe('nobody enrols a user on the pages', () => {
  test('who is enrolled: an enrolment that has appeared meanwhile stays, and the sign-in is over', async () => {
    const { scene, visitor, page, shown, app } = await begun()
    const own = await given.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })

    const seen = [
      await visitor.send(shown, 'validate', { code: given.totp.codeOf(app) }),
      await visitor.send(shown, 'enroll'),
      await visitor.visit(page.url),
    ]

    expect(seen.map(({ status }) => status)).toEqual([404, 404, 404])
    await service.clock.advance(30)
    expect(await signsInBy(scene, given.totp.codeOf(own.app))).toBe(true)
  })

  test('with a secret that somebody else has begun: only the own one is shown and validated', async () => {
    const scene = await sceneToEnroll()
    const mine = await begun(scene)
    const theirs = await given.totp.begun({ org_domain: scene.org_domain, user_id: scene.user.id })

    const empty = await mine.visitor.send(mine.shown, 'validate', { code: '' })
    const wrong = await mine.visitor.send(mine.shown, 'validate', { code: given.totp.wrongCode(theirs.app) })
    const right = await mine.visitor.send(mine.shown, 'validate', { code: given.totp.codeOf(theirs.app) })

    for (const answer of [empty, wrong, right]) {
      expect(answer.status).toBe(422)
      expect(answer.html).not.toContain(theirs.app.secret)
    }
    expect(await enrolledMethods(scene)).toEqual([])
  })

  test('from two sign-ins at once: one of them wins, and the other is over', async () => {
    const scene = await sceneToEnroll()
    const first = await begun(scene)
    const second = await begun(scene)

    const late = await first.visitor.send(first.shown, 'validate', { code: given.totp.codeOf(first.app) })
    const right = await second.visitor.send(second.shown, 'validate', { code: given.totp.codeOf(second.app) })

    expect(late.status).toBe(422)
    expect(recoveryCodesOf(right)).toHaveLength(5)
    expect((await first.visitor.send(first.shown, 'enroll')).status).toBe(404)
  })

  test('who was switched off meanwhile', async () => {
    const { scene, visitor, shown, app } = await begun()
    await client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, active: false })

    const refused = await visitor.send(shown, 'validate', { code: given.totp.codeOf(app) })

    expect(refused.status).toBe(404)
    expect(await enrolledMethods(scene)).toEqual([])
  })

  test('once the organization asks for no codes any more', async () => {
    const { scene, visitor, shown, app } = await begun()
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })

    const refused = await visitor.send(shown, 'validate', { code: given.totp.codeOf(app) })

    expect(refused.status).toBe(404)
    expect(await enrolledMethods(scene)).toEqual([])
  })

  test('once the organization asks for no codes any more, and a form without a code shows no key', async () => {
    const { scene, visitor, shown } = await begun()
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })

    const refused = await visitor.send(shown, 'validate', { code: '' })

    expect(refused.status).toBe(404)
    expect(keyUriOf(refused)).toBe('')
  })

  test('from another browser', async () => {
    const { scene, shown, app } = await begun()
    const other = given.visitorOf()
    await given.begin(scene, {}, other)

    const refused = await other.send(shown, 'validate', { code: given.totp.codeOf(app) })

    expect(refused.status).toBe(403)
    expect(await enrolledMethods(scene)).toEqual([])
  })
})

describe('recovery codes', () => {
  test('are made anew while they are to be kept, and those before are worth nothing', async () => {
    const { scene, visitor, codes } = await validated()
    const [lost = ''] = recoveryCodesOf(codes)

    const fresh = await visitor.send(codes, 'new_codes')

    expect(recoveryCodesOf(fresh)).toHaveLength(5)
    expect(recoveryCodesOf(fresh)).not.toContain(lost)
    await visitor.press(fresh, 'acknowledge', { acknowledged: 'true' })
    expect(await signsInBy(scene, lost)).toBe(false)
    expect(await signsInBy(scene, recoveryCodesOf(fresh)[0] ?? '')).toBe(true)
  })

  test('are not made anew once they are kept', async () => {
    const { scene, visitor, codes } = await validated()
    await visitor.press(codes, 'acknowledge', { acknowledged: 'true' })

    const late = await visitor.send(codes, 'new_codes')

    expect(late.status).toBe(404)
    expect(await signsInBy(scene, recoveryCodesOf(codes)[0] ?? '')).toBe(true)
  })

  test('have to be acknowledged', async () => {
    const { visitor, page, codes } = await validated()

    const refused = await visitor.send(codes, 'acknowledge')

    expect(refused.status).toBe(422)
    expect(await links.stepOf(page)).toBe('recovery_codes')
  })

  test('are stored as sealed digests', async () => {
    const { scene, codes, app } = await validated()

    const rows = await service.query<{ text: string }>(
      'select totp_enrollments::text as text from totp_enrollments where user_id = $1',
      [scene.user.id],
    )
    const logs = service.logLines.join('\n')

    for (const secret of [app.secret, ...recoveryCodesOf(codes)])
      expect([secret, JSON.stringify(rows).includes(secret), logs.includes(secret)]).toEqual([
        secret,
        false,
        false,
      ])
  })
})

describe('a form that is not of the step of its flow is refused, and moves nothing', () => {
  const actionsOf = {
    link_sent: ['link_code', 'resend', 'change_address'],
    enroll: ['enroll', 'validate', 'not_now'],
    recovery_codes: ['acknowledge', 'new_codes'],
    renew_password: ['set_password', 'not_now'],
  } as const
  /** The buttons that would advance the flow the furthest. */
  const telling = ['finish', 'password', 'totp', 'identify']
  const others = ['mail_link', 'forgot_password', 'send_sms', '', 'show']

  const places: [keyof typeof actionsOf, () => Promise<{ visitor: Visitor; page: Seen }>][] = [
    ['link_sent', async () => links.atLinkSent(await sceneToEnroll(), mfa)],
    ['enroll', async () => atEnroll()],
    ['recovery_codes', async () => validated()],
    [
      'renew_password',
      async () => {
        const scene = await given.scene()
        await client.password.updateConnection({ org_domain: scene.org_domain, plain_text_min_length: 40 })
        return atEnroll(scene, {})
      },
    ],
  ]

  test.each(places)('%s', async (step, go) => {
    const { visitor, page } = await go()
    const foreign = [...telling, ...Object.values(actionsOf).flat(), ...others].filter(
      (action) => !(actionsOf[step] as readonly string[]).includes(action),
    )
    expect(await links.stepOf(page)).toBe(step)

    for (const action of sampled(foreign, 6)) {
      const fields = { code: '123456', password: goodPassword, acknowledged: 'true', email: 'a@b.example' }
      expect([action, (await visitor.send(page, action, fields)).status]).toEqual([action, 409])
    }

    expect(await links.stepOf(page)).toBe(step)
  })
})

/** Whether a code is accepted as the second factor of a new sign-in. */
async function signsInBy(of: FlowScene, code: string): Promise<boolean> {
  const { visitor, page } = await given.atPassword(of)
  const asked = await visitor.press(page, 'password', { password: goodPassword })
  return answerOf(await visitor.press(asked, 'totp', { code })).has('code')
}
