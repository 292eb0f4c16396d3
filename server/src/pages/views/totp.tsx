import { displayName } from '../../platform/display-name.js'
import { PageFault, toFault, type Fault } from '../frame/fault.js'
import { CodeField, Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, withParameter, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import type { SecondFactorFault, TotpWay } from '../texts/en/second-factor.js'
import { BackToApplication } from './back-to-application.js'
import { SecondFactorForm } from './passkey-form.js'

/** The page for the second factor. */
interface TotpPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly way: TotpWay
  /** The masked telephone number; null before a message was sent. */
  readonly sentTo: string | null
  /** What the browser is asked for in place of a code; undefined where the user has no passkey. */
  readonly passkeyOptions?: object | undefined
  /** Whether the passkey is offered before the code, which takes its place. */
  readonly isPasskeyFirst?: boolean
  /** The application that demands a passkey after the code, and is told where the user goes back. */
  readonly applicationName?: string | undefined
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
  const isPasskeyFirst = view.isPasskeyFirst === true && passkeyOptions !== undefined && way !== 'recovery'
  const look = isPasskeyFirst ? 'second' : 'main'
  return toDocument(
    <HostedPage
      frame={frame}
      title={isPasskeyFirst ? texts.passkeys.second.heading : words.headings[way]}
      isFault={fault !== undefined}
      needsPasskeys={passkeyOptions !== undefined}
    >
      {isPasskeyFirst && <PageFault fault={fault} />}
      {isPasskeyFirst && <FirstPasskey frame={frame} form={form} options={passkeyOptions} />}
      <p>{sentenceOf(view)}</p>
      {!isPasskeyFirst && <PageFault fault={fault} />}
      {isUnsent ? (
        <Form form={form} action="send_sms" look={look} button={words.send} working={texts.working} />
      ) : (
        <CodeForm view={view} fault={fault} look={look} />
      )}
      {way === 'sms' && !isUnsent && (
        <Form form={form} action="send_sms" look="plain" button={words.sendAgain} />
      )}
      {passkeyOptions !== undefined && !isPasskeyFirst && (
        <SecondFactorForm frame={frame} form={form} options={passkeyOptions} isInstead />
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
        <BackToApplication frame={frame} form={form} name={view.applicationName} />
      </div>
    </HostedPage>,
  )
}

/** The passkey, and what sets it apart from the code below. */
function FirstPasskey({ frame, form, options }: FirstPasskeyProps) {
  const { texts } = frame
  const words = texts.passkeys.second
  return (
    <>
      <noscript>
        <p class="quiet">{words.needsScript}</p>
      </noscript>
      <SecondFactorForm frame={frame} form={form} options={options}>
        <p>{words.sentence}</p>
      </SecondFactorForm>
      <p class="or">
        <span>{texts.password.or}</span>
      </p>
    </>
  )
}

interface FirstPasskeyProps extends Pick<TotpPage, 'frame' | 'form'> {
  readonly options: object
}

function sentenceOf({ frame, way, sentTo }: TotpPage): string {
  const words = frame.texts.totp
  if (way !== 'sms') return words[way]
  return sentTo === null ? words.smsUnsent : words.smsSent(displayName(sentTo))
}

interface CodeFormProps {
  readonly view: TotpPage
  readonly fault: Fault | undefined
  readonly look: 'main' | 'second'
}

function CodeForm({ view: { frame, form, way }, fault, look }: CodeFormProps) {
  const { texts } = frame
  const words = texts.totp
  if (way !== 'recovery')
    return (
      <Form form={form} action="totp" look={look} button={words.button} working={texts.working} isCodeForm>
        <CodeField label={words.label} fault={fault} hasFocus={look === 'main'} />
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
