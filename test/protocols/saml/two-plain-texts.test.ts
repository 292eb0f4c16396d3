import { constants, createCipheriv, publicEncrypt, randomBytes, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exclusive, nameIdOf, response } from './response-template.js'
import { startStage, type Stage } from './stage.js'
import { hasXmlsec } from './xmlsec.js'

const xenc = 'http://www.w3.org/2001/04/xmlenc#'
const dsig = 'http://www.w3.org/2000/09/xmldsig#'
const gcm = 'http://www.w3.org/2009/xmlenc11#aes256-gcm'

/** CPU budget, in milliseconds. */
const budgetMs = 200

describe.skipIf(!hasXmlsec)('an encrypted assertion in which another reader finds another text', () => {
  let stage: Stage
  let good: string
  let bad: string
  beforeAll(async () => {
    stage = await startStage()
    good = await stage.signed()
    bad = await stage.signed(other, { method: `${dsig}rsa-sha1`, digest: `${dsig}sha1` })
  })
  afterAll(() => stage.close())

  /**
   * Places one text where the service reads it, and another where a parser reads it that takes the first CipherValue as
   * the key.
   */
  function sent(hidden: string, edit: (xml: string, parts: Ciphers) => string): string {
    const parts = ciphersOf(good, hidden, stage.ours.certificate)
    return response({ content: edit(encryptionOf(parts), parts) })
  }

  /** The key is in a nested KeyInfo, and content that another parser decrypts takes its position. */
  const inKeyInfo = (hidden: string) =>
    sent(hidden, (_, { key, shown, hidden: content }) =>
      encryptionOf({ key: shown, shown: content, info: cipherValue(key) }),
    )

  test('is taken as it is where it has one text alone', async () => {
    const proved = await stage.accept(sent(bad, (xml) => xml))
    expect(proved.nameId).toBe('ada@awesome.example')
  })

  test('one that is signed by RSA with SHA-1, is refused by encryption_form', async () => {
    await stage.refuse(inKeyInfo(bad), 'encryption_form')
  })

  test('one whose signature keeps comments, is refused by encryption_form', async () => {
    const withComments = await stage.signed(other, { canonical: `${exclusive}WithComments` })
    await stage.refuse(inKeyInfo(withComments), 'encryption_form')
  })

  test('one of 33,000 elements, is refused by encryption_form in less than 200 ms', async () => {
    const large = good.replace('</saml:Assertion>', `${'<a/>'.repeat(33_000)}</saml:Assertion>`)
    const xml = inKeyInfo(large)
    const before = process.cpuUsage()
    await stage.refuse(xml, 'encryption_form')
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(budgetMs)
  })

  const places: Record<string, (value: string) => (xml: string) => string> = {
    'the method of the content': (value) => (xml) =>
      xml.replace(`<xenc:EncryptionMethod Algorithm="${gcm}"/>`, (method) =>
        method.replace('/>', `>${value}</xenc:EncryptionMethod>`),
      ),
    'the method of the key': (value) => (xml) =>
      xml.replace(`Algorithm="${xenc}rsa-oaep-mgf1p"/>`, (method) =>
        method.replace('/>', `>${value}</xenc:EncryptionMethod>`),
      ),
    'a hash of the key': (value) => (xml) =>
      xml.replace(`Algorithm="${xenc}rsa-oaep-mgf1p"/>`, (method) =>
        method.replace(
          '/>',
          `><ds:DigestMethod Algorithm="${dsig}sha1">${value}</ds:DigestMethod></xenc:EncryptionMethod>`,
        ),
      ),
    'the name of a key': (value) => (xml) =>
      xml.replace('<xenc:CipherData>', `<ds:KeyInfo><ds:KeyName>${value}</ds:KeyName></ds:KeyInfo>$&`),
    'the certificate of a key': (value) => (xml) =>
      xml.replace(
        '<xenc:CipherData>',
        `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${value}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>$&`,
      ),
    'another key': (value) => (xml) =>
      xml.replace(
        '<xenc:CipherData>',
        `<ds:KeyInfo><xenc:EncryptedKey>${value}</xenc:EncryptedKey></ds:KeyInfo>$&`,
      ),
    'another place of a key': (value) => (xml) =>
      xml.replace('<xenc:CipherData>', `<ds:KeyInfo><ds:RetrievalMethod URI="#k"/></ds:KeyInfo>$&${value}`),
    'the KeyInfo': (value) => (xml) => xml.replace('<xenc:EncryptedKey>', `${value}$&`),
    'the content of the key': (value) => (xml) => xml.replace('<xenc:CipherValue>', `${value}$&`),
    'the value of the key': (value) => (xml) => xml.replace('<xenc:CipherValue>', `$&${value}`),
    'the encrypted data': (value) => (xml) => xml.replace('<xenc:EncryptionMethod', `${value}$&`),
    'the encrypted assertion': (value) => (xml) => xml.replace('<xenc:EncryptedData', `${value}$&`),
  }
  for (const [title, edit] of Object.entries(places))
    test(`with a CipherValue in ${title}, is refused by encryption_form`, async () => {
      await stage.refuse(
        sent(bad, (xml, { key }) => edit(cipherValue(key))(xml)),
        'encryption_form',
      )
      const foreign = `<CipherValue xmlns="urn:other">x</CipherValue>`
      await stage.refuse(sent(bad, edit(foreign)), 'encryption_form')
    })

  test('with a CipherValue elsewhere in the response, is refused by encryption_form', async () => {
    for (const value of [`<xenc:CipherValue xmlns:xenc="${xenc}">x</xenc:CipherValue>`, '<CipherValue/>']) {
      const xml = sent(bad, (content) => content)
      await stage.refuse(
        xml.replace('<samlp:Status>', `<samlp:Extensions>${value}</samlp:Extensions>$&`),
        'encryption_form',
      )
      await stage.refuse(
        response({ content: await stage.signed({ more: `<saml:Advice>${value}</saml:Advice>` }) }),
        'encryption_form',
      )
    }
  })

  test('with the names of our key beside it is taken', async () => {
    const names =
      '<ds:KeyName>portico</ds:KeyName><ds:X509Data><ds:X509Certificate>AAAA</ds:X509Certificate></ds:X509Data>' +
      '<ds:X509Data><ds:X509IssuerSerial><ds:X509IssuerName>CN=auth.example</ds:X509IssuerName>' +
      '<ds:X509SerialNumber>1</ds:X509SerialNumber></ds:X509IssuerSerial></ds:X509Data>' +
      '<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>AAAA</ds:Modulus><ds:Exponent>AQAB</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>'
    await stage.accept(sent(bad, (_, parts) => encryptionOf({ ...parts, info: names })))
  })

  test('is verified inside, too, where the response is signed', async () => {
    const content = await stage.encrypted(await stage.signed({}, {}, stage.stranger))
    await stage.refuse(await stage.signedResponse({ content }), 'signature')
  })
})

const other = { nameId: nameIdOf('eve@awesome.example') }

interface Ciphers {
  readonly key: string
  readonly shown: string
  readonly hidden: string
}

/** Two texts encrypted with one key, and this key encrypted for the certificate; all in base64. */
function ciphersOf(shown: string, hidden: string, certificate: string): Ciphers {
  const key = randomBytes(32)
  const encrypt = (text: string) => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64')
  }
  const { publicKey } = new X509Certificate(certificate)
  const oaep = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }
  return {
    key: publicEncrypt(oaep, key).toString('base64'),
    shown: encrypt(shown),
    hidden: encrypt(hidden),
  }
}

function encryptionOf({ key, shown, info }: { key: string; shown: string; info?: string }): string {
  return (
    `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:xenc="${xenc}"` +
    ` xmlns:ds="${dsig}"><xenc:EncryptedData Type="${xenc}Element">` +
    `<xenc:EncryptionMethod Algorithm="${gcm}"/><ds:KeyInfo><xenc:EncryptedKey>` +
    `<xenc:EncryptionMethod Algorithm="${xenc}rsa-oaep-mgf1p"/>` +
    `${info === undefined ? '' : `<ds:KeyInfo>${info}</ds:KeyInfo>`}` +
    `<xenc:CipherData>${cipherValue(key)}</xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo>` +
    `<xenc:CipherData>${cipherValue(shown)}</xenc:CipherData></xenc:EncryptedData></saml:EncryptedAssertion>`
  )
}

function cipherValue(base64: string): string {
  return `<xenc:CipherValue>${base64}</xenc:CipherValue>`
}
