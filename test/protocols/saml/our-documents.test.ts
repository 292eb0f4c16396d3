import { execFile } from 'node:child_process'
import { createVerify } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'
import { newRequestId, signAuthnRequest } from '@portico/server/saml/authn-request'
import { makeServiceProviderKey, type ServiceProviderKey } from '@portico/server/saml/service-provider-key'
import { toServiceProviderMetadata } from '@portico/server/saml/service-provider-metadata'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTool, samlSchemas } from '../../debian-tools.js'
import { at, sp } from './response-template.js'
import { hasXmlsec, startXmlsec, type Xmlsec } from './xmlsec.js'

const run = promisify(execFile)
const hasSchemas = hasTool('xmllint') && Object.values(samlSchemas).every((file) => existsSync(file))

describe.skipIf(!hasXmlsec)('what we send to identity providers', () => {
  let folder: string
  let tool: Xmlsec
  let key: ServiceProviderKey
  let next: ServiceProviderKey

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portico-saml-'))
    tool = await startXmlsec()
    ;[key, next] = await Promise.all([
      makeServiceProviderKey('auth.example', at),
      makeServiceProviderKey('auth.example', at),
    ])
    await writeFile(join(folder, 'catalog.xml'), catalog)
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
    await tool.remove()
  })

  /** Throws the violations of the schema. */
  async function checkSchema(xml: string, schema: string): Promise<void> {
    const file = join(folder, 'document.xml')
    await writeFile(file, xml)
    const env = { ...process.env, XML_CATALOG_FILES: join(folder, 'catalog.xml') }
    await run('xmllint', ['--noout', '--nonet', '--schema', schema, file], { env })
  }

  const request = (changes: { redirectUrl?: string; postUrl?: string; forceAuthn?: boolean }) =>
    signAuthnRequest({
      id: newRequestId(),
      at,
      ...sp,
      privateKey: key.privateKey,
      redirectUrl: changes.redirectUrl ?? null,
      postUrl: changes.postUrl ?? null,
      forceAuthn: changes.forceAuthn ?? false,
    })
  const posted = () => {
    const sent = request({ postUrl: 'https://idp.example/sso?a=1&b=2' })
    if (sent.binding !== 'post') throw new Error('sent by another binding')
    return { ...sent, xml: Buffer.from(sent.samlRequest, 'base64').toString() }
  }
  const redirected = (redirectUrl = 'https://idp.example/sso') => {
    const sent = request({ redirectUrl, postUrl: 'https://idp.example/post' })
    if (sent.binding !== 'redirect') throw new Error('sent by another binding')
    return sent.url
  }

  test('a certificate is what openssl takes for one, of its own key, for ten years', async () => {
    const file = join(folder, 'certificate.pem')
    await writeFile(file, key.certificate)
    await run('openssl', ['verify', '-x509_strict', '-attime', '1800000000', '-CAfile', file, file])
    const { stdout } = await run('openssl', ['x509', '-in', file, '-noout', '-subject', '-dates', '-purpose'])
    expect(stdout).toContain('CN = auth.example')
    expect(stdout).toContain('notBefore=Mar 13 09:26:53 2026 GMT')
    expect(stdout).toContain('notAfter=Mar 14 09:26:53 2036 GMT')
    expect(stdout).toContain('SSL client CA : No')
    const keyFile = join(folder, 'key.pem')
    await writeFile(keyFile, key.privateKey)
    const modulus = (kind: string, of: string) => run('openssl', [kind, '-in', of, '-noout', '-modulus'])
    expect((await modulus('rsa', keyFile)).stdout).toBe((await modulus('x509', file)).stdout)
  })

  test('keys and ids of requests are never twice the same', () => {
    expect(key.privateKey).not.toBe(next.privateKey)
    expect(newRequestId()).toMatch(/^_[0-9a-f]{40}$/)
    expect(new Set(Array.from({ length: 100 }, newRequestId)).size).toBe(100)
  })

  test.skipIf(!hasSchemas)('our metadata are as the schema of OASIS has them', async () => {
    const certificates = [key.certificate, next.certificate]
    await checkSchema(toServiceProviderMetadata({ ...sp, certificates }), samlSchemas.metadata)
    const hostile = { entityId: 'https://a.example/"<&\'>', acsUrl: 'https://a.example/?a=1&b="2"' }
    await checkSchema(toServiceProviderMetadata({ ...hostile, certificates }), samlSchemas.metadata)
    await expect(
      checkSchema(
        toServiceProviderMetadata({ ...sp, certificates }).replace(' index="0"', ''),
        samlSchemas.metadata,
      ),
    ).rejects.toThrow(/attribute 'index' is required/)
  })

  test('our metadata offer each certificate for signing and for encryption', () => {
    const xml = toServiceProviderMetadata({ ...sp, certificates: [key.certificate, next.certificate] })
    const uses = [...xml.matchAll(/<md:KeyDescriptor use="(\w+)">/g)].map(([, use]) => use)
    expect(uses).toEqual(['signing', 'signing', 'encryption', 'encryption'])
    for (const { certificate } of [key, next])
      expect(xml.split(certificate.replace(/-----[A-Z ]+-----|\s/g, ''))).toHaveLength(3)
    expect(xml).toContain('AuthnRequestsSigned="true" WantAssertionsSigned="true"')
  })

  test.skipIf(!hasSchemas)('requests are as the schema of OASIS has them', async () => {
    await checkSchema(posted().xml, samlSchemas.protocol)
    await checkSchema(inflated(redirected()), samlSchemas.protocol)
    await expect(
      checkSchema(posted().xml.replace(' Version="2.0"', ''), samlSchemas.protocol),
    ).rejects.toThrow(/attribute 'Version' is required/)
  })

  test('xmlsec1 verifies the signature of a request that is posted, and of no other', async () => {
    const { action, xml } = posted()
    expect(action).toBe('https://idp.example/sso?a=1&b=2')
    expect(await tool.verifies(xml, key.certificate, 'AuthnRequest')).toBe(true)
    expect(await tool.verifies(xml, next.certificate, 'AuthnRequest')).toBe(false)
    expect(
      await tool.verifies(xml.replace(sp.acsUrl, 'https://x.example'), key.certificate, 'AuthnRequest'),
    ).toBe(false)
  })

  test('openssl verifies the signature of a request that is redirected, over the address as it is', () => {
    const url = redirected('https://idp.example/sso?a=1&b=2')
    const [, signed = '', signature = ''] =
      /^https:\/\/idp\.example\/sso\?a=1&b=2&(SAMLRequest=[^&]+&SigAlg=[^&]+)&Signature=([^&]+)$/.exec(url) ??
      []
    const verifies = (of: ServiceProviderKey) =>
      createVerify('sha256').update(signed).verify(of.certificate, decodeURIComponent(signature), 'base64')
    expect(verifies(key)).toBe(true)
    expect(verifies(next)).toBe(false)
    expect(decodeURIComponent(signed)).toContain('SigAlg=http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')
  })

  test('a request names where it goes, when, who asks and where to answer; and demands no way of signing in', () => {
    const xml = inflated(redirected('https://idp.example/sso?a=1&b=2'))
    expect(xml).toContain('Destination="https://idp.example/sso?a=1&#38;b=2"')
    expect(xml).toContain('IssueInstant="2026-03-14T09:26:53.000Z"')
    expect(xml).toContain(`<saml:Issuer>${sp.entityId}</saml:Issuer>`)
    expect(xml).toContain(`AssertionConsumerServiceURL="${sp.acsUrl}"`)
    expect(xml).not.toContain('RequestedAuthnContext')
    expect(xml).not.toContain('ForceAuthn')
  })

  test('a request for a new sign-in says so, as the schema of OASIS has it', async () => {
    const sent = request({ redirectUrl: 'https://idp.example/sso', forceAuthn: true })
    if (sent.binding !== 'redirect') throw new Error('sent by another binding')
    const xml = inflated(sent.url)
    expect(xml).toMatch(/^<samlp:AuthnRequest [^>]* ForceAuthn="true">/)
    if (hasSchemas) await checkSchema(xml, samlSchemas.protocol)
  })
})

function inflated(url: string): string {
  const message = new URL(url).searchParams.get('SAMLRequest') ?? ''
  return inflateRawSync(Buffer.from(message, 'base64')).toString()
}

/** Maps the web imports of the OASIS schemas to the files of Debian. */
const catalog = `<?xml version="1.0"?>
<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
${Object.entries({
  'http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd': samlSchemas.signature,
  'http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd': samlSchemas.encryption,
  'http://www.w3.org/2001/xml.xsd': samlSchemas.xml,
})
  .map(
    ([address, file]) =>
      `<uri name="${address}" uri="file://${file}"/><system systemId="${address}" uri="file://${file}"/>`,
  )
  .join('\n')}
</catalog>`
