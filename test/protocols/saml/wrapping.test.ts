import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SsoCheck } from '@portico/contract/sso-checks'
import {
  assertion,
  attributesOf,
  nameIdOf,
  newId,
  response,
  signature,
  statusOf,
  type AssertionParts,
} from './response-template.js'
import { startStage, type Stage } from './stage.js'
import { hasXmlsec, withoutDeclaration } from './xmlsec.js'

/**
 * Signature wrapping: the signed content stays in the document, but a parser reads other content. Numbered as in
 * Somorovsky et al., On Breaking SAML (2012), and in attack tools.
 */
describe.skipIf(!hasXmlsec)('a wrapped response', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage()
  })
  afterAll(() => stage.close())

  const evil = (parts: AssertionParts = {}) =>
    assertion({
      nameId: nameIdOf('eve@awesome.example'),
      attributes: attributesOf({ email: 'admin@awesome.example' }),
      ...parts,
    })
  const signatureOf = (xml: string) => /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? ''
  const withoutSignature = (xml: string) => xml.replace(/<ds:Signature .*<\/ds:Signature>/s, '')
  /** A response in which the forged one encloses the signed one, or is beside its signature. */
  const around = (id: string, inside: string) => response({ id, signature: inside, content: evil() })
  const inObject = (signed: string, content: string) =>
    signatureOf(signed).replace('</ds:Signature>', `<ds:Object>${content}</ds:Object></ds:Signature>`)
  const inExtensions = (content: string, rest: string) =>
    response({
      signature: `<samlp:Extensions>${content}</samlp:Extensions>`,
      content: rest,
    })

  /** Status of a refusal, because a response without an assertion has one. */
  const refusedStatus = statusOf('<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"/>')

  test('is not the one that is taken as it is signed', async () => {
    const content = await stage.signed()
    expect((await stage.accept(response({ content }))).nameId).toBe('ada@awesome.example')
    expect((await stage.accept(await stage.signedResponse())).nameId).toBe('ada@awesome.example')
  })

  const cases: readonly [string, SsoCheck, () => Promise<string>][] = [
    [
      '1: the signed response in the signature of another one',
      'response',
      async () => {
        const signed = await stage.signedResponse()
        return around(newId(), inObject(signed, withoutSignature(signed)))
      },
    ],
    [
      '1: with the same ID',
      'response',
      async () => {
        const id = newId()
        const signed = await stage.signedResponse({ id })
        return around(id, inObject(signed, withoutSignature(signed)))
      },
    ],
    [
      '2: the signed response before the signature of another one',
      'response',
      async () => {
        const signed = await stage.signedResponse()
        return around(newId(), withoutSignature(signed) + signatureOf(signed))
      },
    ],
    [
      '3: another assertion before the signed one',
      'response',
      async () => response({ content: evil() + (await stage.signed()) }),
    ],
    [
      '3: another assertion after the signed one',
      'response',
      async () => response({ content: (await stage.signed()) + evil() }),
    ],
    [
      '3: another assertion with the same ID',
      'response',
      async () => {
        const id = newId()
        return response({ content: evil({ id }) + (await stage.signed({ id })) })
      },
    ],
    [
      '4: the signed assertion within another one',
      'response',
      async () => response({ content: evil({ more: await stage.signed() }) }),
    ],
    [
      '4: the signed assertion as advice to another one',
      'response',
      async () => response({ content: evil({ more: `<saml:Advice>${await stage.signed()}</saml:Advice>` }) }),
    ],
    [
      '5: the signed assertion after one that has its signature',
      'response',
      async () => {
        const signed = await stage.signed()
        return response({
          content: evil({ signature: signatureOf(signed) }) + withoutSignature(signed),
        })
      },
    ],
    [
      '6: the signed assertion within its signature, in another one',
      'response',
      async () => {
        const signed = await stage.signed()
        return response({ content: evil({ signature: inObject(signed, withoutSignature(signed)) }) })
      },
    ],
    [
      '7: another assertion as an extension',
      'response',
      async () => inExtensions(evil(), await stage.signed()),
    ],
    [
      '7: the signed assertion as an extension',
      'response',
      async () => inExtensions(await stage.signed(), evil()),
    ],
    [
      '7: the signed response as an extension of another one',
      'response',
      async () => inExtensions(await stage.signedResponse({ content: '', status: refusedStatus }), evil()),
    ],
    [
      '8: the signed assertion in an Object of the signature of another one',
      'response',
      async () => {
        const signed = await stage.signed()
        const inside = inObject(signed, `<x>${withoutSignature(signed)}</x>`)
        return response({ content: evil({ signature: inside }) })
      },
    ],
    [
      'beside an encrypted one',
      'response',
      async () => response({ content: (await stage.encrypted(await stage.signed())) + evil() }),
    ],
    [
      'of an assertion that hides under another namespace',
      'response',
      async () =>
        response({
          content: (await stage.signed()) + evil().replace(/xmlns:saml="[^"]+"/, 'xmlns:saml="urn:x"'),
        }),
    ],
    [
      'of an assertion that hides in an attribute',
      'response',
      async () => response({ content: evil({ attributes: attributesOf({ a: await stage.signed() }) }) }),
    ],
    [
      'with the signature of one assertion on another',
      'signature_form',
      async () => response({ content: evil({ signature: signatureOf(await stage.signed()) }) }),
    ],
    [
      'with the signature of one assertion on another, which takes its ID',
      'signature',
      async () => {
        const id = newId()
        return response({ content: evil({ id, signature: signatureOf(await stage.signed({ id })) }) })
      },
    ],
    [
      'with a signature of the response that covers the assertion alone',
      'signature_form',
      async () => {
        const id = newId()
        const content = assertion({ id })
        return stage.tool.sign(response({ signature: signature(id), content }), stage.key)
      },
    ],
    [
      'with a signature of the assertion that covers the response',
      'signature_form',
      async () => {
        const id = newId()
        const content = assertion({ signature: signature(id) })
        return stage.tool.sign(response({ id, content }), stage.key)
      },
    ],
    [
      'with a signature of the whole document, by an empty reference',
      'signature_form',
      async () => {
        const content = assertion({ signature: signature('', { uri: '' }) })
        return stage.tool.sign(response({ content }), stage.key)
      },
    ],
    [
      'with a signature of the subject, in the subject',
      'signature_form',
      async () => {
        const id = newId()
        const subject = `<saml:Subject ID="${id}">${nameIdOf('eve')}${signature(id)}</saml:Subject>`
        const content = withoutDeclaration(await stage.tool.sign(assertion({ subject }), stage.key))
        // The response is signed as a whole, so that it has no other fault.
        return stage.signedResponse({ content })
      },
    ],
    [
      'with an ID that is there twice',
      'signature_form',
      async () => {
        const id = newId()
        return response({ content: await stage.signed({ id }) }).replace(
          '<samlp:Status>',
          `<samlp:Status ID="${id}">`,
        )
      },
    ],
    [
      'with an ID that is there twice, as Id of another namespace',
      'signature_form',
      async () => {
        const id = newId()
        return response({ content: await stage.signed({ id }) }).replace(
          '<samlp:Status>',
          `<samlp:Status xmlns:wsu="urn:wsu" wsu:Id="${id}">`,
        )
      },
    ],
    [
      'with two signatures of the assertion',
      'signature_form',
      async () => {
        const signed = await stage.signed()
        const content = signed.replace('<saml:Subject>', `${signatureOf(signed)}<saml:Subject>`)
        // The response is signed as a whole, because otherwise two assertions would count as unsigned.
        return stage.signedResponse({ content })
      },
    ],
    [
      'with a reference that a quotation mark leads astray',
      'signature_form',
      async () => {
        const signed = await stage.signed()
        return response({ content: signed.replace(/URI="#[^"]+"/, `URI="#x' or @ID='y"`) })
      },
    ],
    [
      'with two references',
      'signature_form',
      async () => {
        const signed = await stage.signed()
        const reference = /<ds:Reference .*<\/ds:Reference>/s.exec(signed)?.[0] ?? ''
        return response({ content: signed.replace(reference, reference + reference) })
      },
    ],
    [
      'within an encrypted assertion',
      'signature',
      async () => {
        const signed = await stage.signed()
        const inside = evil({ signature: signatureOf(signed), more: withoutSignature(signed) })
        return response({ content: await stage.encrypted(inside) })
      },
    ],
  ]
  for (const [title, check, make] of cases)
    test(`${title}, is refused by ${check}`, async () => {
      await stage.refuse(await make(), check)
    })
})
