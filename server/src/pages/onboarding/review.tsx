import { MetadataSummary, type MetadataView } from './metadata-summary.js'
import { Confirmation, type WaitingSetup } from './confirmation.js'
import { toDocument } from '../frame/layout.js'
import { OnboardingPage } from './onboarding-frame.js'

/** The content of uploaded metadata, before they are stored. */
interface ReviewPage extends WaitingSetup {
  readonly metadata: MetadataView
}

/** Asks the administrator to confirm the identity provider. */
export function reviewPage(view: ReviewPage): string {
  const { frame, metadata } = view
  const { texts } = frame
  const words = texts.review
  return toDocument(
    <OnboardingPage view={view} title={words.heading}>
      <p>{words.sentence}</p>
      <MetadataSummary metadata={metadata} texts={texts} />
      <Confirmation view={view} words={words} back="metadata" />
    </OnboardingPage>,
  )
}
