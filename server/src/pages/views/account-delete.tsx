import { Field } from '../frame/field.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { toTimeAgo } from '../frame/moments.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

interface AccountDeletePage {
  readonly frame: Frame
  readonly form: PageForm
  readonly email: string
  /** Whether the user may. */
  readonly isOffered: boolean
  /** Whether the user may ask for it. */
  readonly isRequestOffered: boolean
  /** When they have; undefined where they have not. */
  readonly requestedAt: Date | undefined
  readonly now: Date
  /** Another address was typed. */
  readonly isWrong: boolean
}

/** Asks for the address of the account before it is deleted, or whether the administrators shall be asked. */
export function accountDeletePage(view: AccountDeletePage): string {
  const { frame, form, email, isOffered, isRequestOffered, requestedAt, now, isWrong } = view
  const { texts } = frame
  const words = texts.account.delete
  const asked = requestedAt && words.asked(toTimeAgo(requestedAt, now, texts.lang))
  const otherwise = isRequestOffered ? (asked ?? words.ask) : words.notOffered
  return toDocument(
    <HostedPage frame={frame} title={texts.account.sections.delete.heading} isFault={isWrong}>
      <Person texts={texts} email={email} />
      <p>{isOffered ? words.sentence : otherwise}</p>
      {!isOffered && isRequestOffered && requestedAt === undefined && (
        <Form form={form} action="request" button={words.askButton} working={texts.working} />
      )}
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

/** The page after the user has deleted their account. It has no address: a link would tell others the same of theirs. */
export function accountDeletedPage({ frame }: { frame: Frame }): string {
  const words = frame.texts.account.delete
  return toDocument(
    <HostedPage
      frame={frame}
      title={words.doneHeading}
      headingClass="done"
      sentences={({ account: { delete: each } }) => [each.doneHeading, each.done]}
    >
      <p>{words.done}</p>
    </HostedPage>,
  )
}
