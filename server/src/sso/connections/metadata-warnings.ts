import { metadataWarnings, type MetadataWarning, type SsoCertificate } from '@portico/contract/sso-records'

const soonMs = 30 * 24 * 60 * 60 * 1000

interface Metadata {
  readonly certificates: readonly Pick<SsoCertificate, 'not_after'>[]
  readonly validUntil: Date | null
}

/** Warnings about metadata for operators and administrators. */
export function warningsOf(
  { certificates, validUntil }: Metadata,
  { isShared, at }: { readonly isShared: boolean; readonly at: Date },
): MetadataWarning[] {
  const now = at.getTime()
  const ends = certificates.map(({ not_after: end }) => Date.parse(end))
  const found: Record<MetadataWarning, boolean> = {
    metadata_expired: validUntil !== null && validUntil.getTime() <= now,
    certificate_expired: ends.some((end) => end <= now),
    certificate_expires_soon: ends.some((end) => end > now && end <= now + soonMs),
    entity_id_shared: isShared,
  }
  // Keys of the table, in its order.
  return (Object.keys(metadataWarnings) as MetadataWarning[]).filter((code) => found[code])
}
