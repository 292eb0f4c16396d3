import { PageFault, toFault } from '../frame/fault.js'
import { CodeField } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import type { PageForm } from '../frame/step-page.js'
import type { AdminCodeFault } from '../texts/en/onboarding.js'
import { maskAddress } from './mask-address.js'

/** The page for the mailed code, in the browser that opened the invitation. */
interface AdminCodePage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  readonly isResent: boolean
  readonly fault?: AdminCodeFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks for the code, or sends another one. */
export function adminCodePage(view: AdminCodePage): string {
  const { frame, form, email, isResent } = view
  const { texts } = frame
  const words = texts.adminCode
  const fault = toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  return toDocument(
    <HostedPage frame={frame} title={words.heading} isFault={fault !== undefined}>
      <PageFault fault={fault} />
      {isResent && <p role="status">{words.sent}</p>}
      <p>{words.sentence(maskAddress(email))}</p>
      <Form form={form} action="verify" button={words.button} working={texts.working} isCodeForm>
        <CodeField label={words.label} fault={fault} />
      </Form>
      <Form form={form} action="send_again" look="plain" button={words.again} />
    </HostedPage>,
  )
}
