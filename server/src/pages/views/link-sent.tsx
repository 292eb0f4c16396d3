import type { LinkPurpose } from '../../platform/link-purpose.js'
import { PageFault, toFault, type Fault } from '../frame/fault.js'
import { CodeField } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { LinkSentFault } from '../texts/en/sign-in.js'

/** The page after a link was mailed. */
interface LinkSentPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly purpose: LinkPurpose
  /** The link was opened in another browser, whose page shows a code. */
  readonly isCodeAsked: boolean
  /** Another link was just sent. */
  readonly isResent?: boolean
  readonly fault?: LinkSentFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks the user to check their mail, or for the code of another browser. Never discloses whether a mail was sent. */
export function linkSentPage(view: LinkSentPage): string {
  const { frame, form, email, purpose, isCodeAsked, isResent = false } = view
  const { texts } = frame
  const words = texts.linkSent
  const fault = toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  const isCodeFirst = isCodeAsked || fault?.isOfField === true
  const heading = isCodeFirst ? words.codeHeading : words.heading
  return toDocument(
    <HostedPage frame={frame} title={heading} isFault={fault !== undefined}>
      <Person texts={texts} email={email} form={form} />
      {isResent && fault === undefined && (
        <p class="notice" role="status">
          {words.resent}
        </p>
      )}
      <PageFault fault={fault} />
      {isCodeFirst ? (
        <>
          <p>{words.codeSentence}</p>
          <CodeForm view={view} fault={fault} hasFocus />
        </>
      ) : (
        <>
          <p>{words.sentences[purpose]}</p>
          <p>{words.advice[purpose]}</p>
          {purpose === 'sign_in' && (
            <details>
              <summary>{words.otherDevice}</summary>
              <p>{words.codeHint}</p>
              <CodeForm view={view} fault={fault} hasFocus={false} />
            </details>
          )}
        </>
      )}
      <div class="aside">
        <p class="quiet">{words.nothingArrived}</p>
        <Form form={form} action="resend" look="plain" button={words.resend} />
      </div>
    </HostedPage>,
  )
}

function CodeForm({
  view,
  fault,
  hasFocus,
}: {
  view: LinkSentPage
  fault: Fault | undefined
  hasFocus: boolean
}) {
  const { texts } = view.frame
  const words = texts.linkSent
  return (
    <Form form={view.form} action="link_code" button={words.button} working={texts.working} isCodeForm>
      <CodeField label={words.label} fault={fault} hasFocus={hasFocus} />
    </Form>
  )
}
