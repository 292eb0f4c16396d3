import { HostedPage, toDocument, type Frame } from './layout.js'
import type { PageSentence } from '../texts/page-sentence.js'

/** A page that states a problem in one sentence, with advice. */
export function errorPage(
  frame: Frame,
  { heading, sentence, advice }: PageSentence,
  reference?: string,
): string {
  return toDocument(
    <HostedPage frame={frame} title={heading}>
      <p role="alert">{sentence}</p>
      <p>{advice}</p>
      {reference !== undefined && <p class="quiet">{reference}</p>}
    </HostedPage>,
  )
}
