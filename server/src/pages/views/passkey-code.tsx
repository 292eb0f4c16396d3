import { BackToApplication } from './back-to-application.js'
import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { PageFault, toFault } from '../frame/fault.js'
import { HostedPage, toDocument, withParameter, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import type { SecondFactorFault } from '../texts/en/second-factor.js'

interface PasskeyCodePage {
  readonly frame: Frame
  readonly form: PageForm
  /** Whether the user has a passkey that is accepted, too. */
  readonly hasPasskey: boolean
  /** The application that demands the passkey, and is told where the user uses none. */
  readonly applicationName?: string | undefined
  readonly fault?: SecondFactorFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks for a recovery code in place of a passkey that is lost or blocked. */
export function passkeyCodePage({
  frame,
  form,
  hasPasskey,
  applicationName,
  ...wrong
}: PasskeyCodePage): string {
  const { texts } = frame
  const words = texts.totp
  const faults = { ...words.faults, wrong_code: words.wrongRecovery }
  const fault = toFault(texts, faults, wrong.fault, wrong.retryAfterSeconds)
  // The address keeps the method, so that a wrong code shows this page again.
  const sameMethod = { ...form, action: withParameter(form.action, 'way', 'recovery') }
  return toDocument(
    <HostedPage frame={frame} title={words.headings.recovery} isFault={fault !== undefined}>
      <p>{texts.passkeys.code.sentence}</p>
      <noscript>
        <p>{texts.passkeys.own.needsScript}</p>
      </noscript>
      <PageFault fault={fault} />
      <Form form={sameMethod} action="recovery_code" button={words.button} working={texts.working}>
        <Field
          id="code"
          label={words.recoveryLabel}
          fault={fault}
          input={{ type: 'text', autocomplete: 'off', class: 'recovery' }}
        />
      </Form>
      <div class="aside">
        {hasPasskey && (
          <p>
            <a href={withParameter(form.action, 'way', undefined)}>{texts.passkeys.second.instead}</a>
          </p>
        )}
        <p class="quiet">{texts.passkeys.code.lost}</p>
        <BackToApplication frame={frame} form={form} name={applicationName} />
      </div>
    </HostedPage>,
  )
}

/** The link to that page, on those that ask for a passkey. */
export function PasskeyCodeLink({ frame, form }: { readonly frame: Frame; readonly form: PageForm }) {
  return (
    <p>
      <a href={withParameter(form.action, 'way', 'recovery')}>{frame.texts.totp.useRecovery}</a>
    </p>
  )
}
