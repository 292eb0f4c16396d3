import type { TotpMethod } from '@portico/contract/totp'
import { Disclosure } from '../frame/disclosure.js'
import { Done } from '../frame/done.js'
import { PageFault, toFault } from '../frame/fault.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { EnrollFault } from '../texts/en/second-factor.js'

export type SecondFactorFault = Exclude<EnrollFault, 'not_now'>

interface SecondFactorPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  /** Whether the organization has switched it on. */
  readonly isOffered: boolean
  /** Of a new enrolment. */
  readonly method: TotpMethod
  /** Null where there is none. */
  readonly enrolledMethod: TotpMethod | null
  readonly mayRemove: boolean
  readonly isDone: boolean
  readonly fault?: SecondFactorFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** What the second factor is, and what can be done about it. */
export function secondFactorPage(view: SecondFactorPage): string {
  const { frame, form, email, isOffered, method, enrolledMethod, mayRemove, isDone } = view
  const { texts } = frame
  const words = texts.account.secondFactor
  const fault = toFault(texts, texts.enroll.faults, view.fault, view.retryAfterSeconds)
  const begin = method === 'sms' ? texts.enroll.smsButton : texts.enroll.appButton
  return toDocument(
    <HostedPage
      frame={frame}
      title={texts.account.sections['second-factor'].heading}
      isFault={fault !== undefined}
    >
      <Person texts={texts} email={email} />
      <Done isDone={isDone && fault === undefined} sentence={texts.account.saved} />
      <PageFault fault={fault} />
      {enrolledMethod === null ? (
        <p>{isOffered ? words.none : words.notOffered}</p>
      ) : (
        <p>{words.on[enrolledMethod]}</p>
      )}
      {enrolledMethod === null && isOffered && (
        <Form form={form} action="enroll" button={begin} working={texts.working} />
      )}
      {enrolledMethod !== null && (
        <>
          {isOffered && <Form form={form} action="enroll" look="second" button={words.replace} />}
          <Disclosure summary={texts.recoveryCodes.newCodes}>
            <p>{texts.recoveryCodes.newCodesSentence}</p>
            <Form form={form} action="new_codes" look="second" button={texts.recoveryCodes.newCodesButton} />
          </Disclosure>
          {mayRemove ? (
            <Disclosure summary={words.remove}>
              <p>{words.removeSentence}</p>
              <Form form={form} action="remove" look="second" button={words.removeButton} />
            </Disclosure>
          ) : (
            <p class="quiet">{words.demanded}</p>
          )}
        </>
      )}
    </HostedPage>,
  )
}
