import { generateKeyPairSync } from 'node:crypto'
import { selfSignedCertificate } from '@portico/server/saml/self-signed-certificate'
import type { Client } from '@portico/sdk'
import { anything, givenOf } from './given.js'

const dayMs = 24 * 60 * 60 * 1000
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Contents of the metadata of a made-up identity provider. */
export interface MetadataMembers {
  readonly entityId?: string
  /** Start of the certificates' validity. */
  readonly from?: Date
  /** Validity of each certificate, in days. */
  readonly certificateDays?: readonly number[]
  readonly validUntil?: Date
}

/** The metadata of an identity provider that does not exist. */
export function idpMetadata({
  entityId = `https://${anything()}.idp.example/metadata`,
  from = new Date(),
  certificateDays = [365],
  validUntil,
}: MetadataMembers = {}): string {
  const keyDescriptors = certificateDays.map((days) => {
    const pem = selfSignedCertificate({
      ...keys,
      commonName: 'idp.example',
      notBefore: new Date(from.getTime() - dayMs),
      notAfter: new Date(from.getTime() + days * dayMs),
    })
    const certificate = pem.split('\n').slice(1, -2).join('')
    return `<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
  })
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${entityId}"${validUntil ? ` validUntil="${validUntil.toISOString()}"` : ''}>
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    ${keyDescriptors.join('\n    ')}
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/sso"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`
}

type NewSsoConnection = Parameters<Client['ssoConnections']['create']>[0]

/** Connections and their prerequisites. */
export function ssoGivenOf(client: Client) {
  const given = givenOf(client)

  return {
    /** A connection of an organization of its own. */
    async connection(members: Partial<NewSsoConnection> = {}) {
      const organization_id = members.organization_id ?? (await given.organization()).id
      const connection = await client.ssoConnections.create({ ...members, organization_id })
      return { ...connection, organization_id }
    },
    /** A connection of an organization with the metadata of an identity provider. */
    async configured(organization_id: string, members: MetadataMembers = {}) {
      const { idp_id } = await client.ssoConnections.create({ organization_id })
      return client.ssoConnections.update({ idp_id, metadata: idpMetadata(members) })
    },
    /** An application of an organization that allows these URLs. */
    application(org_domain: string, ...urls: string[]) {
      return given.application({
        org_domain,
        organization_domain_scope: org_domain,
        ...(urls.length > 0 && { allowed_redirect_urls: urls }),
      })
    },
  }
}
