import { Fragment, type ComponentChildren } from 'preact'
import type { MetadataWarning } from '@portico/contract/sso-records'
import type { StoredCertificate } from '../../sso/saml/metadata.js'
import { asShown } from './as-shown.js'
import type { PageTexts } from '../texts/en.js'

/** A version of the metadata, for comparison with the console of the identity provider. */
export interface MetadataView {
  readonly entityId: string
  readonly redirectUrl: string | null
  readonly postUrl: string | null
  readonly certificates: readonly StoredCertificate[]
  readonly validUntil: Date | null
  readonly warnings: readonly MetadataWarning[]
}

/** Shows the relevant parts of the metadata, not the document. */
export function MetadataSummary({ metadata, texts }: { metadata: MetadataView; texts: PageTexts }) {
  const words = texts.review
  const address = metadata.redirectUrl ?? metadata.postUrl ?? ''
  return (
    <>
      {metadata.warnings.map((warning) => (
        <p key={warning} class="notice warn">
          <span class="unseen">{texts.tutorial.note} </span>
          {words.warnings[warning]}
        </p>
      ))}
      <dl class="facts">
        <Fact name={words.entityId}>
          <code lang="en">{asShown(metadata.entityId)}</code>
        </Fact>
        <Fact name={words.host}>
          <code lang="en">{asShown(URL.canParse(address) ? new URL(address).host : address)}</code>
        </Fact>
        {metadata.certificates.map((certificate, index) => (
          <Fact key={certificate.fingerprint_sha256} name={words.certificate(index + 1)}>
            <Certificate certificate={certificate} texts={texts} />
          </Fact>
        ))}
        {metadata.validUntil !== null && (
          <Fact name={words.validUntil}>{toDate(metadata.validUntil, texts)}</Fact>
        )}
      </dl>
    </>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Certificate({ certificate, texts }: { certificate: StoredCertificate; texts: PageTexts }) {
  const words = texts.review
  return (
    <>
      <p>
        <span class="quiet">{words.subject}</span> <code lang="en">{asShown(certificate.subject)}</code>
      </p>
      <p>
        <span class="quiet">{words.expires}</span> {toDate(new Date(certificate.not_after), texts)}
      </p>
      <p>
        <span class="quiet">{words.fingerprint}</span>{' '}
        <code class="fingerprint" lang="en">
          <Fingerprint digits={certificate.fingerprint_sha256} />
        </code>
      </p>
    </>
  )
}

/** In pairs, like consoles; a line may break after a colon. */
function Fingerprint({ digits }: { digits: string }) {
  const pairs = digits.toUpperCase().match(/../g) ?? []
  return (
    <>
      {pairs.map((pair, index) => (
        <Fragment key={index}>
          {pair}
          {index < pairs.length - 1 && (
            <>
              :<wbr />
            </>
          )}
        </Fragment>
      ))}
    </>
  )
}

function toDate(at: Date, { lang }: PageTexts): string {
  return new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(at)
}
