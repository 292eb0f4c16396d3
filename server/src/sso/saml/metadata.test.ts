import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { metadataFaults, readIdpMetadata, type MetadataFaultCode } from './metadata.js'
import { selfSignedCertificate } from './self-signed-certificate.js'

const from = new Date('2026-01-01T00:00:00Z')
const until = new Date('2029-01-01T00:00:00Z')

const ofOne = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Creates a certificate with a unique serial number. */
function certificate({ publicKey, privateKey } = ofOne, notAfter = until): X509Certificate {
  return new X509Certificate(
    selfSignedCertificate({ commonName: 'idp.example', notBefore: from, notAfter, publicKey, privateKey }),
  )
}

const one = certificate()
const other = certificate(generateKeyPairSync('rsa', { modulusLength: 2048 }))

/** Created with `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256`. */
const ofEc =
  'MIIBgDCCASegAwIBAgIUOScEReSNmgd1zWj1W7VsvnD3Vf4wCgYIKoZIzj0EAwIwFjEUMBIGA1UEAwwLaWRwLmV4YW1wbGUwHhcNMjYxMTIyMTMyMjA4WhcNMzYxMTE5MTMyMjA4WjAWMRQwEgYDVQQDDAtpZHAuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPsNb22OFg+QycpMAajcEAKpJvkVpHEZRx+01bkUs5b4bDs++uAS1K4CgLbkJ8D83Zn/jOQeBnWjggh7a3SGZp6jUzBRMB0GA1UdDgQWBBQs2dSjRevFPhEiyJrwWCNmRx6VPTAfBgNVHSMEGDAWgBQs2dSjRevFPhEiyJrwWCNmRx6VPTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIEBG/Dmzg1BVqs9pRVq+3T6q69RV6JlxYMMZPmEjRcXpAiBnLIKaZsx8y064dmN5XumEeN1D0p1nghLerofJY7OyJg=='

/** Created with `openssl req -x509 -newkey rsa:2048 -subj /`. */
const ofNobody =
  'MIIC4TCCAcmgAwIBAgIUHBHnImm46MNH+KEe3AGXGfdMjr0wDQYJKoZIhvcNAQELBQAwADAeFw0yNjExMjIxNTU2MTJaFw0zNjExMTkxNTU2MTJaMAAwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCMiTnHdplXxA5wluQzzRPWhThkFvdBbXZxaoNo6pYsVnZHRp+bzfhkLQCbE4Si+eaQL6Rj8TCGObBXpJ4fNk4as1QLjWA8WDnPZmOiJdajaOJdb0wQnHLnMnBJCWCKgiNax2dWHCEtyEK9V8h0ilqnpqnnY0XYmNYo6+3syYpesz6ss3N0U7rwPMS77oifLooZwasD2Y5yxUAU3XypDmQnZQUaLJZ/WfePoNW973GuYRk+5hL4r27rssrMAWq+S8QmdMpW7HqRe6GVq9jXDv8SPyDpa5WhEzX8WZ0bCqJvZMz3Gh/ZehbooSlfs74cQhL34k6IPgV1+SuVCwTvLi7ZAgMBAAGjUzBRMB0GA1UdDgQWBBR6QgLhIjusCw9zms9suvpWG/Ws7DAfBgNVHSMEGDAWgBR6QgLhIjusCw9zms9suvpWG/Ws7DAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQB8GqKN269OSCTq5lKRoe3Pqje7JP6lsqmAzi5dnTGTw2Ig4wHlbChmuTIRQQTgh0C6Jm/fkXETmustVYl3s44ZE6UJSD+Ie6Gk2snVfUn6cmzSowj4WmKG0YIZ0+QXYFPkwXRk6daaNaQUV5d9LwEfPg2bda1pE30i5AdZsa3fQtxMAp8Ug+jhJd4gf4RZOzNLM/MD/42STFbSLbaWsqRaU5C2dK5llnYjnEXkLTW/x5v2arv9YO06WMoRdd7Eje7ivEfd4GFQAQzvXXrvVVymNEA41h+f6l2SA11Sql2eu+N6agY+OXCqqoK8rXfr5IGheZAjxAfd/bPv7qHHMsiR'

/** The certificate with a different end of validity. */
function ending(yearToSecond: string): string {
  const bytes = one.raw.toString('latin1').replace('290101000000Z', `${yearToSecond}Z`)
  return Buffer.from(bytes, 'latin1').toString('base64')
}

const md = 'urn:oasis:names:tc:SAML:2.0:metadata'
const redirect = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const post = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'

function base64(of: X509Certificate): string {
  return of.raw.toString('base64')
}

function key(data: string, use = ' use="signing"'): string {
  return `<KeyDescriptor${use}><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>${data}</X509Data></KeyInfo></KeyDescriptor>`
}

function x509(text: string): string {
  return `<X509Certificate>${text}</X509Certificate>`
}

function service(binding = redirect, location = 'https://idp.example/sso'): string {
  return `<SingleSignOnService Binding="${binding}" Location="${location}"/>`
}

function role(content = key(x509(base64(one))) + service(), attributes = ''): string {
  return `<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"${attributes}>${content}</IDPSSODescriptor>`
}

function entity(content = role(), attributes = 'entityID="https://idp.example/metadata"'): string {
  return `<EntityDescriptor xmlns="${md}" ${attributes}>${content}</EntityDescriptor>`
}

describe('metadata of an identity provider', () => {
  test('give its entity ID, its addresses and its certificates', () => {
    const xml = entity(role(key(x509(base64(one))) + service() + service(post, 'https://idp.example/post')))
    expect(readIdpMetadata(xml)).toEqual({
      entityId: 'https://idp.example/metadata',
      redirectUrl: 'https://idp.example/sso',
      postUrl: 'https://idp.example/post',
      certificates: [
        {
          pem: one.toString(),
          fingerprint_sha256: one.fingerprint256.replaceAll(':', '').toLowerCase(),
          subject: 'CN=idp.example',
          not_before: '2026-01-01T00:00:00.000Z',
          not_after: '2029-01-01T00:00:00.000Z',
        },
      ],
      validUntil: null,
    })
  })

  test('as AD FS gives them: roles of WS-Federation, keys for encryption, a signature, two keys in a rollover', () => {
    const federation = `<RoleDescriptor xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706" xsi:type="fed:SecurityTokenServiceType" protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706">${key(x509(base64(certificate())))}<fed:TokenTypesOffered><fed:TokenType Uri="urn:oasis:names:tc:SAML:2.0:assertion"/></fed:TokenTypesOffered></RoleDescriptor>`
    const signature = `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:KeyInfo><ds:X509Data>${x509('x')}</ds:X509Data></ds:KeyInfo></ds:Signature>`
    const asServiceProvider = `<SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${key(x509(base64(certificate())))}</SPSSODescriptor>`
    const keys =
      key(x509('encryption'), ' use="encryption"') + key(x509(base64(one))) + key(x509(base64(other)))
    const services =
      service(post, 'https://adfs.example/adfs/ls/') + service(redirect, 'https://adfs.example/adfs/ls/')
    const xml = entity(
      signature + federation + asServiceProvider + role(keys + services),
      'ID="_1" entityID="http://adfs.example/adfs/services/trust"',
    )
    const read = readIdpMetadata(`\uFEFF<?xml version="1.0" encoding="utf-16"?>${xml}`)
    expect(read).toMatchObject({
      entityId: 'http://adfs.example/adfs/services/trust',
      redirectUrl: 'https://adfs.example/adfs/ls/',
    })
    expect(read.certificates.map(({ pem }) => pem)).toEqual([one.toString(), other.toString()])
  })

  test('as Entra ID and Google give them: prefixes, line breaks in certificates, an end of their time', () => {
    const lines = base64(one).match(/.{1,60}/g) ?? []
    const xml = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- exported -->
<md:EntityDescriptor xmlns:md="${md}" entityID="https://accounts.example/o/saml2?idpid=C1" validUntil="2031-03-12T09:55:27.000Z">
  <md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor>
      <ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
        <ds:X509Data>
          <ds:X509Certificate>
${lines.join('\r\n')}
          </ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>
    <md:SingleSignOnService Binding="${redirect}" Location="https://accounts.example/o/saml2/idp?idpid=C1&amp;x=2"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`
    expect(readIdpMetadata(xml)).toMatchObject({
      entityId: 'https://accounts.example/o/saml2?idpid=C1',
      redirectUrl: 'https://accounts.example/o/saml2/idp?idpid=C1&x=2',
      postUrl: null,
      certificates: [{ pem: one.toString() }],
      validUntil: new Date('2031-03-12T09:55:27.000Z'),
    })
  })

  test('of a federation with one identity provider among others that are none', () => {
    const provider = `<EntityDescriptor entityID="https://sp.example"><SPSSODescriptor/></EntityDescriptor>`
    const xml = `<EntitiesDescriptor xmlns="${md}" validUntil="2026-12-01T00:00:00Z">${provider}${entity()}</EntitiesDescriptor>`
    expect(readIdpMetadata(xml)).toMatchObject({
      entityId: 'https://idp.example/metadata',
      validUntil: new Date('2026-12-01T00:00:00Z'),
    })
  })

  test('with a certificate that has expired, and with one that is there twice', () => {
    const expired = certificate(ofOne, new Date('2026-02-01T00:00:00Z'))
    const keys = key(x509(base64(expired))) + key(x509(base64(expired)), '')
    const [stored, ...more] = readIdpMetadata(entity(role(keys + service()))).certificates
    expect(more).toEqual([])
    expect(stored).toMatchObject({ not_after: '2026-02-01T00:00:00.000Z' })
  })

  test('with a key of another kind beside one of RSA: that one counts', () => {
    const xml = entity(role(key(x509(ofEc)) + key(x509(base64(one))) + service()))
    expect(readIdpMetadata(xml).certificates.map(({ pem }) => pem)).toEqual([one.toString()])
  })

  test('with two certificates of one name that have signed themselves, side by side', () => {
    const sideBySide = entity(role(key(x509(base64(one)) + x509(base64(other))) + service()))
    expect(readIdpMetadata(sideBySide).certificates.map(({ pem }) => pem)).toEqual([
      one.toString(),
      other.toString(),
    ])
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const renewed = [until, new Date('2032-01-01T00:00:00Z')].map(
      (notAfter) =>
        new X509Certificate(
          selfSignedCertificate({ commonName: 'idp.example', notBefore: from, notAfter, ...pair }),
        ),
    )
    const ofOneKey = entity(role(key(renewed.map((each) => x509(base64(each))).join('')) + service()))
    expect(readIdpMetadata(ofOneKey).certificates).toHaveLength(2)
  })

  test('with as many certificates as a file holds are refused without comparing each with each', () => {
    const many = Array.from({ length: 500 }, () => x509('AAAA')).join('')
    expect(() => readIdpMetadata(entity(role(key(many) + service())))).toThrow(
      expect.objectContaining({ code: 'too_many_certificates' }),
    )
  })

  test('with a certificate that names nobody are read', () => {
    const [read] = readIdpMetadata(entity(role(key(x509(ofNobody)) + service()))).certificates
    expect(read?.subject).toBe('')
  })

  test('whose end is no time that a database knows have none', () => {
    const endOf = (validUntil: string) =>
      readIdpMetadata(
        entity(role(key(x509(base64(one))) + service()), `entityID="x" validUntil="${validUntil}"`),
      ).validUntil
    expect(endOf('2030-01-01T00:00:00Z')).toEqual(new Date('2030-01-01T00:00:00Z'))
    expect(['-271821-04-20T00:00:00Z', '+275760-09-13T00:00:00Z', '0000-01-01', 'x'].map(endOf)).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  test('whose address is on this computer may be without TLS', () => {
    const xml = entity(role(key(x509(base64(one))) + service(redirect, 'http://localhost:8080/sso')))
    expect(readIdpMetadata(xml).redirectUrl).toBe('http://localhost:8080/sso')
  })

  const location = (address: string) => entity(role(key(x509(base64(one))) + service(redirect, address)))
  const eleven = () => Array.from({ length: 11 }, () => key(x509(base64(certificate())))).join('')
  const refused: readonly [string, MetadataFaultCode, () => string][] = [
    ['that are empty', 'not_xml', () => ''],
    ['that are a web page', 'web_page', () => '<html><br></html>'],
    ['that are a certificate', 'only_certificate', () => `\n${one.toString()}`],
    ['that are JSON', 'not_xml', () => '{}'],
    ['that are cut off', 'not_xml', () => entity().slice(0, -20)],
    ['with a document type', 'unusual_xml', () => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///x">]>${entity()}`],
    [
      'that are a saved page',
      'web_page',
      () => '<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>',
    ],
    ['with CDATA', 'unusual_xml', () => entity(`<![CDATA[x]]>${role()}`)],
    ['with a processing instruction', 'unusual_xml', () => `<?xml-stylesheet href="x"?>${entity()}`],
    ['of 512,001 characters', 'too_large', () => entity(`${' '.repeat(512_001)}${role()}`)],
    ['of more than 8,000 elements', 'too_large', () => entity('<x/>'.repeat(8000) + role())],
    ['of another vocabulary', 'not_metadata', () => '<x/>'],
    ['of no role', 'not_metadata', () => entity('')],
    ['of a service provider', 'service_provider', () => entity('<SPSSODescriptor/>')],
    [
      'of two identity providers',
      'several_identity_providers',
      () => `<EntitiesDescriptor xmlns="${md}">${entity()}${entity()}</EntitiesDescriptor>`,
    ],
    ['of SAML 1.1', 'not_saml_2', () => entity(role().replace('SAML:2.0:protocol', 'SAML:1.1:protocol'))],
    ['without an entity ID', 'entity_id', () => entity(role(), '')],
    ['with a long entity ID', 'entity_id', () => entity(role(), `entityID="${'x'.repeat(1025)}"`)],
    ['without a key', 'no_certificate', () => entity(role(service()))],
    [
      'with a key for encryption alone',
      'no_certificate',
      () => entity(role(key(x509(base64(one)), ' use="encryption"') + service())),
    ],
    ['with eleven certificates', 'too_many_certificates', () => entity(role(eleven() + service()))],
    [
      'with a certificate that is no base64',
      'certificate_unreadable',
      () => entity(role(key(x509('-----BEGIN')) + service())),
    ],
    [
      'with a certificate that is none',
      'certificate_unreadable',
      () => entity(role(key(x509('AAAA')) + service())),
    ],
    [
      'with a certificate that ends at no time',
      'certificate_unreadable',
      () => entity(role(key(x509(ending('291301000000'))) + service())),
    ],
    ['with a key of elliptic curves alone', 'key_not_rsa', () => entity(role(key(x509(ofEc)) + service()))],
    [
      'with a key of 1,024 bits',
      'key_too_short',
      () =>
        entity(
          role(
            key(x509(base64(certificate(generateKeyPairSync('rsa', { modulusLength: 1024 }))))) + service(),
          ),
        ),
    ],
    ['without an address', 'no_address', () => entity(role(key(x509(base64(one)))))],
    [
      'with an address for another binding alone',
      'no_address',
      () => entity(role(key(x509(base64(one))) + service('urn:oasis:names:tc:SAML:2.0:bindings:SOAP'))),
    ],
    ['with an address without TLS', 'address_not_https', () => location('http://idp.example/sso')],
    ['with an address that is a script', 'address_not_https', () => location('javascript:alert(1)')],
    ['with a user name in the address', 'address_not_https', () => location('https://a:b@idp.example/sso')],
    ['with a fragment in the address', 'address_not_https', () => location('https://idp.example/sso#x')],
    ['with a space in the address', 'address_not_https', () => location('https://idp.example/s so')],
    ['with a relative address', 'address_not_https', () => location('/sso')],
    ['with a long address', 'address_not_https', () => location(`https://idp.example/${'x'.repeat(2000)}`)],
  ]
  for (const [title, code, make] of refused)
    test(`${title} are refused as ${code}`, () => {
      expect(() => readIdpMetadata(make())).toThrow(
        expect.objectContaining({ name: 'MetadataFault', code, message: metadataFaults[code] }),
      )
    })
})
