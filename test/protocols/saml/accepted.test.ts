import { constants, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { coveredBytes } from '@portico/server/saml/covered-bytes'
import { readIdpMetadata } from '@portico/server/saml/metadata'
import { selfSignedCertificate } from '@portico/server/saml/self-signed-certificate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../../sampled.js'
import {
  assertion,
  at,
  attributesOf,
  authnStatementOf,
  conditionsOf,
  confirmation,
  exclusive,
  idp,
  instant,
  requestId,
  response,
  rsaSha256,
  signature,
} from './response-template.js'
import { cbc, gcm, startStage, type Stage } from './stage.js'
import { hasXmlsec, withoutDeclaration } from './xmlsec.js'

describe.skipIf(!hasXmlsec)('a response signed by xmlsec1 is taken', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage()
  })
  afterAll(() => stage.close())

  test('whose assertion is signed, and tells all that it says', async () => {
    const proved = await stage.accept(
      response({
        content: await stage.signed({
          id: '_assertion',
          attributes: attributesOf({ email: 'ada@awesome.example', __proto__name: 'x', nameID: 'eve' }),
        }),
      }),
    )
    expect({ ...proved, attributes: { ...proved.attributes } }).toEqual({
      id: '_assertion',
      nameId: 'ada@awesome.example',
      nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      sessionIndex: 's1',
      authnContext: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      inResponseTo: requestId,
      issuedAt: new Date(instant(-5)),
      authenticatedAt: new Date(instant(-10)),
      usableUntil: new Date(at.getTime() + (300 + 120) * 1000),
      attributes: { email: ['ada@awesome.example'], __proto__name: ['x'], nameID: ['eve'] },
    })
    expect(Object.getPrototypeOf(proved.attributes)).toBeNull()
  })

  test('with characters in a name that XML 1.1 takes for line breaks', async () => {
    const name = 'Ada\u2028Lovelace\u0085'
    const { attributes } = await stage.accept(
      response({ content: await stage.signed({ attributes: attributesOf({ name }) }) }),
    )
    expect(attributes.name).toEqual([name])
  })

  test('that is signed itself, around an assertion that is not', async () => {
    const proved = await stage.accept(await stage.signedResponse())
    expect(proved.nameId).toBe('ada@awesome.example')
  })

  test('that is signed as its assertion is', async () => {
    await stage.accept(await stage.signedResponse({ content: await stage.signed() }))
  })

  const sha384 = {
    method: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
    digest: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  }
  longTest('by RSA with SHA-384, the assertion, the response or both, also encrypted', async () => {
    const content = await stage.signed({}, sha384)
    expect(await stage.tool.verifies(content, stage.key.certificate, 'Assertion')).toBe(true)
    await stage.accept(response({ content }))
    await stage.accept(await stage.signedResponse({}, sha384))
    await stage.accept(await stage.signedResponse({ content }, sha384))
    const encrypted = await stage.encrypted(content)
    await stage.accept(response({ content: encrypted }))
    await stage.accept(await stage.signedResponse({ content: encrypted }, sha384))
  })

  test('by RSA with SHA-384 by that key alone, over that text alone', async () => {
    const byStranger = await stage.signed({}, sha384, stage.stranger)
    await stage.refuse(response({ content: byStranger }), 'signature')
    const altered = (await stage.signed({}, sha384)).replace('ada@', 'eve@')
    await stage.refuse(response({ content: altered }), 'signature')
    const weaker = (await stage.signed({}, sha384)).replace(sha384.method, rsaSha256)
    await stage.refuse(response({ content: weaker }), 'signature')

    // The library itself refuses it, too: this test bypasses the service's own check.
    const xml = await stage.signedResponse({}, sha384)
    const isRight = (text: string, { certificate } = stage.key) =>
      coveredBytes({ xml: text, signers: [certificate], isSigned: true, isAssertionSigned: false }) !==
      undefined
    expect(isRight(xml)).toBe(true)
    expect(isRight(xml, stage.stranger)).toBe(false)
    expect(isRight(xml.replace('ada@', 'eve@'))).toBe(false)
    expect(isRight(xml.replace(/(?<=<ds:SignatureValue>)[^<]{4}/, 'AAAA'))).toBe(false)
    expect(isRight(xml.replace(sha384.digest, 'http://www.w3.org/2001/04/xmlenc#sha256'))).toBe(false)
  })

  test('by RSA with SHA-512', async () => {
    const sha512 = {
      method: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
      digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
    }
    await stage.accept(response({ content: await stage.signed({}, sha512) }))
  })

  test('by RSA-PSS with SHA-256, which openssl knows and xmlsec1 does not', async () => {
    const method = 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1'
    const signed = (await stage.signed()).replace(rsaSha256, method)
    const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(signed)?.[0] ?? ''
    const canonical = info
      .replace('<ds:SignedInfo>', '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">')
      .replace(/<(ds:\w+)([^<>]*)\/>/g, '<$1$2></$1>')
    const key = await readFile(stage.key.keyFile)
    const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
    const value = sign('sha256', Buffer.from(canonical), pss).toString('base64')
    const content = signed.replace(/(?<=<ds:SignatureValue>)[^<]+/, value)
    await stage.accept(response({ content }))
  })

  test('with a list of prefixes and a type of its values, as some products have them', async () => {
    const id = '_assertion'
    const list = `<ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="xs #default"/>`
    const plain = `<ds:Transform Algorithm="${exclusive}"/>`
    const template = assertion({
      id,
      signature: signature(id).replace(plain, `${plain.replace('/>', '>')}${list}</ds:Transform>`),
      attributes:
        `<saml:AttributeStatement xmlns:xs="http://www.w3.org/2001/XMLSchema"><saml:Attribute Name="email">` +
        `<saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">` +
        `ada@awesome.example</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`,
    })
    const content = withoutDeclaration(await stage.tool.sign(template, stage.key))
    const proved = await stage.accept(response({ content }))
    expect(proved.attributes.email).toEqual(['ada@awesome.example'])
  })

  longTest('by the second certificate of the metadata, while the first is still there', async () => {
    const next = await stage.tool.key('idp.example')
    const content = await stage.signed({}, {}, next)
    const certificates = [stage.key.certificate, next.certificate]
    await stage.accept(response({ content }), { certificates })
    await stage.refuse(response({ content }), 'signature')
  })

  longTest(
    'by a key whose certificate stands in the metadata beside its authority, which may not sign itself',
    async () => {
      const authority = await stage.tool.key('authority.example')
      const issued = await stage.tool.issuedBy(authority, 'idp.example')
      const listed = [authority, issued].map(
        ({ certificate }) =>
          `<X509Certificate>${certificate.replace(/-----[A-Z ]+-----/g, '')}</X509Certificate>`,
      )
      const metadata = readIdpMetadata(
        `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${idp.entityId}">` +
          `<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor>` +
          `<KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>${listed.join('')}</X509Data></KeyInfo>` +
          `</KeyDescriptor><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"` +
          ` Location="https://idp.example/sso"/></IDPSSODescriptor></EntityDescriptor>`,
      )
      const certificates = metadata.certificates.map(({ pem }) => pem)
      await stage.accept(response({ content: await stage.signed({}, {}, issued) }), { certificates })
      await stage.refuse(response({ content: await stage.signed({}, {}, authority) }), 'signature', {
        certificates,
      })
    },
  )

  test('by a key whose certificate has expired', async () => {
    const privateKey = createPrivateKey(await readFile(stage.key.keyFile))
    const expired = selfSignedCertificate({
      commonName: 'idp.example',
      notBefore: new Date('2019-01-01T00:00:00Z'),
      notAfter: new Date('2020-01-01T00:00:00Z'),
      publicKey: createPublicKey(privateKey),
      privateKey,
    })
    await stage.accept(response({ content: await stage.signed() }), { certificates: [expired] })
  })

  for (const [name, how] of Object.entries({ gcm, gcm128: { ...gcm, ...gcm128 } }))
    test(`encrypted by AES (${name})`, async () => {
      const content = await stage.encrypted(await stage.signed(), how)
      expect((await stage.accept(response({ content }))).nameId).toBe('ada@awesome.example')
    })

  test('encrypted by AES-CBC, in a response that is signed', async () => {
    const content = await stage.encrypted(await stage.signed(), cbc)
    await stage.accept(await stage.signedResponse({ content }))
    const unsigned = await stage.encrypted(
      (await stage.signed()).replace(/<ds:Signature.*<\/ds:Signature>/s, ''),
      cbc,
    )
    await stage.accept(await stage.signedResponse({ content: unsigned }))
  })

  test('encrypted by AES-CBC in a response that is not signed, where the connection allows it', async () => {
    const content = await stage.encrypted(await stage.signed(), cbc)
    await stage.accept(response({ content }), { allowCbcUnsignedResponse: true })
  })

  test('encrypted to the earlier one of our keys, while they are replaced', async () => {
    const content = await stage.encrypted(await stage.signed())
    const next = await stage.tool.key('auth.example')
    const nextKey = await readFile(next.keyFile, 'utf8')
    await stage.accept(response({ content }), { privateKeys: [nextKey, stage.ours.privateKey] })
  })

  test('by SHA-1, where the connection allows it', async () => {
    const content = await stage.signed({}, sha1)
    await stage.accept(response({ content }), { allowSha1: true })
  })

  test('that nobody has asked for: its proof says so', async () => {
    const content = await stage.signed({ confirmations: confirmation({ InResponseTo: undefined }) })
    const proved = await stage.accept(response({ content, inResponseTo: undefined }))
    expect(proved.inResponseTo).toBeNull()
  })

  test('without the issuer, the destination and the times that are not demanded', async () => {
    const content = await stage.signed({
      conditions: conditionsOf({ NotBefore: undefined, NotOnOrAfter: undefined }),
    })
    await stage.accept(response({ content, issuer: '', destination: undefined }))
  })

  test('with white space where XML allows it, and text that is escaped', async () => {
    const content = await stage.signed({
      attributes: attributesOf({ name: ' A &amp; B &lt;c&gt; ', empty: '' }),
      authnStatement: authnStatementOf(`AuthnInstant="${instant(-10)}"`),
    })
    const xml = `\uFEFF<?xml version="1.0" encoding="UTF-8"?>\r\n${response({ content: `\r\n  ${content}\r\n` })}\r\n`
    const proved = await stage.accept(xml)
    expect({ ...proved.attributes }).toEqual({ name: ['A & B <c>'] })
    expect(proved.sessionIndex).toBeNull()
  })

  test('of an hour that it says itself, no longer than an hour after it was issued', async () => {
    const content = await stage.signed({
      conditions: conditionsOf({ NotOnOrAfter: instant(86_400) }),
      confirmations: confirmation({ NotOnOrAfter: instant(86_400) }),
    })
    const proved = await stage.accept(response({ content }))
    expect(proved.usableUntil).toEqual(new Date(at.getTime() + (3600 - 5 + 120) * 1000))
  })
})

const gcm128 = { cipher: 'http://www.w3.org/2009/xmlenc11#aes128-gcm', sessionKey: 'aes-128' }
const sha1 = {
  method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  digest: 'http://www.w3.org/2000/09/xmldsig#sha1',
}
