import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

interface AccountDeletePage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  /** Whether the user may. */
  readonly isOffered: boolean
  /** Another address was typed. */
  readonly isWrong: boolean
}

/** Asks for the address of the account before it is deleted. */
export function accountDeletePage({ frame, form, email, isOffered, isWrong }: AccountDeletePage): string {
  const { texts } = frame
  const words = texts.account.delete
  return toDocument(
    <HostedPage frame={frame} title={texts.account.sections.delete.heading} isFault={isWrong}>
      <Person texts={texts} email={email} />
      <p>{isOffered ? words.sentence : words.notOffered}</p>
      {isOffered && (
        <Form form={form} action="delete" button={words.button} working={texts.working}>
          <Field
            id="email"
            label={words.label}
            fault={isWrong ? { sentence: words.wrong, isOfField: true } : undefined}
            hasFocus={isWrong}
            input={{ type: 'email', autocomplete: 'off' }}
          />
        </Form>
      )}
    </HostedPage>,
  )
}
