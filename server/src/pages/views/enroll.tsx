import type { TotpMethod } from '@portico/contract/totp'
import { displayName } from '../../platform/display-name.js'
import { PageFault, toFault, type Fault } from '../frame/fault.js'
import { CodeField } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { toDate } from '../frame/moments.js'
import { BackToApplication } from './back-to-application.js'
import { toQrCode } from './qr.js'
import type { PageForm } from '../frame/step-page.js'
import type { OwnPasskeyFault } from '../texts/en/passkeys.js'
import type { EnrollFault, TotpFault } from '../texts/en/second-factor.js'
import { PasskeyForm } from './passkey-form.js'

/** The page for a user without a second factor. */
interface EnrollPage {
  readonly frame: Frame
  readonly form: PageForm
  /** Undefined where the organization asks for no codes, but for passkeys. */
  readonly method: TotpMethod | undefined
  /** The masked telephone number; null with the app, or without a number. */
  readonly sentTo: string | null
  /**
   * By the application, which may take a passkey alone, or by the organization, which lets users put it off until a time; null: no longer. A recovery of passkeys,
   * which an operator has opened or a recovery code has begun, may be put off where the sign-in needs none.
   */
  readonly demanded:
    | 'by_application'
    | 'passkey_by_application'
    | { readonly until: Date | null }
    | { readonly recoveredBy: 'operator' | 'code'; readonly isPostponable: boolean }
  /** The application that demands the second factor, and is told where the user sets up none. */
  readonly applicationName?: string | undefined
  /** What the browser is asked for to make a passkey; undefined where the user may have none. */
  readonly passkeyOptions?: object | undefined
  readonly fault?: EnrollFault | TotpFault | undefined
  readonly passkeyFault?: OwnPasskeyFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Explains the second factor, and starts the enrolment. */
export function enrollPage(view: EnrollPage): string {
  const { frame, form, method, demanded, passkeyOptions } = view
  const { texts, organization, productName } = frame
  const name = displayName(organization?.name ?? productName)
  const until = typeof demanded === 'object' && 'until' in demanded ? demanded.until : null
  const recovery = typeof demanded === 'object' && 'recoveredBy' in demanded ? demanded : undefined
  const words = texts.enroll
  const fault =
    toFault(texts, texts.passkeys.own.faults, view.passkeyFault) ??
    toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  const why = method === undefined ? texts.passkeys.enroll : words
  const reason = demanded === 'by_application' ? why.byApplication : why.byOrganization(name)
  const own =
    recovery !== undefined
      ? texts.passkeys.recover[recovery.recoveredBy]
      : demanded === 'passkey_by_application'
        ? texts.passkeys.demanded
        : undefined
  return toDocument(
    <HostedPage
      frame={frame}
      title={own?.heading ?? words.heading}
      isFault={fault !== undefined}
      needsPasskeys={passkeyOptions !== undefined}
    >
      <PageFault fault={fault && { ...fault, isOfField: false }} />
      <p>{own?.sentence ?? reason}</p>
      {method !== undefined && <CodesForm view={view} method={method} />}
      {passkeyOptions !== undefined && <NewPasskeyForm view={view} options={passkeyOptions} />}
      {(until !== null || recovery?.isPostponable === true) && (
        <Form form={form} action="not_now" look="plain" button={words.notNow} />
      )}
      {recovery?.recoveredBy === 'code' && !recovery.isPostponable && (
        <Form form={form} action="anew" look="plain" button={texts.passkeys.second.anew} />
      )}
      <BackToApplication
        frame={frame}
        form={form}
        name={typeof demanded === 'string' ? view.applicationName : undefined}
      />
      {until !== null && <p class="quiet">{words.until(toDate(until, texts.lang))}</p>}
    </HostedPage>,
  )
}

function CodesForm({ view, method }: { view: EnrollPage; method: TotpMethod }) {
  const { frame, form, sentTo } = view
  const { texts } = frame
  const words = texts.enroll
  const sms = sentTo === null ? words.smsUnknown : words.sms(displayName(sentTo))
  const isApp = method === 'totp_mobile_app'
  return (
    <>
      <p>{isApp ? words.app : sms}</p>
      <Form
        form={form}
        action="enroll"
        button={isApp ? words.appButton : words.smsButton}
        working={texts.working}
      />
    </>
  )
}

function NewPasskeyForm({ view: { frame, form, method }, options }: { view: EnrollPage; options: object }) {
  const { texts } = frame
  const words = texts.passkeys
  const isOnly = method === undefined
  return (
    <>
      {isOnly && (
        <>
          <p>{words.own.what}</p>
          <noscript>
            <p>{words.second.needsScript}</p>
          </noscript>
        </>
      )}
      <PasskeyForm
        form={form}
        action="passkey"
        kind="create"
        options={options}
        button={isOnly ? words.own.add : words.enroll.instead}
        look={isOnly ? 'main' : 'second'}
        failed={words.own.notAdded}
        held={words.own.held}
      />
    </>
  )
}

/** The page of an enrolment that waits for its first code. */
interface EnrollCodePage extends Omit<
  EnrollPage,
  'demanded' | 'applicationName' | 'passkeyOptions' | 'passkeyFault'
> {
  /** The key URI of the app; null with text messages. */
  readonly uri: string | null
  /** On the account page, which no flow remembers: the form sends it back. */
  readonly enrollmentId?: string
}

/** Shows the key of the app as a QR code and as text, and asks for the first code. */
export function enrollCodePage(view: EnrollCodePage): string {
  const { frame, form, uri, sentTo } = view
  const { texts } = frame
  const words = texts.enroll
  const fault = toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  const heading = uri === null ? texts.totp.headings.sms : words.codeHeading
  return toDocument(
    <HostedPage
      frame={frame}
      title={heading}
      isFault={fault !== undefined}
      sentences={({ enroll, totp }) =>
        uri === null ? [totp.headings.sms, enroll.label] : [enroll.codeHeading, enroll.scan, enroll.enter]
      }
    >
      <PageFault fault={fault} />
      {uri === null ? (
        <p>{sentTo === null ? words.smsUnknown : texts.totp.smsSent(displayName(sentTo))}</p>
      ) : (
        <Key frame={frame} uri={uri} />
      )}
      <CodeForm view={view} fault={fault} />
      <Form
        form={form}
        action="enroll"
        look="plain"
        button={uri === null ? texts.totp.sendAgain : words.again}
      />
    </HostedPage>,
  )
}

function CodeForm({ view, fault }: { view: EnrollCodePage; fault: Fault | undefined }) {
  const { frame, form, uri, enrollmentId } = view
  const words = frame.texts.enroll
  return (
    <Form form={form} action="validate" button={words.button} working={frame.texts.working} isCodeForm>
      {enrollmentId !== undefined && <input type="hidden" name="enrollment_id" value={enrollmentId} />}
      <CodeField
        label={words.label}
        fault={fault}
        {...(uri !== null && { hint: words.enter })}
        // A focused field would scroll the QR code off a phone screen.
        hasFocus={uri === null || fault !== undefined}
      />
    </Form>
  )
}

function Key({ frame: { texts }, uri }: { frame: Frame; uri: string }) {
  const words = texts.enroll
  const { size, path } = toQrCode(uri)
  return (
    <div class="key">
      <p>{words.scan}</p>
      <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={words.picture}>
        <path d={path} />
      </svg>
      <p class="on-phone">
        <a class="second" href={uri}>
          {words.open}
        </a>
      </p>
      <details>
        <summary>{words.noCamera}</summary>
        <p>{words.key}</p>
        <p>
          <code class="secret">{secretOf(uri)}</code>
        </p>
      </details>
    </div>
  )
}

/** The secret of a key URI in groups of four, for typing. */
function secretOf(uri: string): string {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  return secret.match(/.{1,4}/g)?.join(' ') ?? ''
}
