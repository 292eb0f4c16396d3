import { PageFault, toFault } from '../frame/fault.js'
import { PasswordField } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { toDocument, type Frame } from '../frame/layout.js'
import { Person, UserNameForManagers } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'
import type { PasswordPageFault } from '../texts/en/sign-in.js'

/** The password of an address, and the ways around it. */
interface PasswordPage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  /** Whether a link by mail signs in as well. */
  readonly mayMailLink: boolean
  /** It was chosen a moment ago, and is now typed for the first time. */
  readonly isPasswordNew: boolean
  readonly fault?: PasswordPageFault | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** Asks for the password. It says the same of every address, whether somebody has it or not. */
export function passwordPage(view: PasswordPage): string {
  const { frame, form, email, mayMailLink, isPasswordNew } = view
  const { texts } = frame
  const words = texts.password
  const fault = toFault(texts, words.faults, view.fault, view.retryAfterSeconds)
  return toDocument({
    frame,
    title: words.heading,
    isFault: fault !== undefined,
    children: (
      <>
        <h1>{words.heading}</h1>
        <Person texts={texts} email={email} form={form} />
        {isPasswordNew && fault === undefined && (
          <p class="notice" role="status">
            {words.isNew}
          </p>
        )}
        <PageFault fault={fault} />
        <Form form={form} action="password" button={words.button} working={texts.working}>
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
      </>
    ),
  })
}
