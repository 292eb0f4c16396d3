import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { readIdpMetadata } from '../saml/metadata.js'
import { bindings, escapeXml, ns } from '../saml/saml-names.js'
import { makeServiceProviderKey, type ServiceProviderKey } from '../saml/service-provider-key.js'
import { isConnection, isOfConnection, type ConnectionKey } from './connection-key.js'
import { deleteSsoKeys, insertSsoKey } from './keys.js'
import { storeMetadata } from './metadata-versions.js'

/** The built-in identity provider of a connection, generated but not stored yet. */
export interface PreparedTestIdp extends ServiceProviderKey {
  readonly metadataXml: string
}

/** Generates the key of the built-in identity provider before the transaction that stores it, because generation is slow. */
export async function prepareTestIdp(
  { config, now, newRsaKeyPair }: Pick<Deps, 'config' | 'newRsaKeyPair' | 'now'>,
  idpId: string,
): Promise<PreparedTestIdp> {
  const key = await makeServiceProviderKey('Built-in test identity provider', now(), newRsaKeyPair)
  return { ...key, metadataXml: testIdpMetadata(config.baseUrl, idpId, key.certificate) }
}

/** Gives a locked connection the built-in identity provider, with its key and its metadata. */
export async function insertTestIdp(
  deps: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { metadataXml: xml, ...made }: PreparedTestIdp,
): Promise<void> {
  await insertSsoKey(deps, trx, key, { ...made, purpose: 'test_identity_provider' })
  const metadata = readIdpMetadata(xml)
  await storeMetadata(deps, trx, key, { xml, metadata, uploadedBy: 'service', makeCurrent: true })
}

/** Records the metadata of the built-in identity provider in the onboarding of a locked connection that has begun since. */
export async function recordTestIdpMetadata(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
): Promise<void> {
  await trx
    .updateTable('sso_onboardings')
    .set({
      state: 'xml_provided',
      metadata_version: sql`(
        select max(version) from sso_metadata_versions
        where ${isOfConnection('sso_metadata_versions', key)} and uploaded_by = 'service'
      )`,
      updated_at: now(),
      version: sql`version + 1`,
    })
    .where(isOfConnection('sso_onboardings', key))
    .where('state', '<>', 'xml_provided')
    .execute()
}

/**
 * Removes the built-in identity provider and its key from a locked connection. Its tests no longer count, and the
 * connection is not configured without other metadata in use.
 */
export async function removeTestIdp(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
): Promise<void> {
  await trx
    .updateTable('sso_metadata_versions')
    .set({ is_current: false })
    .where(isOfConnection('sso_metadata_versions', key))
    .where('is_current', '=', true)
    .where('uploaded_by', '=', 'service')
    .execute()
  await deleteSsoKeys(trx, key, 'test_identity_provider')
  await trx
    .updateTable('sso_connections')
    .set({
      state: sql`case
        when exists (
          select from sso_metadata_versions
          where ${isOfConnection('sso_metadata_versions', key)} and is_current
        ) then 'configured'
        else 'it_admin_invitation_pending'
      end`,
      updated_at: now(),
      version: sql`version + 1`,
    })
    .where(isConnection(key))
    .execute()
}

/** The entity ID of the built-in identity provider of a connection. */
export function testIdpEntityId(baseUrl: string, idpId: string): string {
  return `${baseUrl}/test-idp/${idpId}/metadata`
}

/** The sign-on address of the built-in identity provider of a connection. */
function testIdpSsoUrl(baseUrl: string, idpId: string): string {
  return `${baseUrl}/test-idp/${idpId}/sso`
}

function testIdpMetadata(baseUrl: string, idpId: string, certificate: string): string {
  const der = certificate.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  return (
    `<md:EntityDescriptor xmlns:md="${ns.metadata}" xmlns:ds="${ns.signature}"` +
    ` entityID="${escapeXml(testIdpEntityId(baseUrl, idpId))}">` +
    `<md:IDPSSODescriptor protocolSupportEnumeration="${ns.protocol}">` +
    `<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data>` +
    `<ds:X509Certificate>${der}</ds:X509Certificate>` +
    `</ds:X509Data></ds:KeyInfo></md:KeyDescriptor>` +
    `<md:SingleSignOnService Binding="${bindings.redirect}"` +
    ` Location="${escapeXml(testIdpSsoUrl(baseUrl, idpId))}"/>` +
    `</md:IDPSSODescriptor></md:EntityDescriptor>`
  )
}
