import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { coveredBytes } from './covered-bytes.js'
import { signEnveloped } from './enveloped-signature.js'
import { algorithms, ns } from './saml-names.js'
import { selfSignedCertificate } from './self-signed-certificate.js'

const [own, stranger] = [newKey('idp.example'), newKey('stranger.example')]

function newKey(commonName: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const times = { notBefore: new Date(0), notAfter: new Date(1e12) }
  return {
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: selfSignedCertificate({ commonName, ...times, publicKey, privateKey }),
  }
}

const issuer = `<saml:Issuer xmlns:saml="${ns.assertion}">idp</saml:Issuer>`
const assertion = (id: string, content = 'ada') =>
  `<saml:Assertion xmlns:saml="${ns.assertion}" ID="${id}"><saml:Issuer>idp</saml:Issuer><saml:Subject>${content}</saml:Subject></saml:Assertion>`
const response = (content: string) =>
  `<samlp:Response xmlns:samlp="${ns.protocol}" ID="_response">${issuer}${content}</samlp:Response>`

const sign = (xml: string, { pem } = own) => signEnveloped(xml, pem)
const whole = sign(response(assertion('_a')))
const inner = response(sign(assertion('_a')))
const both = sign(inner)

const parts = { root: { isSigned: true, isAssertionSigned: false } } as const
const ofRoot = (xml: string, signers = [own.certificate]) => coveredBytes({ xml, signers, ...parts.root })
const ofAssertion = (xml: string, signers = [own.certificate]) =>
  coveredBytes({ xml, signers, isSigned: false, isAssertionSigned: true })
const ofBoth = (xml: string) =>
  coveredBytes({ xml, signers: [own.certificate], isSigned: true, isAssertionSigned: true })

describe('the second reader of a signed document', () => {
  test('gives what is signed, in its canonical form without its signature', () => {
    expect(ofRoot(whole)).toBe(response(assertion('_a')))
    expect(ofAssertion(inner)).toBe(assertion('_a'))
    expect(ofAssertion(sign(assertion('_a')))).toBe(assertion('_a'))
    expect(ofBoth(both)).toContain(assertion('_a').slice(-30))
    expect(ofRoot(whole, [stranger.certificate, own.certificate])).toBeDefined()
  })

  test.each([
    ['that was altered', ofRoot(whole.replace('>ada<', '>eve<'))],
    ['of which the assertion was altered', ofAssertion(inner.replace('>ada<', '>eve<'))],
    ['that a stranger has signed', ofRoot(sign(response(assertion('_a')), stranger))],
    ['of which the inner signature is a stranger’s', ofBoth(sign(response(sign(assertion('_a'), stranger))))],
    ['of which the outer signature is a stranger’s', ofBoth(sign(inner, stranger))],
    ['of which only the assertion is signed', ofRoot(inner)],
    ['of which only the response is signed', ofBoth(whole)],
    ['with two assertions', ofAssertion(inner.replace('</samlp:', `${assertion('_b')}</samlp:`))],
    ['without an assertion', ofRoot(sign(response('')))],
    ['with one ID twice', ofAssertion(inner.replace('_response', '_a'))],
    ['with one ID twice, as another attribute', ofAssertion(inner.replace('ID="_response"', 'Id="_a"'))],
    ['whose signature is that of another element', ofAssertion(inner.replace('ID="_a"', 'ID="_b"'))],
    ['with two signatures of one element', ofAssertion(inner.replace(signatureIn(inner), '$&$&'))],
    ['of unknown algorithms', ofRoot(whole.replace(algorithms.rsaSha256, 'urn:unknown'))],
    ['of an unknown digest', ofRoot(whole.replace(algorithms.sha256, 'urn:unknown'))],
    ['that is not well-formed', ofRoot(whole.replace('</samlp:Response>', ''))],
  ])('refuses a document %s', (_, bytes) => {
    expect(bytes).toBeUndefined()
  })

  test('refuses what an assertion around another one has signed', () => {
    const wrapped = inner.replace(/<saml:Assertion.*<\/saml:Assertion>/s, (signed) => {
      const signature = signatureIn(signed)
      const evil = assertion('_evil', 'eve').replace('</saml:Issuer>', `</saml:Issuer>${signature}`)
      return evil.replace('</saml:Assertion>', `${signed.replace(signature, '')}</saml:Assertion>`)
    })
    expect(ofAssertion(wrapped)).toBeUndefined()
  })
})

function signatureIn(xml: string): string {
  return /<ds:Signature .*?<\/ds:Signature>/s.exec(xml)?.[0] ?? ''
}
