import { toWait } from './moments.js'
import { HostedPage, toDocument, type Frame } from './layout.js'
import type { PageSentence } from '../texts/page-sentence.js'

/** What a page with a problem has besides its sentence. */
export interface ErrorExtras {
  /** By which support finds the request in the log; undefined for what is no error, from which nobody goes back. */
  readonly reference?: string | undefined
  readonly back?: { readonly label: string; readonly url: string } | undefined
  /** For developers, in English as in the RFC; only of the sandbox. */
  readonly detail?: string | undefined
  /** After too many attempts: when the next one is taken, in place of the advice. */
  readonly retryAfterSeconds?: number | undefined
}

/** A page that states a problem in one sentence, with advice, a way back and a reference. */
export function errorPage(
  frame: Frame,
  { heading, sentence, advice }: PageSentence,
  { reference, back, detail, retryAfterSeconds }: ErrorExtras = {},
): string {
  const { texts } = frame
  return toDocument(
    <HostedPage frame={frame} title={heading}>
      <p role="alert">{sentence}</p>
      <p>
        {retryAfterSeconds === undefined ? advice : texts.tryAgainWhen(toWait(retryAfterSeconds, texts.lang))}
      </p>
      {(back ?? reference) !== undefined && (
        <p class="way-back">
          {back === undefined ? (
            <button type="button" class="second" data-back="" hidden>
              {texts.goBack}
            </button>
          ) : (
            <a class="second" href={back.url} rel="noreferrer">
              {back.label}
            </a>
          )}
        </p>
      )}
      {detail !== undefined && (
        <details>
          <summary>{texts.forDevelopers}</summary>
          <p lang="en">{detail}</p>
        </details>
      )}
      {reference !== undefined && <p class="quiet reference">{texts.reference(reference)}</p>}
    </HostedPage>,
  )
}
