import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SsoCheck } from '@portico/contract/sso-checks'
import { openResponse, validateResponse } from '@portico/server/saml/validate-response'
import {
  assertion,
  at,
  attributesOf,
  enveloped,
  exclusive,
  idp,
  nameIdOf,
  newId,
  response,
  signature,
  sp,
} from './response-template.js'
import { startStage, type ContextChanges, type Stage } from './stage.js'
import { hasXmlsec, withoutDeclaration } from './xmlsec.js'

const dsig = 'http://www.w3.org/2000/09/xmldsig#'
const more = 'http://www.w3.org/2001/04/xmldsig-more#'

describe.skipIf(!hasXmlsec)('a forged response', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage()
  })
  afterAll(() => stage.close())

  const stolenCertificate = () => {
    const base64 = stage.key.certificate.replace(/-----[A-Z ]+-----|\s/g, '')
    return `<ds:X509Data><ds:X509Certificate>${base64}</ds:X509Certificate></ds:X509Data>`
  }
  const hmacSigned = async (secret: string, method: string) => {
    const id = newId()
    const template = assertion({ id, signature: signature(id, { method, keyInfo: '' }) })
    return response({ content: withoutDeclaration(await stage.tool.signByHmac(template, secret)) })
  }
  const publicKeyOf = (certificate: string) => certificate.trim()

  const cases: readonly [string, SsoCheck, () => Promise<string>, ContextChanges?][] = [
    ['without a signature', 'signature_form', () => Promise.resolve(response())],
    [
      'whose signature was cut out',
      'signature_form',
      async () =>
        response({ content: (await stage.signed()).replace(/<ds:Signature .*<\/ds:Signature>/s, '') }),
    ],
    [
      'with another name than was signed',
      'signature',
      async () =>
        response({
          content: (await stage.signed()).replaceAll('ada@awesome.example', 'eve@awesome.example'),
        }),
    ],
    [
      'with more than was signed',
      'signature',
      async () =>
        response({
          content: (await stage.signed()).replace(
            '</saml:Assertion>',
            `${attributesOf({ role: 'admin' })}</saml:Assertion>`,
          ),
        }),
    ],
    [
      'whose own signature is wrong, around an assertion whose signature is right',
      'signature',
      async () => {
        const signed = await stage.signedResponse({ content: await stage.signed() })
        return signed.replace('<samlp:Status>', '<samlp:Status >').replace('Success"', 'Success" x="1"')
      },
    ],
    [
      'signed by a stranger, whose certificate it carries',
      'signature',
      async () => response({ content: await stage.signed({}, {}, stage.stranger) }),
    ],
    [
      'signed by a stranger, with the certificate of the identity provider in it',
      'signature',
      async () =>
        response({ content: await stage.signed({}, { keyInfo: stolenCertificate() }, stage.stranger) }),
    ],
    [
      'signed by a stranger, without any certificate',
      'signature',
      async () => response({ content: await stage.signed({}, { keyInfo: '' }, stage.stranger) }),
    ],
    [
      'signed by a stranger as a whole, around an assertion of the identity provider',
      'signature',
      async () => stage.signedResponse({ content: await stage.signed() }, {}, stage.stranger),
    ],
    [
      'by an HMAC whose secret is the public certificate',
      'signature_form',
      () => hmacSigned(publicKeyOf(stage.key.certificate), `${dsig}hmac-sha1`),
    ],
    [
      'by an HMAC with SHA-256',
      'signature_form',
      () => hmacSigned(publicKeyOf(stage.key.certificate), `${more}hmac-sha256`),
    ],
    [
      'by RSA with SHA-1',
      'signature_form',
      async () => response({ content: await stage.signed({}, { method: `${dsig}rsa-sha1` }) }),
    ],
    [
      'with a digest by SHA-1',
      'signature_form',
      async () => response({ content: await stage.signed({}, { digest: `${dsig}sha1` }) }),
    ],
    [
      'by RSA with MD5, which is said and not done',
      'signature_form',
      async () =>
        response({
          content: (await stage.signed()).replace(`${more}rsa-sha256`, `${more}rsa-md5`),
        }),
      { allowSha1: true },
    ],
    [
      'in a canonical form that keeps comments',
      'signature_form',
      async () => response({ content: await stage.signed({}, { canonical: `${exclusive}WithComments` }) }),
    ],
    [
      'over a canonical form that keeps comments',
      'signature_form',
      async () =>
        response({
          content: await stage.signed({}, { transforms: [enveloped, `${exclusive}WithComments`] }),
        }),
    ],
    [
      'over the inclusive canonical form',
      'signature_form',
      async () =>
        response({
          content: await stage.signed(
            {},
            { transforms: [enveloped, 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'] },
          ),
        }),
    ],
    [
      'with a third transform',
      'signature_form',
      async () =>
        response({ content: await stage.signed({}, { transforms: [enveloped, exclusive, exclusive] }) }),
    ],
    [
      'with a transform by XSLT',
      'signature_form',
      async () =>
        response({
          content: (await stage.signed()).replace(
            `<ds:Transform Algorithm="${exclusive}"/>`,
            '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"/>',
          ),
        }),
    ],
    [
      'with an Object in its signature',
      'signature_form',
      async () => response({ content: await stage.signed({}, { more: '<ds:Object>x</ds:Object>' }) }),
    ],
    [
      'with parameters of its signature method',
      'signature_form',
      async () =>
        response({
          content: (await stage.signed()).replace(
            `<ds:SignatureMethod Algorithm="${more}rsa-sha256"/>`,
            `<ds:SignatureMethod Algorithm="${more}rsa-sha256"><ds:HMACOutputLength>1</ds:HMACOutputLength></ds:SignatureMethod>`,
          ),
        }),
    ],
    [
      'with a longer list of prefixes than any product sends',
      'signature_form',
      async () => {
        const list = `<ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="${'a '.repeat(200)}"/>`
        return response({
          content: (await stage.signed()).replace(
            `<ds:Transform Algorithm="${exclusive}"/>`,
            `<ds:Transform Algorithm="${exclusive}">${list}</ds:Transform>`,
          ),
        })
      },
    ],
  ]
  for (const [title, check, make, changes] of cases)
    test(`${title}, is refused by ${check}`, async () => {
      await stage.refuse(await make(), check, changes)
    })

  test('of an identity provider whose certificates are not in the metadata, is refused by signature', async () => {
    const xml = response({ content: await stage.signed() })
    const told = await stage.refuse(xml, 'signature', { certificates: [stage.stranger.certificate] })
    expect(told.expected).toMatch(/^the certificate [0-9a-f]{64}$/)
    expect(told.received).toMatch(/^a signature that names the certificate [0-9a-f]{64}$/)
    expect(told.received).not.toContain(told.expected)
  })

  const markup: readonly [string, (signed: string) => string][] = [
    ['a comment in the name', (signed) => signed.replace('ada@', 'ada<!-- -->@')],
    ['a comment elsewhere', (signed) => signed.replace('<saml:Subject>', '<!-- --><saml:Subject>')],
    ['a processing instruction', (signed) => signed.replace('<saml:Subject>', '<?x y?><saml:Subject>')],
    [
      'a processing instruction in the name',
      (signed) => signed.replace('ada@awesome.example', 'ada@awesome.example<?x y?>.evil.example'),
    ],
    ['CDATA', (signed) => signed.replace('ada@awesome.example', '<![CDATA[ada@awesome.example]]>')],
    ['an entity that nobody has declared', (signed) => signed.replace('ada@', 'ada&x;@')],
    ['a control character', (signed) => signed.replace('ada@', 'ada&#1;@')],
    [
      'an unusual name of a prefix',
      (signed) => signed.replace('<saml:Subject>', '<saml:Subject xmlns:constructor="urn:x">'),
    ],
    [
      'an attribute that is there twice',
      (signed) => signed.replace('Version="2.0"', 'Version="2.0" Version="2.0"'),
    ],
    [
      'a prefix that nobody has declared',
      (signed) => signed.replace('<saml:Subject>', '<x:y/><saml:Subject>'),
    ],
    ['elements that cross', (signed) => signed.replace('</saml:Subject>', '</saml:Conditions>')],
  ]
  for (const [title, edit] of markup)
    test(`with ${title}, is refused by document`, async () => {
      await stage.refuse(response({ content: edit(await stage.signed()) }), 'document')
    })

  const documents: readonly [string, (xml: string) => string][] = [
    ['a document type', (xml) => `<!DOCTYPE x>${xml}`],
    [
      'an entity that reads a file',
      (xml) => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace('ada@', '&e;')}`,
    ],
    ['an external document type', (xml) => `<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">${xml}`],
    ['something after its end', (xml) => `${xml}${xml}`],
    ['another version of XML', (xml) => `<?xml version="1.1"?>${xml}`],
    [
      '41 levels',
      (xml) => xml.replace('<samlp:Status>', `${'<x>'.repeat(40)}${'</x>'.repeat(40)}<samlp:Status>`),
    ],
    ['3,001 elements', (xml) => xml.replace('<samlp:Status>', `${'<x/>'.repeat(3000)}<samlp:Status>`)],
    [
      '10,001 attributes',
      (xml) =>
        xml.replace('<samlp:Status>', `${'<x a="" b="" c="" d=""/>'.repeat(2500)}<x a=""/><samlp:Status>`),
    ],
    [
      'a namespace of 257 characters',
      (xml) => xml.replace('<samlp:Status>', `<x xmlns:p="${'u'.repeat(257)}"/><samlp:Status>`),
    ],
    [
      '101 namespaces around an element',
      (xml) => {
        const levels = Array.from({ length: 10 }, (_, level) => level)
        const declared = levels.map((index) => `xmlns:p${index}="urn:${index}"`).join(' ')
        return xml.replace(
          '<samlp:Status>',
          `${`<x ${declared}>`.repeat(10)}<x xmlns:p="urn:p"/>${'</x>'.repeat(10)}<samlp:Status>`,
        )
      },
    ],
    [
      '201 names of elements',
      (xml) =>
        xml.replace(
          '<samlp:Status>',
          `${Array.from({ length: 201 }, (_, index) => `<x${index}/>`).join('')}<samlp:Status>`,
        ),
    ],
    [
      'more than 112 kB',
      (xml) => xml.replace('<samlp:Status>', `<x a="${'a'.repeat(114_688)}"/><samlp:Status>`),
    ],
    [
      '21 attributes of one element',
      (xml) =>
        xml.replace(
          '<samlp:Status>',
          `<samlp:Status ${Array.from({ length: 21 }, (_, index) => `a${index}=""`).join(' ')}>`,
        ),
    ],
  ]
  for (const [title, edit] of documents)
    test(`with ${title}, is refused by document`, async () => {
      await stage.refuse(edit(response({ content: await stage.signed() })), 'document')
    })

  const fields: readonly [string, unknown][] = [
    ['missing', undefined],
    ['there twice', ['PHg+', 'PHg+']],
    ['empty', ''],
    ['no base64', '<x/>'],
    ['base64 of the web', 'PHg-'],
    ['longer than 256 kB', Buffer.alloc(262_145, 'x').toString('base64')],
    ['longer than any base64 of 256 kB', 'A'.repeat(400_000)],
  ]
  for (const [title, field] of fields)
    test(`whose form field is ${title}, is refused by encoding`, async () => {
      const { checks } = await validateResponse(await openResponse(field), {
        identityProvider: { ...idp, certificates: [stage.key.certificate] },
        serviceProvider: { ...sp, privateKeys: [] },
        rules: { allowSha1: false, allowCbcUnsignedResponse: false },
        at,
      })
      expect(checks).toMatchObject([{ name: 'encoding', passed: false }])
    })

  test('in bytes that are not UTF-8, is refused by document', async () => {
    const bytes = Buffer.from(response({ content: assertion({ nameId: nameIdOf('\u00e9') }) }), 'latin1')
    const { checks } = await validateResponse(await openResponse(bytes.toString('base64')), {
      identityProvider: { ...idp, certificates: [stage.key.certificate] },
      serviceProvider: { ...sp, privateKeys: [] },
      rules: { allowSha1: false, allowCbcUnsignedResponse: false },
      at,
    })
    expect(checks.at(-1)).toMatchObject({ name: 'document', received: 'bytes that are not UTF-8' })
  })
})
