import { Form } from '../frame/form.js'
import { addressOf, type OnboardingView } from './onboarding-frame.js'

/** A setup that waits for confirmation by the administrator. */
export interface WaitingSetup extends OnboardingView {
  readonly uploadId: string
  /** Whether another setup is active, and stays so until the operator switches over. */
  readonly willWait: boolean
}

interface ConfirmationProps {
  readonly view: WaitingSetup
  readonly words: { readonly willWait: string; readonly confirm: string; readonly other: string }
  /** The step for entering another one. */
  readonly back: 'client' | 'metadata'
}

/** Confirms the setup, or leads back to the form. */
export function Confirmation({ view, words, back }: ConfirmationProps) {
  const { frame, form, base, uploadId, willWait } = view
  const { texts } = frame
  return (
    <>
      {willWait && <p class="notice">{words.willWait}</p>}
      <Form form={form} action="confirm" button={words.confirm} working={texts.working}>
        <input type="hidden" name="upload_id" value={uploadId} />
      </Form>
      <p>
        <a class="second" href={addressOf(base, back, texts)}>
          {words.other}
        </a>
      </p>
    </>
  )
}
