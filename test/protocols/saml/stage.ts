import type { SsoCheck } from '@portico/contract/sso-checks'
import type { Assertion } from '@portico/server/saml/assertion'
import { makeServiceProviderKey, type ServiceProviderKey } from '@portico/server/saml/service-provider-key'
import {
  openResponse,
  validateResponse,
  type ResponseContext,
  type Validation,
} from '@portico/server/saml/validate-response'
import { expect } from 'vitest'
import {
  assertion,
  at,
  idp,
  newId,
  response,
  signature,
  sp,
  type AssertionParts,
  type ResponseParts,
  type SignatureParts,
} from './response-template.js'
import { startXmlsec, withoutDeclaration, type OpensslKey, type Xmlsec } from './xmlsec.js'

/** Changes of the context in which a response is validated. */
export interface ContextChanges {
  readonly certificates?: readonly string[]
  readonly privateKeys?: readonly string[]
  readonly allowSha1?: boolean
  readonly allowCbcUnsignedResponse?: boolean
  readonly at?: Date
}

/** An identity provider built with openssl and xmlsec1, and the service's side of a connection to it. */
export interface Stage {
  readonly tool: Xmlsec
  readonly key: OpensslKey
  /** A key that is not in the metadata. */
  readonly stranger: OpensslKey
  readonly ours: ServiceProviderKey
  /** A response with only a signed assertion. */
  signed(parts?: AssertionParts, how?: SignatureParts, key?: OpensslKey): Promise<string>
  /** A signed response. */
  signedResponse(parts?: ResponseParts, how?: SignatureParts, key?: OpensslKey): Promise<string>
  encrypted(content: string, how?: EncryptionParts): Promise<string>
  validate(xml: string, changes?: ContextChanges): Promise<Validation>
  /** Expects that every check passes; returns the validated assertion. */
  accept(xml: string, changes?: ContextChanges): Promise<Assertion>
  /** Expects that this check fails after all previous ones passed; returns its record. */
  refuse(xml: string, check: SsoCheck, changes?: ContextChanges): Promise<Validation['checks'][number]>
  close(): Promise<void>
}

export interface EncryptionParts {
  readonly cipher?: string
  /** The name of the algorithm in xmlsec1. */
  readonly sessionKey?: string
  readonly keyMethod?: string
  readonly certificate?: string
}

export const gcm = { cipher: 'http://www.w3.org/2009/xmlenc11#aes256-gcm', sessionKey: 'aes-256' }
export const cbc = { cipher: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc', sessionKey: 'aes-256' }

export async function startStage(): Promise<Stage> {
  const tool = await startXmlsec()
  const [key, stranger, ours] = await Promise.all([
    tool.key('idp.example'),
    tool.key('stranger.example'),
    makeServiceProviderKey('auth.example', at),
  ])
  const contextOf = (changes: ContextChanges): ResponseContext => ({
    identityProvider: { ...idp, certificates: changes.certificates ?? [key.certificate] },
    serviceProvider: { ...sp, privateKeys: changes.privateKeys ?? [ours.privateKey] },
    rules: {
      allowSha1: changes.allowSha1 ?? false,
      allowCbcUnsignedResponse: changes.allowCbcUnsignedResponse ?? false,
    },
    at: changes.at ?? at,
  })
  const validate = async (xml: string, changes: ContextChanges = {}) =>
    validateResponse(await openResponse(Buffer.from(xml).toString('base64')), contextOf(changes))

  return {
    tool,
    key,
    stranger,
    ours,
    async signed(parts = {}, how = {}, by = key) {
      const id = parts.id ?? newId()
      return withoutDeclaration(
        await tool.sign(assertion({ ...parts, id, signature: signature(id, how) }), by),
      )
    },
    async signedResponse(parts = {}, how = {}, by = key) {
      const id = parts.id ?? newId()
      return withoutDeclaration(
        await tool.sign(response({ ...parts, id, signature: signature(id, how) }), by),
      )
    },
    async encrypted(content, how = {}) {
      const { cipher = gcm.cipher, sessionKey = gcm.sessionKey, certificate = ours.certificate } = how
      const data = await tool.encrypt(encryptionTemplate(cipher, how), content, certificate, sessionKey)
      return `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${data}</saml:EncryptedAssertion>`
    },
    validate,
    async accept(xml, changes) {
      const { checks, assertion: proved } = await validate(xml, changes)
      expect(checks.filter(({ passed }) => !passed)).toEqual([])
      if (proved === undefined) throw new Error('all checks have passed, and nothing is proved')
      return proved
    },
    async refuse(xml, check, changes) {
      const { checks, assertion: proved } = await validate(xml, changes)
      const last = checks.at(-1)
      expect({ check: last?.name, passed: last?.passed }, JSON.stringify(last)).toEqual({
        check,
        passed: false,
      })
      expect(checks.slice(0, -1).every(({ passed }) => passed)).toBe(true)
      expect(proved).toBeUndefined()
      if (last === undefined) throw new Error('no check')
      return last
    },
    close: () => tool.remove(),
  }
}

function encryptionTemplate(cipher: string, how: EncryptionParts): string {
  const { keyMethod = 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p' } = how
  return (
    `<xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"` +
    ` Type="http://www.w3.org/2001/04/xmlenc#Element"><xenc:EncryptionMethod Algorithm="${cipher}"/>` +
    `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey>` +
    `<xenc:EncryptionMethod Algorithm="${keyMethod}"/>` +
    `<xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo>` +
    `<xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedData>`
  )
}
