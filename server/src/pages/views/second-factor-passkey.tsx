import { Form } from '../frame/form.js'
import { PageFault, toFault } from '../frame/fault.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import type { SecondFactorFault } from '../texts/en/second-factor.js'
import { BackToApplication } from './back-to-application.js'
import { PasskeyCodeLink } from './passkey-code.js'
import { SecondFactorForm } from './passkey-form.js'

interface SecondFactorPasskeyPage {
  readonly frame: Frame
  readonly form: PageForm
  /** What the browser is asked for. */
  readonly options: object
  /** Whether the user has recovery codes that take its place here. */
  readonly hasRecoveryCodes: boolean
  /** Whether the account page asks for it, before a change, in addition to a session that is there. */
  readonly isForChange?: boolean
  /** The application that demands the passkey, and is told where the user uses none. */
  readonly applicationName?: string | undefined
  readonly fault?: SecondFactorFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks for a passkey as the second factor of a user who has no other. */
export function secondFactorPasskeyPage({
  frame,
  form,
  options,
  hasRecoveryCodes,
  isForChange = false,
  applicationName,
  ...wrong
}: SecondFactorPasskeyPage): string {
  const { texts } = frame
  const words = texts.passkeys.second
  const fault = toFault(texts, texts.totp.faults, wrong.fault, wrong.retryAfterSeconds)
  return toDocument(
    <HostedPage frame={frame} title={words.heading} isFault={fault !== undefined} needsPasskeys>
      <PageFault fault={fault && { ...fault, isOfField: false }} />
      <p>{isForChange ? words.forChange : words.sentence}</p>
      <noscript>
        <p>{words.needsScript}</p>
      </noscript>
      <SecondFactorForm frame={frame} form={form} options={options} />
      <div class="aside">
        <Form form={form} action="anew" button={words.anew} look="plain" />
        {hasRecoveryCodes ? <PasskeyCodeLink frame={frame} form={form} /> : <p class="quiet">{words.lost}</p>}
        <BackToApplication frame={frame} form={form} name={applicationName} />
      </div>
    </HostedPage>,
  )
}
