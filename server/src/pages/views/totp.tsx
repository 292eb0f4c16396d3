import { displayName } from '../../platform/display-name.js'
import { PageFault, toFault, type Fault } from '../frame/fault.js'
import { CodeField, Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, withParameter, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import type { SecondFactorFault, TotpWay } from '../texts/en/second-factor.js'
import { PasskeyForm } from './passkey-form.js'

/** The page for the second factor. */
interface TotpPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly way: TotpWay
  /** The masked telephone number; null before a message was sent. */
  readonly sentTo: string | null
  /** What the browser is asked for in place of a code; undefined where the user has no passkey. */
  readonly passkeyOptions?: object | undefined
  readonly fault?: SecondFactorFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks for a code of the app, of a text message, or a recovery code. */
export function totpPage(view: TotpPage): string {
  const { frame, form, way, sentTo, passkeyOptions } = view
  const { texts } = frame
  const words = texts.totp
  const faults = way === 'recovery' ? { ...words.faults, wrong_code: words.wrongRecovery } : words.faults
  const fault = toFault(texts, faults, view.fault, view.retryAfterSeconds)
  const isUnsent = way === 'sms' && sentTo === null
  return toDocument(
    <HostedPage
      frame={frame}
      title={words.headings[way]}
      isFault={fault !== undefined}
      needsPasskeys={passkeyOptions !== undefined}
    >
      <p>{sentenceOf(view)}</p>
      <PageFault fault={fault} />
      {isUnsent ? (
        <Form form={form} action="send_sms" button={words.send} working={texts.working} />
      ) : (
        <CodeForm view={view} fault={fault} />
      )}
      {way === 'sms' && !isUnsent && (
        <Form form={form} action="send_sms" look="plain" button={words.sendAgain} />
      )}
      {passkeyOptions !== undefined && (
        <PasskeyForm
          form={form}
          action="passkey"
          kind="get"
          options={passkeyOptions}
          button={texts.passkeys.second.instead}
          failed={texts.passkeys.notUsed}
        />
      )}
      <div class="aside">
        {way === 'recovery' ? (
          <>
            <p>
              <a href={withParameter(form.action, 'way', undefined)}>{words.useCode}</a>
            </p>
            <p class="quiet">{words.lost}</p>
          </>
        ) : (
          <p>
            <a href={withParameter(form.action, 'way', 'recovery')}>{words.useRecovery}</a>
          </p>
        )}
      </div>
    </HostedPage>,
  )
}

function sentenceOf({ frame, way, sentTo }: TotpPage): string {
  const words = frame.texts.totp
  if (way !== 'sms') return words[way]
  return sentTo === null ? words.smsUnsent : words.smsSent(displayName(sentTo))
}

function CodeForm({ view: { frame, form, way }, fault }: { view: TotpPage; fault: Fault | undefined }) {
  const { texts } = frame
  const words = texts.totp
  if (way !== 'recovery')
    return (
      <Form form={form} action="totp" button={words.button} working={texts.working} isCodeForm>
        <CodeField label={words.label} fault={fault} />
      </Form>
    )
  // The address keeps the method, so that a wrong code shows this page again.
  const sameMethod = { ...form, action: withParameter(form.action, 'way', 'recovery') }
  return (
    <Form form={sameMethod} action="totp" button={words.button} working={texts.working}>
      <Field
        id="code"
        label={words.recoveryLabel}
        fault={fault}
        input={{ type: 'text', autocomplete: 'off', class: 'recovery' }}
      />
    </Form>
  )
}
