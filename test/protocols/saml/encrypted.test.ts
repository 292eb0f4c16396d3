import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../../sampled.js'
import type { SsoCheck } from '@portico/contract/sso-checks'
import { assertion, exclusive, nameIdOf, response } from './response-template.js'
import { cbc, startStage, type ContextChanges, type EncryptionParts, type Stage } from './stage.js'
import { hasXmlsec } from './xmlsec.js'

const xenc = 'http://www.w3.org/2001/04/xmlenc#'
const dsig = 'http://www.w3.org/2000/09/xmldsig#'

describe.skipIf(!hasXmlsec)('an encrypted assertion', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage()
  })
  afterAll(() => stage.close())

  const sent = async (how: EncryptionParts = {}, edit = (xml: string) => xml) =>
    response({ content: edit(await stage.encrypted(await stage.signed(), how)) })

  const forms: readonly [string, SsoCheck, () => Promise<string>, ContextChanges?][] = [
    ['by AES-CBC, in a response that is not signed', 'encryption_form', () => sent(cbc)],
    [
      'by 3DES',
      'encryption_form',
      () => sent({ cipher: `${xenc}tripledes-cbc`, sessionKey: 'des-192' }),
      { allowCbcUnsignedResponse: true },
    ],
    ['whose key is by RSA 1.5', 'encryption_form', () => sent({ keyMethod: `${xenc}rsa-1_5` })],
    [
      'whose key is by RSA-OAEP with SHA-256',
      'encryption_form',
      () =>
        sent({}, (xml) =>
          xml.replace(
            /(<xenc:EncryptionMethod Algorithm="[^"]*rsa-oaep-mgf1p")\/?>(<\/xenc:EncryptionMethod>)?/,
            `$1><ds:DigestMethod Algorithm="${xenc}sha256"/></xenc:EncryptionMethod>`,
          ),
        ),
    ],
    [
      'whose key stands beside it',
      'encryption_form',
      () =>
        sent({}, (xml) => {
          const key = /<xenc:EncryptedKey>.*<\/xenc:EncryptedKey>/s.exec(xml)?.[0] ?? ''
          const beside = key.replace(
            '<xenc:EncryptedKey',
            `<xenc:EncryptedKey xmlns:xenc="${xenc}" xmlns:ds="${dsig}"`,
          )
          return xml.replace(key, '<ds:RetrievalMethod URI="#k"/>').replace('</saml:', `${beside}</saml:`)
        }),
    ],
    [
      'with two keys',
      'encryption_form',
      () =>
        sent({}, (xml) => {
          const key = /<xenc:EncryptedKey>.*<\/xenc:EncryptedKey>/s.exec(xml)?.[0] ?? ''
          return xml.replace(key, key + key)
        }),
    ],
    [
      'whose content is somewhere else',
      'encryption_form',
      () =>
        sent({}, (xml) =>
          xml.replace(
            /<xenc:CipherValue>[^<]*<\/xenc:CipherValue>(?=<\/xenc:CipherData><\/xenc:EncryptedData>)/,
            '<xenc:CipherReference URI="http://127.0.0.1:1/x"/>',
          ),
        ),
    ],
    [
      'that is empty',
      'encryption_form',
      () => sent({}, (xml) => xml.replace(/<xenc:EncryptedData.*<\/xenc:EncryptedData>/s, '')),
    ],
    [
      'that is a plain one with an encrypted name',
      'encryption_form',
      async () => {
        const data = /<xenc:EncryptedData.*<\/xenc:EncryptedData>/s.exec(await sent())?.[0] ?? ''
        const nameId = `<saml:EncryptedID>${data}</saml:EncryptedID>`
        return response({ content: await stage.signed({ nameId }) })
      },
    ],
  ]
  for (const [title, check, make, changes] of forms)
    test(`${title}, is refused by ${check}`, async () => {
      await stage.refuse(await make(), check, changes)
    })

  const hidden: readonly [string, SsoCheck, () => Promise<string>][] = [
    ['signed by RSA with SHA-1', 'assertion', () => stage.signed({}, { method: `${dsig}rsa-sha1` })],
    ['with a digest by SHA-1', 'assertion', () => stage.signed({}, { digest: `${dsig}sha1` })],
    [
      'signed in a canonical form that keeps comments',
      'assertion',
      () => stage.signed({}, { canonical: `${exclusive}WithComments` }),
    ],
    [
      'signed over a canonical form that keeps comments',
      'assertion',
      () =>
        stage.signed(
          {},
          {
            transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', `${exclusive}WithComments`],
          },
        ),
    ],
    [
      'with another one in it',
      'assertion',
      () => stage.signed({ more: `<saml:Advice>${assertion()}</saml:Advice>` }),
    ],
    ['that is not signed', 'signature', () => Promise.resolve(assertion())],
    ['signed by a stranger', 'signature', () => stage.signed({}, {}, stage.stranger)],
    [
      'with a comment in the name',
      'signature',
      () => stage.signed({ nameId: nameIdOf('ada<!-- -->@awesome.example') }),
    ],
    ['with a document type', 'signature', async () => `<!DOCTYPE x>${await stage.signed()}`],
    ['that is no document', 'signature', () => Promise.resolve('ada@awesome.example')],
  ]
  for (const [title, check, make] of hidden)
    test(`${title} inside, is refused by ${check}`, async () => {
      const content = await stage.encrypted(await make())
      await stage.refuse(response({ content }), check)
    })

  test('signed inside by SHA-1 is refused in a response that is signed as it should be, too', async () => {
    const inside = await stage.signed({}, { method: `${dsig}rsa-sha1`, digest: `${dsig}sha1` })
    const xml = await stage.signedResponse({ content: await stage.encrypted(inside) })
    await stage.refuse(xml, 'assertion')
    await stage.accept(xml, { allowSha1: true })
  })

  test('in a response with a wrong signature is not decrypted', async () => {
    const content = await stage.encrypted(await stage.signed(), cbc)
    const xml = await stage.signedResponse({ content }, {}, stage.stranger)
    let isTouched = false
    const privateKeys = new Proxy([stage.ours.privateKey], {
      get(keys, name) {
        isTouched = true
        return Reflect.get(keys, name) as unknown
      },
    })
    await stage.refuse(xml, 'signature', { privateKeys })
    expect(isTouched).toBe(false)
  })

  longTest('says the same for every reason for which it cannot be opened or is not signed', async () => {
    const stranger = { certificate: stage.stranger.certificate }
    const last =
      /(?<=<xenc:CipherValue>)([^<]*)(<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>)/
    const first = /(<xenc:CipherData><xenc:CipherValue>)([^<]*)/
    const flipped = (base64: string, at: number) => {
      const bytes = Buffer.from(base64, 'base64')
      bytes[at < 0 ? bytes.length + at : at] = (bytes.at(at) ?? 0) ^ 1
      return bytes.toString('base64')
    }
    const broken = (how: EncryptionParts, at: number) =>
      sent(how, (xml) => xml.replace(last, (_, base64: string, end: string) => flipped(base64, at) + end))
    const documents = [
      await sent(stranger),
      await sent({}, (xml) => xml.replace(first, (_, begin: string, key: string) => begin + flipped(key, 5))),
      await sent({}, (xml) => xml.replace(last, '$2')),
      await broken({}, 0),
      await broken({}, 40),
      await broken({}, -1),
      // With AES-CBC: only the padding, only the text.
      await broken(cbc, -17),
      await broken(cbc, 20),
      response({ content: await stage.encrypted(assertion()) }),
      response({ content: await stage.encrypted(await stage.signed({}, {}, stage.stranger)) }),
    ]
    const told = []
    for (const xml of documents)
      told.push(await stage.refuse(xml, 'signature', { allowCbcUnsignedResponse: true }))
    expect(new Set(told.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(told[0]?.received).toBe('an encrypted assertion')
  })
})
