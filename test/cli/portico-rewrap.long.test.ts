import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { stepSeconds, totpGivenOf } from '../given/totp-given.js'
import { porticoJson } from './portico.js'

test('portico keys rewrap leaves second factors as good as they were: secrets, recovery codes, codes that were sent', async () => {
  const [first, next] = ['v1', 'v2'].map((version) => `${version}:${randomBytes(32).toString('base64')}`)
  const before = await startService({ variables: { MASTER_KEYS: first ?? '' } })
  const client = await before.client()
  const given = totpGivenOf(before, client)
  const enrolled = await given.enrolled()
  const { app: nextApp } = await given.begun(enrolled, { force_enroll: true })
  const texted = await given.enrolledBySms()
  await given.challenge(texted)
  await before.runJobs()
  const { data } = await client.outbox.list({ to: texted.user.phone_number ?? '' })
  const [sent = ''] = /\d{6}/.exec(data[0]?.text ?? '') ?? []
  const begun = await given.scene({ method: 'sms', phone_number: '+33612345679' })
  const { first_verification_code } = await client.totp.enroll({
    org_domain: begun.org_domain,
    user_id: begun.user_id,
  })

  await porticoJson(['keys', 'rewrap'], {
    DATABASE_URL: before.databaseUrl,
    MASTER_KEYS: `${next ?? ''},${first ?? ''}`,
  })

  const after = await startService({
    databaseUrl: before.databaseUrl,
    variables: { MASTER_KEYS: next ?? '' },
  })
  const later = await after.client({ account: before.account })
  const givenLater = totpGivenOf(after, later)
  expect(await givenLater.answer(texted, sent)).toMatchObject({ success: true })
  for (const code of [givenLater.codeOf(enrolled.app, stepSeconds), enrolled.recoveryCodes[0] ?? '']) {
    await givenLater.challenge(enrolled)
    expect(await givenLater.answer(enrolled, code)).toMatchObject({ success: true })
  }
  const validations = [
    { ...enrolled, code: givenLater.codeOf(nextApp) },
    { ...begun, code: first_verification_code ?? '' },
  ]
  for (const { org_domain, user_id, code } of validations)
    expect(await later.totp.validateEnrollment({ org_domain, user_id, code })).toMatchObject({
      validated_enrollment_at: expect.any(String),
    })
})
