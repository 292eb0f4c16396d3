import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SsoCheck } from '@portico/contract/sso-checks'
import { claimedRequestOf, openResponse } from '@portico/server/saml/validate-response'
import {
  attributesOf,
  audience,
  authnStatementOf,
  conditionsOf,
  confirmation,
  idp,
  instant,
  nameIdOf,
  requestId,
  response,
  sp,
  statusOf,
  type AssertionParts,
  type ResponseParts,
} from './response-template.js'
import { startStage, type Stage } from './stage.js'
import { hasXmlsec } from './xmlsec.js'

/** The clock tolerance of two minutes, in seconds. */
const skew = 120
const hour = 3600
const declaration = '<?xml version="1.0" encoding="UTF-8"?>'

/** A time in UTC written with an offset. */
function utc(seconds: number, offset = '+00:00'): string {
  return instant(seconds).replace('Z', offset)
}

describe.skipIf(!hasXmlsec)('a response with a right signature', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage()
  })
  afterAll(() => stage.close())

  const other = 'https://other.example/saml'
  const twoConditions = conditionsOf({}, audience(sp.entityId) + audience(other))
  const restrictions = (...entityIds: string[]) => conditionsOf({}, audience(...entityIds))
  const signedIn = `AuthnInstant="${instant(-10)}"`
  const transient =
    '<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">_5e1f</saml:NameID>'
  const bearer = (changes: Record<string, string | undefined>) => ({ confirmations: confirmation(changes) })

  const refused: readonly [string, SsoCheck, AssertionParts][] = [
    ['issued by another', 'issuer', { issuer: `<saml:Issuer>${other}</saml:Issuer>` }],
    ['without an issuer', 'issuer', { issuer: '' }],
    ['with two issuers', 'issuer', { issuer: `<saml:Issuer>${idp.entityId}</saml:Issuer>`.repeat(2) }],
    ['of version 1.1', 'assertion', { version: '1.1' }],

    ['issued in two minutes and a second', 'issued_at', { issueInstant: instant(skew + 1) }],
    [
      'issued an hour, two minutes and a second ago',
      'issued_at',
      { issueInstant: instant(-hour - skew - 1) },
    ],
    ['issued at a time of another zone', 'issued_at', { issueInstant: '2026-03-14T10:26:48+01:00' }],
    ['issued at a time of no known zone', 'issued_at', { issueInstant: utc(-5, '-00:00') }],

    [
      'good in two minutes and a second',
      'conditions',
      { conditions: conditionsOf({ NotBefore: instant(skew + 1) }) },
    ],
    [
      'good until two minutes ago',
      'conditions',
      { conditions: conditionsOf({ NotOnOrAfter: instant(-skew) }) },
    ],
    ['without conditions', 'conditions', { conditions: '' }],
    ['with conditions twice', 'signature', { conditions: conditionsOf() + conditionsOf() }],
    [
      'with a condition that nobody here knows',
      'conditions',
      { conditions: conditionsOf({}, `${audience(sp.entityId)}<saml:Condition/>`) },
    ],
    [
      'good until a time that cannot be read',
      'conditions',
      { conditions: conditionsOf({ NotOnOrAfter: 'soon' }) },
    ],
    [
      'good from a time without its zone',
      'conditions',
      { conditions: conditionsOf({ NotBefore: '2026-03-14T09:00:00' }) },
    ],

    [
      'of a session that has ended two minutes ago',
      'conditions',
      { authnStatement: authnStatementOf(`${signedIn} SessionNotOnOrAfter="${instant(-skew)}"`) },
    ],

    ['for another audience', 'audience', { conditions: restrictions(other) }],
    ['for an audience that begins like ours', 'audience', { conditions: restrictions(`${sp.entityId}/x`) }],
    ['for us and, in another restriction, for another alone', 'audience', { conditions: twoConditions }],
    ['for nobody in particular', 'audience', { conditions: conditionsOf({}, '') }],

    ['for another recipient', 'recipient', bearer({ Recipient: other })],
    ['without a recipient', 'recipient', bearer({ Recipient: undefined })],
    ['confirmed until two minutes ago', 'recipient', bearer({ NotOnOrAfter: instant(-skew) })],
    ['confirmed from a time on', 'recipient', bearer({ NotBefore: instant(-60) })],
    [
      'confirmed by the holder of a key',
      'recipient',
      { confirmations: confirmation({}, 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key') },
    ],
    ['without a confirmation', 'recipient', { confirmations: '' }],
    ['without a subject', 'recipient', { subject: '' }],

    ['without a NameID', 'subject', { nameId: '' }],
    ['with an empty NameID', 'subject', { nameId: nameIdOf(' ') }],
    ['with two NameIDs', 'subject', { nameId: nameIdOf('ada').repeat(2) }],
    ['with an element in its NameID', 'subject', { nameId: nameIdOf('ada<b/>') }],
    ['with a NameID of 513 characters', 'subject', { nameId: nameIdOf('a'.repeat(513)) }],
    ['with a NameID that is another at each sign-in', 'subject', { nameId: transient }],
    ['without an AuthnStatement', 'subject', { authnStatement: '' }],
    ['signed in at no time', 'subject', { authnStatement: authnStatementOf('SessionIndex="s1"') }],

    ['that answers another request inside', 'in_response_to', bearer({ InResponseTo: '_another' })],
    ['that answers a request outside alone', 'in_response_to', bearer({ InResponseTo: undefined })],
  ]
  for (const [title, check, parts] of refused)
    test(`${title}, is refused by ${check}`, async () => {
      await stage.refuse(response({ content: await stage.signed(parts) }), check)
    })

  test('confirmed until no time, is refused by conditions', async () => {
    const content = await stage.signed(bearer({ NotOnOrAfter: undefined }))
    await stage.refuse(response({ content }), 'conditions')
  })

  const accepted: readonly [string, AssertionParts][] = [
    ['issued in two minutes', { issueInstant: instant(skew) }],
    ['issued an hour and two minutes ago', { issueInstant: instant(-hour - skew) }],
    ['good in two minutes', { conditions: conditionsOf({ NotBefore: instant(skew) }) }],
    [
      'good until a second less than two minutes ago',
      { conditions: conditionsOf({ NotOnOrAfter: instant(-skew + 1) }) },
    ],
    ['confirmed until a second less than two minutes ago', bearer({ NotOnOrAfter: instant(-skew + 1) })],
    ['for us among others', { conditions: restrictions(other, sp.entityId) }],
    [
      'confirmed for another and for us',
      { confirmations: confirmation({ Recipient: other }) + confirmation() },
    ],
    ['with a NameID of 512 characters', { nameId: nameIdOf('a'.repeat(512)) }],
    [
      'of a session that has ended a second less than two minutes ago',
      { authnStatement: authnStatementOf(`${signedIn} SessionNotOnOrAfter="${instant(-skew + 1)}"`) },
    ],
    [
      'at times that say +00:00',
      {
        issueInstant: utc(-5),
        conditions: conditionsOf({ NotBefore: utc(-5), NotOnOrAfter: utc(300) }),
        confirmations: confirmation({ NotOnOrAfter: utc(300) }),
        authnStatement: authnStatementOf(`AuthnInstant="${utc(-10)}" SessionNotOnOrAfter="${utc(300)}"`),
      },
    ],
    ['good once', { conditions: conditionsOf({}, `${audience(sp.entityId)}<saml:OneTimeUse/>`) }],
  ]
  for (const [title, parts] of accepted)
    test(`${title}, is taken`, async () => {
      await stage.accept(response({ content: await stage.signed(parts) }))
    })

  test('at a time that says +00:00 was issued at that time', async () => {
    const proved = await stage.accept(response({ content: await stage.signed({ issueInstant: utc(-5) }) }))
    expect(proved.issuedAt).toEqual(new Date(instant(-5)))
    const late = await stage.signed({ conditions: conditionsOf({ NotOnOrAfter: utc(-skew) }) })
    await stage.refuse(response({ content: late }), 'conditions')
  })

  test('with two NameIDs says that there are two', async () => {
    const content = await stage.signed({ nameId: nameIdOf('ada').repeat(2) })
    expect(await stage.refuse(response({ content }), 'subject')).toMatchObject({
      received: '2 NameIDs',
      expected: 'one',
    })
  })

  test.each([
    ['two declarations', `${declaration}${declaration}`],
    ['two declarations, in another encoding', `${declaration}<?xml version='1.0' encoding="UTF-16"?>`],
    ['two declarations, a byte order mark between them', `${declaration}\ufeff${declaration}`],
    ['a byte order mark behind its declaration', `${declaration}\ufeff`],
    ['two byte order marks', '\ufeff\ufeff'],
    ['a space before its declaration', ` ${declaration}`],
  ])('after %s, is refused by document, as xmlsec1 refuses it', async (_, before) => {
    const xml = await stage.signedResponse()
    await stage.accept(`\ufeff${declaration}\n${xml}`)
    expect(await stage.tool.verifies(`${declaration}\n${xml}`, stage.key.certificate, 'Response')).toBe(true)
    expect(await stage.tool.verifies(`${before}${xml}`, stage.key.certificate, 'Response')).toBe(false)
    await stage.refuse(`${before}${xml}`, 'document')
  })

  test('with a NameID of the format transient says which would be right', async () => {
    const told = await stage.refuse(
      response({ content: await stage.signed({ nameId: transient }) }),
      'subject',
    )
    expect(told).toMatchObject({
      received: 'a NameID of the format transient',
      expected: 'persistent or emailAddress',
    })
  })

  test('signed in later than now, was signed in now', async () => {
    const authnStatement = authnStatementOf(`AuthnInstant="${instant(86_400)}"`)
    const proved = await stage.accept(response({ content: await stage.signed({ authnStatement }) }))
    expect(proved.authenticatedAt).toEqual(new Date(instant(0)))
  })

  test('keeps the spaces of a name that are none of XML', async () => {
    const nameId = nameIdOf(' \t\u00a0ada\ufeff\r\n')
    const attributes = attributesOf({ name: '\n\u3000A\u00a0 ' })
    const proved = await stage.accept(response({ content: await stage.signed({ nameId, attributes }) }))
    expect(proved.nameId).toBe('\u00a0ada\ufeff')
    expect(proved.attributes.name).toEqual(['\u3000A\u00a0'])
  })

  const outside: readonly [string, SsoCheck, ResponseParts][] = [
    ['is of version 1.1', 'response', { version: '1.1' }],
    [
      'is from another issuer',
      'response_issuer',
      { issuer: `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${other}</saml:Issuer>` },
    ],
    ['is for another destination', 'destination', { destination: other }],
    ['is for a destination that begins like ours', 'destination', { destination: `${sp.acsUrl}/x` }],
    ['is without a status', 'response', { status: '' }],
    ['has a child that nobody here knows', 'response', { issuer: '<samlp:Other/>' }],
    ['answers another request outside', 'in_response_to', { inResponseTo: '_another' }],
    ['answers a request inside alone', 'in_response_to', { inResponseTo: undefined }],
  ]
  for (const [title, check, parts] of outside)
    test(`whose envelope ${title}, is refused by ${check}`, async () => {
      await stage.refuse(response({ content: await stage.signed(), ...parts }), check)
    })

  test('that is signed itself and names no destination, is refused by destination', async () => {
    await stage.refuse(await stage.signedResponse({ destination: undefined }), 'destination')
  })

  test('of an identity provider that has refused, is refused by status, in its words', async () => {
    const base = 'urn:oasis:names:tc:SAML:2.0:status:'
    const status = statusOf(
      `<samlp:StatusCode Value="${base}Responder"><samlp:StatusCode Value="${base}AuthnFailed"/></samlp:StatusCode>` +
        `<samlp:StatusMessage>Not assigned</samlp:StatusMessage>`,
    )
    const told = await stage.refuse(response({ status, content: '' }), 'status')
    expect(told).toMatchObject({ expected: 'Success', received: 'Responder, AuthnFailed: Not assigned' })
    await stage.refuse(response({ status, content: await stage.signed() }), 'status')
  })

  test('without an assertion is refused by response', async () => {
    await stage.refuse(response({ content: '' }), 'response')
  })

  test('that is refused says what was expected and what came, in 300 characters', async () => {
    const long = `https://other.example/${'x'.repeat(400)}`
    const told = await stage.refuse(
      response({ content: await stage.signed({ conditions: restrictions(long) }) }),
      'audience',
    )
    expect(told.expected).toBe(sp.entityId)
    expect(told.received).toHaveLength(300)
  })

  test('is held against the time that is given, and not against the clock of the machine', async () => {
    const xml = response({ content: await stage.signed() })
    await stage.accept(xml)
    await stage.refuse(xml, 'issued_at', { at: new Date(instant(-hour)) })
    await stage.refuse(xml, 'issued_at', { at: new Date(instant(2 * hour)) })
    await stage.refuse(xml, 'conditions', { at: new Date(instant(300 + skew)) })
  })

  test('names the request that it claims to answer, whatever else it is', async () => {
    const claimed = async (xml: string) =>
      claimedRequestOf(await openResponse(Buffer.from(xml).toString('base64')))
    expect(await claimed(response({ version: '1.1' }))).toBe(requestId)
    expect(await claimed(response({ inResponseTo: undefined }))).toBeUndefined()
    expect(await claimed('<x')).toBeUndefined()
    expect(claimedRequestOf(await openResponse(undefined))).toBeUndefined()
  })
})
