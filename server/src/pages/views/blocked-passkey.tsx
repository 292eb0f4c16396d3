import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import { BackToApplication } from './back-to-application.js'
import { PasskeyCodeLink } from './passkey-code.js'

interface BlockedPasskeyPage {
  readonly frame: Frame
  readonly form: PageForm
  /** Whether the user has recovery codes that take its place here. */
  readonly hasRecoveryCodes: boolean
  /** The application that demands the passkey, and is told where the user uses none. */
  readonly applicationName?: string | undefined
}

/** Ends a sign-in that takes the passkey of a user whose passkey was blocked, and who has no other factor as good. */
export function blockedPasskeyPage({
  frame,
  form,
  hasRecoveryCodes,
  applicationName,
}: BlockedPasskeyPage): string {
  const words = frame.texts.passkeys.blocked
  return toDocument(
    <HostedPage frame={frame} title={words.heading}>
      <p>{words.sentence}</p>
      <p>{hasRecoveryCodes ? words.byCode : words.advice}</p>
      {hasRecoveryCodes && <PasskeyCodeLink frame={frame} form={form} />}
      <BackToApplication frame={frame} form={form} name={applicationName} />
    </HostedPage>,
  )
}
