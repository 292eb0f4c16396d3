import { PageFault, toFault } from '../frame/fault.js'
import { CodeField, Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { ProveAddressFault } from '../texts/en/social.js'

/** The page on which an address is proved by the code that was mailed to it. */
interface ProveAddressPage {
  readonly frame: Frame
  readonly form: PageForm
  /** Where the code was mailed to; null where the provider has named no address, and it is asked for. */
  readonly email: string | null
  /** An address that was typed, and not accepted. */
  readonly typed?: string | undefined
  /** Another code was just sent. */
  readonly isResent?: boolean
  readonly fault?: ProveAddressFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks for the code, or first for the address. Never discloses whether somebody has the address here. */
export function proveAddressPage(view: ProveAddressPage): string {
  const { frame, form, email, isResent = false } = view
  const { texts } = frame
  const words = texts.proveAddress
  const fault = toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  return toDocument(
    <HostedPage frame={frame} title={words.heading} isFault={fault !== undefined}>
      {email !== null && <Person texts={texts} email={email} form={form} />}
      {isResent && fault === undefined && (
        <p class="notice" role="status">
          {words.resent}
        </p>
      )}
      <PageFault fault={fault} />
      {email === null ? (
        <>
          <p>{words.nameSentence}</p>
          <Form form={form} action="name_address" button={words.nameButton} working={texts.working}>
            <Field
              id="email"
              label={words.label}
              fault={fault}
              input={{ type: 'email', autocomplete: 'email', inputMode: 'email', value: view.typed ?? '' }}
            />
          </Form>
        </>
      ) : (
        <>
          <p>{words.sentence}</p>
          <Form form={form} action="address_code" button={words.button} working={texts.working} isCodeForm>
            <CodeField label={words.codeLabel} fault={fault} hasFocus />
          </Form>
          <div class="aside">
            <p class="quiet">{words.nothingArrived}</p>
            <Form form={form} action="resend" look="plain" button={words.resend} />
          </div>
        </>
      )}
    </HostedPage>,
  )
}
