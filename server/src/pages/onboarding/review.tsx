import { Form } from '../form.js'
import { MetadataSummary, type MetadataView } from './metadata-summary.js'
import { addressOf, toOnboardingDocument, type OnboardingView } from './onboarding-frame.js'

/** What was read in uploaded metadata, before they are stored. */
export interface ReviewPage extends OnboardingView {
  readonly uploadId: string
  readonly metadata: MetadataView
  /** Others are in use, and stay so until the operator says otherwise. */
  readonly willWait: boolean
}

/** Asks whether this is the identity provider that is meant. */
export function reviewPage(view: ReviewPage): string {
  const { frame, form, uploadId, metadata, willWait, base } = view
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
        {willWait && <p class="notice">{words.willWait}</p>}
        <Form form={form} action="confirm" button={words.confirm} working={texts.working}>
          <input type="hidden" name="upload_id" value={uploadId} />
        </Form>
        <p>
          <a class="second" href={addressOf(base, 'metadata', texts)}>
            {words.other}
          </a>
        </p>
      </>
    ),
  })
}
