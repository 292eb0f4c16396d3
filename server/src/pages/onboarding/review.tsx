import { MetadataSummary, type MetadataView } from './metadata-summary.js'
import { Confirmation, type WaitingSetup } from './confirmation.js'
import { toOnboardingDocument } from './onboarding-frame.js'

/** The content of uploaded metadata, before they are stored. */
interface ReviewPage extends WaitingSetup {
  readonly metadata: MetadataView
}

/** Asks the administrator to confirm the identity provider. */
export function reviewPage(view: ReviewPage): string {
  const { frame, metadata } = view
  const { texts } = frame
  const words = texts.review
  return toOnboardingDocument({
    view,
    title: words.heading,
    children: (
      <>
        <h1>{words.heading}</h1>
        <p>{words.sentence}</p>
        <MetadataSummary metadata={metadata} texts={texts} />
        <Confirmation view={view} words={words} back="metadata" />
      </>
    ),
  })
}
