import { displayName } from '../../platform/display-name.js'
import { Form } from '../frame/form.js'
import { HostedPage, toDocument, type Frame } from '../frame/layout.js'
import { Person } from '../frame/person.js'
import type { PageForm } from '../frame/step-page.js'

/** The page that confirms a sign-out. */
interface SignOutPage {
  readonly frame: Frame
  readonly form: PageForm
  /** Of the users who are signed out, or were. */
  readonly emails: readonly string[]
}

/** Asks first, because any website can link to this page. */
export function signOutPage({ frame, form, emails }: SignOutPage): string {
  const { texts, organization, productName } = frame
  const words = texts.signOut
  return toDocument(
    <HostedPage frame={frame} title={words.heading}>
      {emails.map((email) => (
        <Person key={email} texts={texts} email={email} />
      ))}
      <p>{words.sentence(displayName(organization?.name ?? productName))}</p>
      <Form form={form} action="sign_out" button={words.button} working={texts.working} />
    </HostedPage>,
  )
}

/** The page that asks whether the browser shall forget what it has proved, where nobody is signed in any more. */
export function forgetPage({ frame, form, emails }: SignOutPage): string {
  const { texts } = frame
  const words = texts.signOut
  return toDocument(
    <HostedPage frame={frame} title={words.forgetHeading}>
      {emails.map((email) => (
        <Person key={email} texts={texts} email={email} />
      ))}
      <p>{words.forgetSentence}</p>
      <Form form={form} action="sign_out" button={words.forget} working={texts.working} />
    </HostedPage>,
  )
}

/** The page after a sign-out. */
export function signedOutPage({ frame }: { frame: Frame }): string {
  const words = frame.texts.signOut
  return toDocument(
    <HostedPage frame={frame} title={words.doneHeading} headingClass="done">
      <p>{words.done}</p>
    </HostedPage>,
  )
}
