import { PageFault, toFault } from '../frame/fault.js'
import { PasswordField } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person, UserNameForManagers } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { PasswordPageFault } from '../texts/en/sign-in.js'

/** The page for the password of an address, with its alternatives. */
interface PasswordPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  /** Whether the user can also sign in by a mailed link. */
  readonly mayMailLink: boolean
  /** Whether the password was just set, and is now typed for the first time. */
  readonly isPasswordNew: boolean
  readonly fault?: PasswordPageFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks for the password. The page is the same whether or not a user has the address. */
export function passwordPage(view: PasswordPage): string {
  const { frame, form, email, mayMailLink, isPasswordNew } = view
  const { texts } = frame
  const words = texts.password
  const fault = toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  return toDocument(
    <HostedPage frame={frame} title={words.heading} isFault={fault !== undefined}>
      <Person texts={texts} email={email} form={form} />
      {isPasswordNew && fault === undefined && (
        <p class="notice" role="status">
          {words.isNew}
        </p>
      )}
      <PageFault fault={fault} />
      <Form form={form} action="password" button={words.button} working={texts.working} saysPasskeys>
        <UserNameForManagers email={email} />
        <PasswordField texts={texts} label={words.label} fault={fault} autocomplete="current-password" />
      </Form>
      <Form form={form} action="forgot_password" look="plain" button={words.forgot} />
      {mayMailLink && (
        <>
          <p class="or">
            <span>{words.or}</span>
          </p>
          <Form form={form} action="mail_link" look="second" button={words.mailLink} />
        </>
      )}
    </HostedPage>,
  )
}
